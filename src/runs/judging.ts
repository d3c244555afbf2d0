/** Decides how to go on after a request about a run was refused. */
import { RefusedError } from "../client/errors.ts"
import type { Input } from "../contract/definitions/requests.ts"
import { isJsonObject } from "../contract/json.ts"

/**
 * Returns the current state of the attempt if the refusal is a conflict: then an earlier event was stored after all.
 */
export function currentState(error: unknown): { expectedRevision: number; expectedStatus: string } | undefined {
  if (!(error instanceof RefusedError) || error.refusal !== "state_conflict") return undefined
  const expected = error.current?.expected
  if (!isJsonObject(expected)) return undefined
  return typeof expected.expectedRevision === "number" && typeof expected.expectedStatus === "string"
    ? { expectedRevision: expected.expectedRevision, expectedStatus: expected.expectedStatus }
    : undefined
}

/** Whether a retry is useless. An invalid credential is not final, because it can be replaced. */
export const isFinal = (error: unknown): boolean =>
  error instanceof RefusedError &&
  error.committed === false &&
  !error.retryable &&
  error.status !== 401 &&
  error.status !== 429 &&
  error.status < 500

/** Returns what went wrong in one or two sentences, with the first issue of a refused body. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const [issue] = error instanceof RefusedError ? error.issues : []
  return issue === undefined ? error.message : `${error.message} ${issue.path} ${issue.message}.`
}

/**
 * Returns the request without the refused values, or without all metrics and outputs if the refusal does not name
 * values. The event itself must not be lost because of its measurements. Null if the request has no metrics and outputs
 * to remove.
 */
export function withoutRefused({ metrics, outputs, ...rest }: Input, error: unknown): Input | null {
  if (metrics === undefined && outputs === undefined) return null
  const issues = error instanceof RefusedError && error.status === 422 ? error.issues : []
  const refused = new Set(issues.map(({ path }) => /^\/metrics\/(\d+)\//.exec(path)?.[1]))
  const kept = Array.isArray(metrics) ? metrics.filter((_, index) => !refused.has(String(index))) : []
  const onlyMetrics = refused.size > 0 && !refused.has(undefined) && kept.length > 0
  return onlyMetrics ? { ...rest, metrics: kept, ...(outputs !== undefined && { outputs }) } : rest
}
