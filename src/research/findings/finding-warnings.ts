/** What a reader of a finding should be warned of: advice, never a refusal. */
import type { AttemptStatus } from "../../contract/enumerations.ts"
import type { Warning } from "../evidence/warning.ts"

export interface EvidenceRow {
  readonly position: number
  readonly kind: string
  readonly attemptId: string
  readonly label: string
  readonly status: AttemptStatus
  readonly outputLabel: string | null
  readonly digest: string | null
  /** What the attempt reported under that label; null when it reported nothing. */
  readonly reportedDigest: string | null
}

interface NamedAttempt {
  readonly attemptId: string
  readonly label: string
  readonly status: AttemptStatus
  readonly outputs: number
}

const unfinished = (status: AttemptStatus) => status === "registered" || status === "started"

function attemptWarnings({ attemptId, label, status, outputs }: NamedAttempt, citedOutcomes: ReadonlySet<string>): Warning[] {
  if (unfinished(status))
    return [{ code: "attempt_without_outcome", message: `${label} is ${status}: its outcome is not known.`, attemptId, label }]
  // An attempt that is cited for how it ended need not have brought forth anything.
  if (outputs === 0 && !citedOutcomes.has(attemptId))
    return [{ code: "attempt_produced_nothing", message: `${label} reported no output.`, attemptId, label }]
  return []
}

function outputWarnings({ position, kind, attemptId, label, status, outputLabel, digest, reportedDigest }: EvidenceRow): Warning[] {
  const at = { attemptId, label, evidence: position }
  if (kind === "attempt_outcome") {
    return unfinished(status)
      ? [{ code: "outcome_unknown", message: `${label} is ${status}: there is no outcome to cite yet.`, ...at }]
      : []
  }
  if (kind !== "attempt_output" || reportedDigest === digest) return []
  if (reportedDigest === null)
    return [
      { code: "output_unknown", message: `${label} has reported no output ${outputLabel}; its digest is not known.`, ...at, outputLabel },
    ]
  return [
    {
      code: "output_differs",
      message: `Output ${outputLabel} of ${label} was reported with another digest.`,
      ...at,
      outputLabel,
      reportedDigest,
    },
  ]
}

/** Attempts that produced nothing, and outputs that are not what the evidence says. */
export function evidenceWarnings(attempts: readonly NamedAttempt[], evidence: readonly EvidenceRow[]): Warning[] {
  const citedOutcomes = new Set(evidence.filter(({ kind }) => kind === "attempt_outcome").map(({ attemptId }) => attemptId))
  return [...attempts.flatMap((attempt) => attemptWarnings(attempt, citedOutcomes)), ...evidence.flatMap(outputWarnings)]
}
