/** What a refusal of something that was said of a run means for it. */
import { RefusedError } from "../client/errors.ts"
import { isJsonObject } from "../contract/json.ts"

/** Where the attempt stands, when that is what stood in the way: an earlier event had arrived after all. */
export function movedTo(error: unknown): { expectedRevision: number; expectedStatus: string } | undefined {
  if (!(error instanceof RefusedError) || error.refusal !== "state_conflict") return undefined
  const expected = error.current?.expected
  if (!isJsonObject(expected)) return undefined
  return typeof expected.expectedRevision === "number" && typeof expected.expectedStatus === "string"
    ? { expectedRevision: expected.expectedRevision, expectedStatus: expected.expectedStatus }
    : undefined
}

/** Whether sending it again would not help. A credential that opens nothing may be exchanged for another. */
export const isFinal = (error: unknown): boolean =>
  error instanceof RefusedError &&
  error.committed === false &&
  !error.retryable &&
  error.status !== 401 &&
  error.status !== 429 &&
  error.status < 500
