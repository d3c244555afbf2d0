/**
 * Warnings for the sender of a write (protocol, section 8), in its receipt and its rehearsal. They never refuse a
 * write. Warnings that a record's read also shows come from the same functions.
 */
import { hasFallen } from "../../contract/answers/evidence.ts"
import type { Warning } from "../../contract/answers/receipts.ts"
import { linkKinds, strongerStatus } from "../../contract/nouns/links.ts"
import { type RecordStatus, enumerations } from "../../contract/schema/enumerations.ts"
import { fromOtherRoom } from "../../ledger/lists/labelled.ts"
import type { Evidence } from "../evidence/evidence.ts"
import type { Links } from "../links/links.ts"
import type { Materials } from "../materials/materials.ts"
import { present } from "../../contract/typed.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { limits } from "../../contract/limits.ts"
import { type BodyOf, type OperationName, researchWrites } from "../../contract/operations/index.ts"
import { kindsIn, namedIn } from "../../contract/schema/parts.ts"
import { type FollowingStep, following } from "../../ledger/journal/behaviour.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { Attempt, Attempts } from "../attempts/attempts.ts"
import type { Checkpoints } from "../checkpoints/checkpoints.ts"
import type { CostSums, Plans } from "../experiments/plans.ts"
import type { Experiments } from "../experiments/experiments.ts"
import { type Findings, doubts as doubtsOf, eachOnce } from "../findings/findings.ts"
import type { Context, Numbers } from "../numbers/numbers.ts"
import { overBudget } from "../../contract/answers/costs.ts"
import type { Domain } from "../../ledger/domains/domain.ts"

// Warnings about the objects that a write names: records that are no longer current, and materials that are in doubt.

interface ObjectTables {
  readonly evidence: Evidence
  readonly materials: Materials
  readonly links: Links
}

function namedObjects({ evidence, materials, links }: ObjectTables) {
  /** Warns of records that are no longer current. */
  const namesFallen = (ids: readonly string[], seenFrom: string): Warning[] =>
    evidence.noLongerCurrent(ids).map(({ roomId, isAnswered, ...record }) => ({
      code: `names_${record.status}`,
      message:
        `It names ${record.label}, ` +
        `which is ${record.status}${isAnswered === 1 ? " (its author has answered)" : ""}.`,
      ...record,
      ...(isAnswered === 1 ? { answered: true as const } : {}),
      ...fromOtherRoom(roomId, seenFrom),
    }))

  /** Warns of materials that are unobtainable, or whose reports disagree. */
  const namesMaterials = (ids: readonly string[], seenFrom: string): Warning[] =>
    [...new Set(ids)].flatMap((materialId): Warning[] => {
      const found = materials.summary(materialId, seenFrom)
      if (found === undefined || (found.obtainability !== "unobtainable" && found.obtainability !== "disputed"))
        return []
      const { label, obtainability, materialOriginRoom } = found
      const reason = obtainability === "disputed" ? "reports on it disagree" : "it is reported to be unobtainable"
      return [
        {
          code: `material_${obtainability}`,
          message: `It names ${label}, and ${reason}.`,
          materialId,
          label,
          ...fromOtherRoom(materialOriginRoom, seenFrom),
        },
      ]
    })

  /** Warns that the record a write is about had already fallen. @param linkId the link that the write made */
  function speaksOfFallen(versionId: string, seenFrom: string, linkId?: string): Warning[] {
    const before = links.standingOn(versionId, linkId).map((kind) => linkKinds[kind].status)
    const status = before.reduce<RecordStatus>(strongerStatus, "current")
    return hasFallen(status)
      ? namesFallen([versionId], seenFrom).map((warning) => ({
          ...warning,
          code: `names_${status}` as const,
          status,
          message: `It is about ${warning.label}, which is already ${status}.`,
        }))
      : []
  }

  return { namesFallen, namesMaterials, speaksOfFallen }
}

/** The parts of a write that decide its warnings. */
interface Written<Body> {
  readonly body: Body
  /** The object that it created or changed. */
  readonly id: string
  readonly roomId: string
  /** When it was accepted. */
  readonly at: string
  readonly result: Readonly<Record<string, unknown>>
}

interface Tables {
  readonly db: Db
  readonly evidence: Evidence
  readonly findings: Findings
  readonly materials: Materials
  readonly plans: Plans
  readonly attempts: Attempts
  readonly experiments: Experiments
  readonly checkpoints: Checkpoints
  readonly links: Links
  readonly costs: CostSums
  readonly numbers: Numbers
}

/** Warnings about the numbers of one write; a reader mends the first ones first. */
const UNRESOLVED = 20

type Premises = readonly { readonly versionId: string }[]
type Advisers = { readonly [N in OperationName]?: (written: Written<BodyOf<N>>) => readonly Warning[] }

const twice = (ids: readonly string[]): string[] => [...new Set(ids.filter((id, index) => ids.indexOf(id) < index))]

const shown = ({ attemptId, label, roomId }: Attempt, seenFrom: string) => ({
  attemptId,
  label,
  ...fromOtherRoom(roomId, seenFrom),
})

const repeatedPremises = (premises: Premises): Warning[] =>
  twice(premises.map(({ versionId }) => versionId)).map((versionId) => ({
    code: "premise_repeated",
    message: "It names the same premise twice.",
    versionId,
  }))

/** Warns that a registration departs from its plan without declaring it. */
export function planWarnings(
  deviations: readonly { readonly field: string }[],
  intendedDeviation: string | undefined,
): Warning[] {
  if (deviations.length === 0 || intendedDeviation !== undefined) return []
  const fields = deviations.map(({ field }) => field)
  const message = `The registration departs from its plan in ${fields.join(", ")} and declares no intendedDeviation.`
  return [{ code: "departs_from_plan", message, fields }]
}

function warnings({
  db,
  evidence,
  findings,
  materials,
  plans,
  attempts,
  experiments,
  checkpoints,
  links,
  costs,
  numbers,
}: Tables) {
  const doubts = doubtsOf({ evidence, findings, plans })
  const { namesFallen, namesMaterials, speaksOfFallen } = namedObjects({ evidence, materials, links })
  const shownAt = db.prepare<{ versionId: string }>(
    "SELECT version_id AS versionId FROM timeline_entries WHERE entry_id = +? AND version_id IS NOT NULL",
  )
  const anyAttempt = db.prepare("SELECT 1 FROM attempts WHERE experiment_id = +? LIMIT 1")

  /** The doubts about a record that has no plans behind it. */
  const statementDoubts = ({ id, roomId }: { readonly id: string; readonly roomId: string }): Warning[] =>
    eachOnce(evidence.doubtsOf(id, roomId))
  const recordDoubts = ({ id, roomId }: { readonly id: string; readonly roomId: string }): Warning[] =>
    doubts.ofRecord(id, roomId)

  /** Warns of numbers that are not in the record. @param texts by the member of the body that holds each */
  function unresolved(context: Context, texts: Readonly<Record<string, string | undefined>>): Warning[] {
    const given = Object.entries(texts).flatMap(([path, text]) => (text === undefined ? [] : [{ path, text }]))
    const checks = numbers.checkedInWrite(
      context,
      given.map(({ text }) => text),
    )
    const found = checks.flatMap((check, index) =>
      check.numbers.flatMap(({ state, start, end, text, candidates }): Warning[] => {
        if (state !== "unknown" && state !== "may_be") return []
        const why =
          state === "unknown"
            ? "stands nowhere in the record that the text belongs to"
            : `may be one of ${candidates} values of the record, and nothing names which`
        const path = present(given[index]).path
        return [{ code: "number_unresolved", message: `${text} ${why}.`, path, text, start, end }]
      }),
    )
    return found.slice(0, UNRESOLVED)
  }

  const asserting = ({ body, id, roomId }: Written<{ readonly targetVersionId: string }>) =>
    speaksOfFallen(body.targetVersionId, roomId, id)

  const advisers: Advisers = {
    create_thread({ body: { replyToEntryId }, roomId }) {
      const followed = replyToEntryId === undefined ? undefined : shownAt.get(replyToEntryId)?.versionId
      return followed === undefined ? [] : speaksOfFallen(followed, roomId)
    },
    assert_correction: asserting,
    assert_supersession: asserting,
    assert_dispute: asserting,
    submit_review: ({ body, roomId }) => speaksOfFallen(body.target, roomId),
    publish_hypothesis: (written) => [...statementDoubts(written), ...repeatedPremises(written.body.premises)],
    publish_cited_claim: statementDoubts,
    publish_finding(written) {
      const { retrospective, evidence: cited, provenance } = written.body
      const { execution } = provenance
      const both = execution?.baselineAttemptIds.filter((attemptId) => execution.attemptIds.includes(attemptId)) ?? []
      const citesNothing = !retrospective && cited.length === 0 && execution === undefined
      return [
        ...recordDoubts(written),
        ...findings.warningsOf(written.id, written.roomId),
        ...(citesNothing
          ? [
              {
                code: "cites_nothing",
                message: "It is not retrospective, and cites neither evidence nor an execution.",
              } as const,
            ]
          : []),
        ...both.map((attemptId) => {
          const attempt = present(attempts.find(attemptId))
          return {
            code: "attempt_in_two_roles",
            message: `${attempt.label} is named both as producing and as baseline.`,
            ...shown(attempt, written.roomId),
          } as const
        }),
        ...unresolved(
          { roomId: written.roomId, versionIds: [written.id] },
          {
            "/assertion/wording": written.body.assertion.wording,
            "/scope": written.body.scope,
            "/limitations": written.body.limitations,
          },
        ),
      ]
    },
    accept_plan: ({ body, roomId }) => [
      ...evidence.doubtsAmong(
        [...body.hypotheses, ...body.premises.map(({ versionId }) => versionId)],
        roomId,
        Number.MAX_SAFE_INTEGER,
      ),
      ...repeatedPremises(body.premises),
    ],
    register_attempt({ body, id, roomId }) {
      const match = attempts.matchOf(id)
      return [...doubts.ofPlan(body.planId, roomId), ...planWarnings(match?.deviations ?? [], body.intendedDeviation)]
    },
    report_attempt_event({ body, at, roomId }) {
      const { event, exitCode, reportedAt, cost, outputs = [] } = body
      const { label, registeredAt, planId } = present(attempts.find(body.attemptId))
      const found: Warning[] = []
      if (event === "succeeded" && exitCode !== undefined && exitCode !== 0)
        found.push({
          code: "exit_code_contradicts",
          message: `${label} succeeded, yet its exit code is ${exitCode}.`,
          exitCode,
        })
      const slack = limits.clockSlackSeconds * 1000
      if (Date.parse(reportedAt) > Date.parse(at) + slack)
        found.push({
          code: "reported_in_future",
          message: `${reportedAt} is in the future: the server's time is ${at}.`,
          reportedAt,
        })
      if (Date.parse(reportedAt) < Date.parse(registeredAt) - slack)
        found.push({
          code: "reported_before_registration",
          message: `${reportedAt} is before ${label} was registered, at ${registeredAt}.`,
          reportedAt,
          registeredAt,
        })
      for (const { outputLabel, digest, materialId } of outputs) {
        if (materialId === undefined) continue
        const promised = materials.place(materialId)?.digest
        if (!promised || promised === digest) continue
        const message = `Output ${outputLabel} has another digest than the material it names.`
        found.push({ code: "output_differs_from_material", message, outputLabel, materialId })
      }
      const plan = cost === undefined || planId === null ? undefined : plans.foundation(planId)
      const over = plan === undefined ? [] : overBudget(costs.ofPlan(plan.planId))
      if (plan !== undefined && over.length > 0)
        found.push({
          code: "over_budget",
          message: `The attempts of ${plan.label} are over its budget: ${over.join(", ")}.`,
          plan: { planId: plan.planId, label: plan.label, ...fromOtherRoom(plan.roomId, roomId) },
        })
      return found
    },
    report_experiment_status({ body: { experimentId, status, summary }, roomId }) {
      if (status !== "completed") return []
      const said = unresolved({ roomId, experimentIds: [experimentId] }, { "/summary": summary })
      if (anyAttempt.get(experimentId) !== undefined) return said
      return [
        { code: "completed_without_attempt", message: "It is completed without an attempt.", experimentId },
        ...said,
      ]
    },
    link_experiment_finding({ body: { experimentId, findingVersionId, attemptId, towardHypothesis }, roomId }) {
      const addressed = experiments.hypothesesOf(experimentId)
      const producing = attemptId === undefined ? undefined : attempts.find(attemptId)
      const isNamed = producing === undefined || findings.roleOf(findingVersionId, producing.attemptId) !== undefined
      return [
        ...(isNamed
          ? []
          : [
              {
                code: "attempt_not_named",
                message: `The finding does not name ${producing.label}.`,
                ...shown(producing, roomId),
              } as const,
            ]),
        ...towardHypothesis
          .filter(({ versionId }) => !addressed.includes(versionId))
          .map(({ versionId }) => {
            const message = "The link has a verdict toward a hypothesis that the experiment does not address."
            return { code: "hypothesis_not_addressed", message, versionId } as const
          }),
      ]
    },
    post_research_checkpoint({ result: { supersedesCheckpointId }, body, id, roomId }) {
      const earlier =
        typeof supersedesCheckpointId === "string" ? checkpoints.read(supersedesCheckpointId)?.checkpoint : undefined
      const { conclusion, answer, synthesis, citations } = body
      const texts = { "/conclusion": conclusion, "/answer": answer, "/synthesis": synthesis }
      const found: Warning[] = unresolved({ roomId, versionIds: citations, checkpointId: id }, texts)
      if (earlier === undefined) return found
      const { checkpointId } = earlier
      if (earlier.coversThrough > body.coversThrough)
        found.push({
          code: "covers_less",
          message:
            `It covers the Thread through ${body.coversThrough}, the previous checkpoint ` +
            `through ${earlier.coversThrough}.`,
          checkpointId,
        })
      if (earlier.state === "concluded" && body.state === "open")
        found.push({
          code: "reopens_conclusion",
          message: "It reopens what the previous checkpoint concluded.",
          checkpointId,
        })
      return found
    },
  }

  return {
    /**
     * Returns the warnings about a write after its rows are stored: its own first, then those about the objects it
     * names.
     */
    of(name: OperationName, { body }: Operation, written: Written<unknown>): readonly Warning[] {
      const own = (advisers[name] as ((written: Written<unknown>) => readonly Warning[]) | undefined)?.(written) ?? []
      const named = namedIn(body, written.body).filter(({ refers }) => !refers.isSubject)
      if (named.length === 0) return own
      const of = (kinds: readonly string[]) =>
        named.filter(({ refers }) => kindsIn(refers).some((kind) => kinds.includes(kind))).map(({ id }) => id)
      const records = of(enumerations.recordKind)
      const used = of(["material"])
      return eachOnce([
        ...own,
        ...(records.length === 0 ? [] : namesFallen(records, written.roomId)),
        ...namesMaterials(used, written.roomId),
      ])
    },
  }
}

/** Adds warnings to the receipts of what is written about records, experiments, attempts and materials. */
export function adviceStep(tables: Tables): FollowingStep {
  const advice = warnings(tables)
  const advised = researchWrites.filter((name) => name !== "post_message")
  return following(
    advised,
    ({ operation, call, subject, change, outcome: { target, result } }) =>
      advice.of(operation, call.operation, {
        body: call.body,
        id: target.id,
        roomId: subject.roomId ?? "",
        at: change.at,
        result,
      }),
    { isAdvice: true },
  )
}

export const domain = {
  steps: [adviceStep],
} satisfies Domain
