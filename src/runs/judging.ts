/** What a refusal of something that was said of a run means for it. */
import { RefusedError } from "../client/errors.ts"
import type { Input } from "../contract/definitions/requests.ts"
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

/** What went wrong in a sentence or two, with the first fault of a body that was refused. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const [issue] = error instanceof RefusedError ? error.issues : []
  return issue === undefined ? error.message : `${error.message} ${issue.path} ${issue.message}.`
}

/**
 * What is said again without what was refused: without the values that the refusal names, or else without all metrics and
 * outputs, for what happened must not be lost with what was measured. Null where nothing else was said.
 */
export function withoutRefused({ metrics, outputs, ...rest }: Input, error: unknown): Input | null {
  if (metrics === undefined && outputs === undefined) return null
  const issues = error instanceof RefusedError && error.status === 422 ? error.issues : []
  const refused = new Set(issues.map(({ path }) => /^\/metrics\/(\d+)\//.exec(path)?.[1]))
  const kept = Array.isArray(metrics) ? metrics.filter((_, index) => !refused.has(String(index))) : []
  const isOfMetrics = refused.size > 0 && !refused.has(undefined) && kept.length > 0
  return isOfMetrics ? { ...rest, metrics: kept, ...(outputs !== undefined && { outputs }) } : rest
}
