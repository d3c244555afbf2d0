/** Requests that reader threads answer for the serving thread, so that one long answer blocks nobody. */
import type { Person } from "../../people/people.ts"

/** The cost of an answer: "page" takes milliseconds, "expensive" grows with the data it reads. */
export type Cost = "page" | "expensive"

/** A Room at an earlier moment, in a file. */
export interface StoredPast {
  readonly roomId: string
  readonly asOf: { readonly sequence: number; readonly acceptedAt: string }
  readonly file: string
}

/** A request as sent to a reader thread, with the caller that the serving thread identified. */
export interface OffloadedRequest {
  readonly method: "GET" | "HEAD" | "POST"
  /** Path and query, below the base path. */
  readonly target: string
  readonly headers: readonly (readonly [string, string])[]
  /** The body of a read that has one. */
  readonly body?: Uint8Array
  readonly address: string
  readonly id: string
  readonly person: Person | null
  /**
   * The Room at the earlier moment that the request asks for. The serving thread keeps the file until the response
   * arrives.
   */
  readonly past: StoredPast | null
}

/** The response, ready to send. */
export interface OffloadedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer> | null
  readonly refusal: string | null
}

export interface Readers {
  /**
   * Has a reader thread answer a request.
   * @param signal aborted when the caller disconnects
   * @returns null if the calling thread must answer
   * @throws Refusal 503 while the service shuts down
   */
  answer(request: OffloadedRequest, cost: Cost, signal: AbortSignal): Promise<OffloadedResponse> | null
}
