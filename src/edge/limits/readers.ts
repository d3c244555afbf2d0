/** What reading threads answer for the serving thread, so that one long answer holds up nobody. */

/** What an answer costs: the milliseconds of a page, or as much as what it looks at has grown to. */
export type Cost = "page" | "expensive"

/** A Room as it was, in a file. */
export interface StoredPast {
  readonly roomId: string
  readonly asOf: { readonly sequence: number; readonly acceptedAt: string }
  readonly file: string
}

/** A request as a reading thread takes it, with what the serving thread knows of the caller. */
export interface OffloadedRequest {
  readonly method: "GET" | "HEAD"
  /** Path and query, below the base path. */
  readonly target: string
  readonly headers: readonly (readonly [string, string])[]
  readonly address: string
  /** The request's id. */
  readonly id: string
  /** Who is signed in. */
  readonly person: { readonly userId: string; readonly username: string; readonly isOperator: boolean } | null
  /** The Room as it was, where the request asks for an earlier moment. The serving thread keeps the file until the response is there. */
  readonly past: StoredPast | null
}

/** Its response, ready to leave. */
export interface OffloadedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer> | null
  /** The code of the refusal that it is. */
  readonly refusal: string | null
}

export interface Readers {
  /**
   * Has a reading thread answer.
   * @param signal aborted when the caller has gone
   * @returns null where this thread has to answer
   * @throws Refusal 503 when the service is ending
   */
  answer(request: OffloadedRequest, cost: Cost, signal: AbortSignal): Promise<OffloadedResponse> | null
}
