/**
 * The parts that only findings have: execution, evidence and materials, with warnings about them; and the doubts about
 * records.
 */
import { each, keysOf } from "../../contract/typed.ts"
import type { AttemptIntent, AttemptRole, AttemptStatus, WarningCode } from "../../contract/schema/enumerations.ts"
import { JsonText, parse, type Stored } from "../../contract/json.ts"
import type { Evidence, Execution } from "../../contract/nouns/records.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting, type NewRow } from "../../ledger/storage/inserting.ts"
import { fromOtherRoom } from "../../ledger/lists/labelled.ts"
import { outcomeOf, ORDINAL } from "../attempts/summary.ts"
import type { Materials } from "../materials/materials.ts"
import type { Blemishes } from "../../contract/nouns/judging.ts"
import type { Warning } from "../../contract/answers/receipts.ts"
import type { Evidence as EvidenceTable } from "../evidence/evidence.ts"
import type { Plans } from "../experiments/plans.ts"

// Warnings for the readers of a finding. They never refuse a write.

interface EvidenceRow {
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

interface NamedAttempt {
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
interface NamedPlan {
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
function evidenceWarnings(
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

export interface NewFinding
  extends Omit<NewRow<"findings">, "retrospective" | "experimentId" | "planId" | "attemptsBefore" | "attemptsThrough"> {
  readonly retrospective: boolean
  readonly execution: Execution | undefined
  readonly evidence: readonly Evidence[]
  readonly materials: readonly { readonly materialId: string; readonly purpose: string }[]
}

interface ExecutionRow {
  readonly experimentId: string
  readonly experimentLabel: string
  /** The Room of the experiment, its plans and its attempts. */
  readonly originRoomId: string
  readonly planId: string | null
  readonly planLabel: string | null
  /** All attempts of the experiment by status. */
  readonly counts: Stored<Partial<Record<AttemptStatus, number>>>
}
interface AttemptRow extends NamedAttempt {
  readonly intent: AttemptIntent
  readonly experimentId: string
}

/** The roles by importance. If a finding names an attempt in several, the first counts. */
const roles: readonly AttemptRole[] = ["producing", "baseline", "evidence"]

/** Returns the role of each attempt that a finding names. */
function attemptRoles(execution: Execution | undefined, evidence: readonly Evidence[]): Map<string, AttemptRole> {
  const named: Record<AttemptRole, readonly string[]> = {
    producing: execution?.attemptIds ?? [],
    baseline: execution?.baselineAttemptIds ?? [],
    evidence: evidence.flatMap((entry) => ("attemptId" in entry ? [entry.attemptId] : [])),
  }
  return new Map([...roles].reverse().flatMap((role) => named[role].map((attemptId) => [attemptId, role] as const)))
}

const partOf = { producing: "producing", baseline: "baseline", evidence: "cited" } as const satisfies Record<
  AttemptRole,
  string
>
/** Whether an attempt belongs to the experiment of its finding and is named in a given part. */
const isPart = ({ role, experimentId }: AttemptRow, part: string, of: ExecutionRow): boolean =>
  partOf[role] === part && experimentId === of.experimentId

/** The most findings that are listed for an experiment or attempt. */
const NAMING = 10

export type Findings = ReturnType<typeof findings>

export function findings(db: Db, materials: Materials) {
  const insert = inserting(db, "findings")
  const insertAttempt = inserting(db, "finding_attempts")
  const insertEvidence = inserting(db, "finding_evidence")
  const insertMaterial = inserting(db, "finding_materials")
  /** The attempts that reproduce a finding `v` or an attempt it rests on, and that it does not name. */
  const REPEATING = `SELECT a.attempt_id FROM attempts a WHERE a.reproduces_version_id = +?
    UNION SELECT a.attempt_id FROM finding_attempts t JOIN attempts a ON a.reproduces_attempt_id = t.attempt_id
      WHERE t.version_id = +? AND t.role <> 'evidence'
    EXCEPT SELECT attempt_id FROM finding_attempts WHERE version_id = +?`
  // Takes the attempts that the finding names twice, as a JSON list.
  const before = db.prepare<{ attempts: number; through: number }>(
    `SELECT coalesce((SELECT sum(c.attempts) FROM attempt_counts c WHERE c.experiment_id = +?), 0)
         - (SELECT count(*) FROM json_each(+?) n JOIN attempts a ON a.reproduces_attempt_id = n.value
            WHERE a.experiment_id = +? AND a.attempt_id NOT IN (SELECT value FROM json_each(+?))) AS attempts,
       coalesce((SELECT max(${ORDINAL}) FROM attempts a WHERE a.experiment_id = +?), 0) AS through`,
  )
  const since = db.prepare<{ status: AttemptStatus; attempts: number }>(
    `SELECT a.status, count(*) AS attempts FROM findings f JOIN attempts a ON a.experiment_id = f.experiment_id
       AND ${ORDINAL} > f.attempts_through WHERE f.version_id = +? GROUP BY a.status`,
  )
  const repeating = db.prepare<{ status: AttemptStatus; isSince: number }>(
    `SELECT a.status, ${ORDINAL} > f.attempts_through AS isSince
     FROM findings f JOIN attempts a ON a.experiment_id = f.experiment_id AND a.attempt_id IN (${REPEATING})
     WHERE f.version_id = +?`,
  )
  const execution = db.prepare<ExecutionRow>(
    `SELECT f.experiment_id AS experimentId, e.label AS experimentLabel, e.room_id AS originRoomId, f.plan_id AS planId,
        n.label AS planLabel,
       (SELECT json_group_object(c.status, c.attempts)
         FROM attempt_counts c
         WHERE c.experiment_id = f.experiment_id) AS counts
     FROM findings f
      JOIN experiments e ON e.experiment_id = f.experiment_id
      LEFT JOIN plans n ON n.plan_id = f.plan_id
      WHERE f.version_id = +?`,
  )
  const plan = db.prepare<NamedPlan>(
    `SELECT f.plan_id AS planId, n.label AS planLabel
      FROM findings f
      JOIN plans n ON n.plan_id = f.plan_id
      WHERE f.version_id = +?`,
  )
  const attempts = db.prepare<AttemptRow>(
    `SELECT t.attempt_id AS attemptId, a.label, a.room_id AS originRoomId, t.role, a.intent, a.status,
        a.plan_id AS planId, a.experiment_id AS experimentId,
        (SELECT count(*) FROM attempt_outputs o WHERE o.attempt_id = t.attempt_id) AS outputs,
       EXISTS (SELECT 1 FROM attempt_last_metrics l WHERE l.attempt_id = t.attempt_id) AS hasValues
     FROM finding_attempts t
      JOIN attempts a USING (attempt_id)
      WHERE t.version_id = +?
      ORDER BY CASE t.role WHEN 'producing' THEN 0 WHEN 'baseline' THEN 1 ELSE 2 END, a.room_id, length(a.label),
        a.label`,
  )
  const evidence = db.prepare<EvidenceRow>(
    `SELECT v.position, v.kind, v.attempt_id AS attemptId, a.label, a.room_id AS originRoomId, a.status,
        v.output_label AS outputLabel, v.digest, o.digest AS reportedDigest
     FROM finding_evidence v JOIN attempts a USING (attempt_id)
     LEFT JOIN attempt_outputs o ON o.attempt_id = v.attempt_id AND o.output_label = v.output_label
     WHERE v.version_id = +? ORDER BY v.position`,
  )
  const used = db.prepare<{ materialId: string; purpose: string }>(
    "SELECT material_id AS materialId, purpose FROM finding_materials WHERE version_id = +? ORDER BY position",
  )
  const behind = db.prepare<{ planId: string }>(
    `SELECT plan_id AS planId FROM findings WHERE version_id = +? AND plan_id IS NOT NULL
     UNION SELECT a.plan_id
      FROM finding_attempts t
      JOIN attempts a USING (attempt_id)
      WHERE t.version_id = +? AND t.role <> 'evidence' AND a.plan_id IS NOT NULL`,
  )
  const blemished = db.prepare<{ blemishes: StoredBlemishes }>(
    `SELECT ${BLEMISHES} AS blemishes FROM findings f WHERE f.version_id = +?`,
  )
  const role = db.prepare<{ role: AttemptRole }>(
    "SELECT role FROM finding_attempts WHERE version_id = +? AND attempt_id = +?",
  )

  const sharing = db.prepare<{ versionId: string; label: string; originRoomId: string }>(
    `SELECT r.version_id AS versionId, r.label, r.room_id AS originRoomId
      FROM findings f
      JOIN records r ON r.version_id = f.voice_id
     WHERE f.version_id = +? AND f.voice_id <> f.version_id`,
  )
  const ofExperiment = db.prepare<{ versionId: string }>(
    `SELECT version_id AS versionId FROM findings WHERE experiment_id = +? ORDER BY version_id DESC LIMIT ${NAMING}`,
  )
  const ofAttempt = db.prepare<{ versionId: string }>(
    `SELECT version_id AS versionId
      FROM finding_attempts
      WHERE attempt_id = +? AND role = 'producing'
      ORDER BY version_id DESC
      LIMIT ${NAMING}`,
  )

  /** @param plan the plan that the finding names */
  function warningsOf(versionId: string, seenFrom: string, named: readonly AttemptRow[], plan: NamedPlan | null) {
    const resting = named.filter((attempt) => attempt.role !== "evidence")
    return evidenceWarnings(
      resting,
      named.length === 0 ? [] : evidence.all(versionId),
      seenFrom,
      plan,
      sharing.get(versionId),
    )
  }

  /**
   * Returns the execution behind a finding, with the denominator: the attempts of its experiment, and how many of them
   * it names.
   */
  function executionOf(versionId: string, seenFrom: string, named: readonly AttemptRow[]) {
    const row = execution.get(versionId)
    if (row === undefined) return null
    const { counts, originRoomId, ...run } = row
    const outcomes = { registered: 0, unknown: 0, preflight_failed: 0, succeeded: 0, failed: 0, cancelled: 0 }
    const byStatus = parse(counts)
    for (const status of keysOf(byStatus)) outcomes[outcomeOf(status) ?? "registered"] += byStatus[status] ?? 0
    const later = { attempts: 0, reproductions: 0 }
    for (const { status, attempts } of since.all(versionId)) {
      outcomes[outcomeOf(status) ?? "registered"] -= attempts
      later.attempts += attempts
    }
    for (const { status, isSince } of repeating.all(versionId, versionId, versionId, versionId)) {
      later.reproductions += 1
      if (isSince === 1) later.attempts -= 1
      else outcomes[outcomeOf(status) ?? "registered"] -= 1
    }
    return {
      ...run,
      ...fromOtherRoom(originRoomId, seenFrom),
      attempts: named.map(
        ({ outputs: _outputs, hasValues: _values, planId: _plan, originRoomId: origin, ...attempt }) => ({
          ...attempt,
          outcome: outcomeOf(attempt.status),
          ...fromOtherRoom(origin, seenFrom),
        }),
      ),
      denominator: {
        attempts: Object.values(outcomes).reduce((sum, count) => sum + count, 0),
        named: each(
          ["producing", "baseline", "cited"] as const,
          (part) => named.filter((attempt) => isPart(attempt, part, row)).length,
        ),
        outcomes,
        later,
      },
    }
  }

  return {
    /** Returns the newest findings that name an experiment. */
    ofExperiment: (experimentId: string): string[] => ofExperiment.all(experimentId).map(({ versionId }) => versionId),
    /** Returns the newest findings that an attempt produced. */
    ofAttempt: (attemptId: string): string[] => ofAttempt.all(attemptId).map(({ versionId }) => versionId),

    insert({ execution: run, evidence: entries, materials: used, retrospective, ...made }: NewFinding): void {
      const { versionId } = made
      const roles = attemptRoles(run, entries)
      const experimentId = run?.experimentId
      const rests = JSON.stringify([...roles].flatMap(([id, role]) => (role === "evidence" ? [] : [id])))
      const { attempts: attemptsBefore, through: attemptsThrough } =
        experimentId === undefined
          ? { attempts: 0, through: 0 }
          : before.one(experimentId, rests, experimentId, rests, experimentId)
      insert({
        ...made,
        ...{ retrospective: retrospective ? 1 : 0, experimentId, planId: run?.planId },
        ...{ attemptsBefore, attemptsThrough },
      })
      for (const [attemptId, role] of roles) insertAttempt({ versionId, attemptId, role })
      entries.forEach((entry, position) => insertEvidence({ ...entry, versionId, position }))
      used.forEach(({ materialId, purpose }, position) => insertMaterial({ versionId, position, materialId, purpose }))
    },

    /** Returns what only the read of a finding has. It is computed at each read, because attempts change. */
    read(versionId: string, seenFrom: string) {
      const named = attempts.all(versionId)
      const execution = executionOf(versionId, seenFrom, named)
      const blemishes = named.length === 0 ? null : (blemished.get(versionId)?.blemishes ?? null)
      return {
        execution,
        blemishes: blemishes === null ? null : new JsonText(blemishes),
        materials: used
          .all(versionId)
          .map(({ materialId, purpose }) => ({ material: materials.summary(materialId, seenFrom) ?? null, purpose })),
        warnings: warningsOf(versionId, seenFrom, named, execution),
      }
    },
    /** Returns only the warnings. */
    warningsOf(versionId: string, seenFrom: string) {
      const named = attempts.all(versionId)
      return warningsOf(versionId, seenFrom, named, named.length === 0 ? null : (plan.get(versionId) ?? null))
    },

    /** Returns the plans behind a finding: its own, and those of the attempts it rests on. */
    plansOf: (versionId: string): string[] => behind.all(versionId, versionId).map(({ planId }) => planId),
    /** Returns the role of an attempt in a finding; undefined if the finding does not name it. */
    roleOf: (versionId: string, attemptId: string): AttemptRole | undefined => role.get(versionId, attemptId)?.role,
  }
}

// Counts the blemishes of the attempts behind a finding.

const RESTING = (condition: string): string => `count(*) FILTER (WHERE t.role <> 'evidence' AND ${condition})`

/**
 * SQL for the blemishes of the finding `f`, as JSON; null if it names no attempt. It reads only those it names: its
 * experiment may have a million attempts.
 */
export const BLEMISHES = `(SELECT CASE WHEN count(*) > 0 THEN json_object('attempts', ${RESTING("1")},
    'departing', ${RESTING("json_array_length(a.plan_match, '$.deviations') > 0")}, 'exploratory',
  ${RESTING("a.intent = 'exploratory'")}, 'late', ${RESTING("a.late_reports > 0")},
    'unnamed', max(0, f.attempts_before - count(*) FILTER (WHERE a.experiment_id = f.experiment_id))) END
  FROM finding_attempts t CROSS JOIN attempts a ON a.attempt_id = t.attempt_id WHERE t.version_id = f.version_id)`

export type StoredBlemishes = Stored<Blemishes> | null

// Finds the doubts about a record or a plan, for the receipt of a write and for every later read.

interface Tables {
  readonly evidence: EvidenceTable
  readonly plans: Plans
  readonly findings: Findings
}

/** Keeps the first warning about each record that has fallen or is doubted. */
export function eachOnce(warnings: readonly Warning[]): Warning[] {
  const seen = new Set<string>()
  return warnings.filter(({ code, versionId }) => {
    if (typeof versionId !== "string" || !/^(?:rests_on|plan_rests_on|names)_/.test(code)) return true
    return seen.size < seen.add(versionId).size
  })
}

export type Doubts = ReturnType<typeof doubts>

export function doubts({ evidence, plans, findings }: Tables) {
  /** Returns the doubts about the hypotheses and premises of a plan. */
  function ofPlan(planId: string | undefined | null, seenFrom: string): Warning[] {
    const plan = planId === undefined || planId === null ? undefined : plans.foundation(planId)
    if (plan === undefined) return []
    const { planId: id, label, roomId, position, hypotheses, premises } = plan
    const shownPlan = { planId: id, label, ...fromOtherRoom(roomId, seenFrom) }
    return evidence
      .doubtsAmong([...hypotheses, ...premises.map(({ versionId }) => versionId)], seenFrom, position)
      .map((doubt) =>
        doubt.code === "rests_on_more"
          ? doubt
          : {
              ...doubt,
              code: `plan_${doubt.code}` as WarningCode,
              message: `${label} ${doubt.message.slice("It ".length)}`,
              direct: false,
              plan: shownPlan,
              through: shownPlan,
            },
      )
  }
  return {
    ofPlan,
    /** Returns the doubts about what a record rests on, itself or through its plans. */
    ofRecord: (versionId: string, roomId: string): Warning[] =>
      eachOnce([
        ...evidence.doubtsOf(versionId, roomId),
        ...findings.plansOf(versionId).flatMap((planId) => ofPlan(planId, roomId)),
      ]),
  }
}
