/** What is answered beside the serving thread: by threads that only read, so that one long answer holds up nobody. */

/** What making an answer costs: some milliseconds, or so much as what it looks at has grown to. */
export type Cost = "some" | "much"

/** A request as another thread takes it: with what was found out here of who asks. */
export interface Order {
  readonly method: "GET" | "HEAD"
  /** Path and query, below the base path. */
  readonly target: string
  readonly headers: readonly (readonly [string, string])[]
  readonly address: string
  /** The request's id. */
  readonly id: string
  /** Who is signed in. */
  readonly person: { readonly userId: string; readonly username: string; readonly isOperator: boolean } | null
}

/** Its answer, ready to leave. */
export interface Told {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer> | null
  /** The code of the refusal that it is. */
  readonly refusal: string | null
}

export interface Aside {
  /**
   * Has another thread answer.
   * @param signal aborted when whoever asks has gone
   * @returns null where this thread is to answer
   * @throws Refusal 503 where as many wait as may
   */
  answer(order: Order, cost: Cost, signal: AbortSignal): Promise<Told> | null
}
