/** Warnings for the readers of a finding. They never refuse a write. */
import type { AttemptRole, AttemptStatus } from "../../contract/schema/enumerations.ts"
import { fromOtherRoom } from "../../ledger/lists/labelled.ts"
import type { Warning } from "../../contract/answers/advice.ts"

export interface EvidenceRow {
  readonly position: number
  readonly kind: string
  readonly attemptId: string
  readonly label: string
  readonly originRoomId: string
  readonly status: AttemptStatus
  readonly outputLabel: string | null
  readonly digest: string | null
  /** The digest that the attempt reported for this output; null if it reported none. */
  readonly reportedDigest: string | null
}

export interface NamedAttempt {
  readonly role: AttemptRole
  readonly planId: string | null
  readonly attemptId: string
  readonly label: string
  readonly originRoomId: string
  readonly status: AttemptStatus
  readonly outputs: number
  /** Whether it reported a metric. */
  readonly hasValues: number
}

const shown = (
  { attemptId, label, originRoomId }: Pick<NamedAttempt, "attemptId" | "label" | "originRoomId">,
  seenFrom: string,
) => ({
  attemptId,
  label,
  ...fromOtherRoom(originRoomId, seenFrom),
})

const isUnfinished = (status: AttemptStatus) => status === "registered" || status === "started"

function attemptWarnings(attempt: NamedAttempt, citedOutcomes: ReadonlySet<string>, seenFrom: string): Warning[] {
  const { attemptId, label, status, outputs, hasValues } = attempt
  const at = shown(attempt, seenFrom)
  if (isUnfinished(status))
    return [{ code: "attempt_without_outcome", message: `${label} is ${status}: its outcome is not known.`, ...at }]
  // An attempt that is cited for its outcome need not have reported outputs or metrics.
  if (outputs === 0 && hasValues === 0 && !citedOutcomes.has(attemptId))
    return [{ code: "attempt_produced_nothing", message: `${label} reported no output and no metric.`, ...at }]
  return []
}

function outputWarnings(entry: EvidenceRow, seenFrom: string): Warning[] {
  const { position, kind, label, status, outputLabel, digest, reportedDigest } = entry
  const at = { ...shown(entry, seenFrom), evidence: position }
  if (kind === "attempt_outcome") {
    return isUnfinished(status)
      ? [{ code: "outcome_unknown", message: `${label} is ${status}: there is no outcome to cite yet.`, ...at }]
      : []
  }
  if (kind !== "attempt_output" || outputLabel === null || reportedDigest === digest) return []
  if (reportedDigest === null)
    return [
      {
        code: "output_unknown",
        message: `${label} has reported no output ${outputLabel}; its digest is not known.`,
        ...at,
        outputLabel,
      },
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

/** Warns of attempts that were registered under another plan than the finding's, or under none. */
function planWarnings(attempts: readonly NamedAttempt[], execution: NamedPlan | null, seenFrom: string): Warning[] {
  const { planId = null, planLabel = null } = execution ?? {}
  if (planId === null || planLabel === null) return []
  return attempts
    .filter((attempt) => attempt.role === "producing" && attempt.planId !== planId)
    .map((attempt) => ({
      code: "attempt_not_of_plan",
      message:
        `The finding names ${planLabel}, but ${attempt.label} was registered ` +
        `${attempt.planId === null ? "without a plan" : "under another plan"}.`,
      ...shown(attempt, seenFrom),
    }))
}
export interface NamedPlan {
  readonly planId: string | null
  readonly planLabel: string | null
}
interface Earlier {
  readonly versionId: string
  readonly label: string
  readonly originRoomId: string
}

/**
 * Warns of attempts without an outcome, of outputs that differ from the cited ones, and of an earlier finding with the
 * same result.
 * @param seenFrom the Room of the finding
 * @param earlier the first finding that reports the same result of the same attempts, if it is another one
 */
export function evidenceWarnings(
  attempts: readonly NamedAttempt[],
  evidence: readonly EvidenceRow[],
  seenFrom: string,
  execution: NamedPlan | null,
  earlier: Earlier | undefined,
): Warning[] {
  const citedOutcomes = new Set(
    evidence.filter(({ kind }) => kind === "attempt_outcome").map(({ attemptId }) => attemptId),
  )
  return [
    ...attempts.flatMap((attempt) => attemptWarnings(attempt, citedOutcomes, seenFrom)),
    ...planWarnings(attempts, execution, seenFrom),
    ...evidence.flatMap((entry) => outputWarnings(entry, seenFrom)),
    ...(earlier === undefined
      ? []
      : [
          {
            code: "same_effect" as const,
            message: `${earlier.label} reports the same result of the same attempts: as evidence the two count once.`,
            versionId: earlier.versionId,
            label: earlier.label,
            ...fromOtherRoom(earlier.originRoomId, seenFrom),
          },
        ]),
  ]
}
