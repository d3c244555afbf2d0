/**
 * Accepted plans: their seals (a digest commits to a protocol before it is published), their rows, what they cost, and
 * how an attempt that follows one is compared with it.
 */
import type { Author } from "../../contract/answers/parts.ts"
import { canonicalJson, digestOf, JsonText, parse, type Stored } from "../../contract/json.ts"
import type { Reviewed } from "../../contract/nouns/reviews.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Cost, Costs, CostTotals } from "../../contract/answers/costs.ts"
import type { ExperimentAnswer } from "../../contract/nouns/experiments.ts"
import { Refusal } from "../../contract/refusals.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting, type NewRow } from "../../ledger/storage/inserting.ts"
import type { Made } from "../../ledger/journal/behaviour.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { withheldSince } from "../../ledger/journal/withheld-words.ts"
import { REVIEWED } from "../reviews/reviews.ts"
import { AUTHOR, authored } from "../../ledger/journal/actor.ts"
import { addressOf } from "../../contract/definitions/work.ts"
import type { AttemptSummary } from "../../contract/nouns/attempt-answers.ts"

const YEAR = 366 * 24 * 60 * 60 * 1_000

/** Returns the digest of the canonical JSON of a protocol and its salt (protocol, section 14). */
export const sealOf = ({ protocol, salt }: Pick<BodyOf<"open_plan">, "protocol" | "salt">): string =>
  digestOf(canonicalJson({ protocol, salt }))

const refuse = (message: string, path: string, rule: string): never => {
  throw new Refusal("invalid_schema", message, { issues: [{ path, message: rule }] })
}

/**
 * @param at the time of the write @throws Refusal `invalid_schema` if a sealed plan shows its protocol, or does not
 * open within a year
 */
export function mustSealInTime(
  { protocol, sealed }: Pick<BodyOf<"accept_plan">, "protocol" | "sealed">,
  at: string,
): void {
  if (sealed === undefined) return
  if (protocol !== undefined)
    refuse("A sealed plan does not show its protocol.", "/protocol", "must be left out of a sealed plan")
  const wait = Date.parse(sealed.opensAt) - Date.parse(at)
  if (wait <= 0 || wait > YEAR)
    refuse("A sealed plan opens within a year.", "/sealed/opensAt", "must be in the future, and within a year")
}

/** @throws Refusal `invalid_schema` if a plan asks for repeats of an arm that it does not have */
export function mustRepeatAnArm({ protocol }: Pick<BodyOf<"accept_plan">, "protocol">): void {
  const asked = protocol?.baselineRepeats
  if (asked !== undefined && !protocol?.arms.some(({ name }) => name === asked.arm))
    refuse("The plan has no such arm.", "/protocol/baselineRepeats/arm", "must be the name of one of its arms")
}

/** @throws Refusal `invalid_schema` if this is not the protocol that was sealed */
export function mustMatchSeal(opened: Pick<BodyOf<"open_plan">, "protocol" | "salt">, digest: string): void {
  const actual = sealOf(opened)
  if (actual !== digest)
    refuse(
      "This is not the protocol that was sealed.",
      "/protocol",
      `and salt give ${actual}, and the plan was sealed with ${digest}: each character counts`,
    )
}

export interface NewPlan extends Omit<NewRow<"plans">, "acceptedBy" | "acceptedAt" | "budget">, Made {
  readonly budget?: Cost
  readonly requiredMaterials: readonly { readonly materialId: string; readonly purpose: string }[]
}

/** A plan as it was accepted. */
export type PlanContent = Pick<
  BodyOf<"accept_plan">,
  "repository" | "protocol" | "sealed" | "hypotheses" | "premises" | "requiredMaterials"
>
/** The body of the write that opened a sealed plan. */
type Opening = Pick<BodyOf<"open_plan">, "protocol" | "salt">

/** A plan without its content. */
type Shown = ExperimentAnswer["acceptedPlans"][number]
type Row = Omit<Shown, "acceptedBy" | "reviewed" | "budget" | "sealed"> &
  Author & {
    readonly reviewed: Stored<Reviewed> | null
    readonly budget: Stored<Cost> | null
    readonly sealed: Stored<NonNullable<PlanContent["sealed"]>> | null
    readonly openedAt: string | null
  }
interface Whole extends Row {
  readonly content: Stored<PlanContent>
  readonly openedPosition: number | null
  readonly opening: Stored<Opening> | null
}

const protocolOf = (opening: Stored<Opening>) => ({ protocol: parse(opening).protocol })

export type Plans = ReturnType<typeof plans>

/** @param now milliseconds since 1970 */
export function plans(db: Db, now = Date.now) {
  function shown(whole: Row): Shown {
    const { author: acceptedBy, reviewed, budget, sealed, openedAt, ...row } = authored(whole)
    const seal = sealed && parse(sealed)
    return {
      ...row,
      acceptedBy,
      sealed: seal && { ...seal, openedAt, overdue: openedAt === null && Date.parse(seal.opensAt) <= now() },
      budget: budget && parse(budget),
      reviewed: reviewed === null ? null : parse(reviewed),
    }
  }
  const insert = inserting(db, "plans")
  const insertMaterial = inserting(db, "plan_materials")
  const COLUMNS = `n.plan_id AS planId, n.label, n.experiment_id AS experimentId, e.label AS experimentLabel,
      n.room_id AS roomId,
    n.thread_id AS threadId, n.entry_id AS entryId, n.accepted_at AS acceptedAt, n.content_digest AS contentDigest,
      ${AUTHOR("n")},
    n.budget, ${contentOf("n")} -> '$.sealed' AS sealed,
      (SELECT o.at FROM journal o WHERE o.position = n.opened_position) AS openedAt,
      ${REVIEWED("n.plan_id")} AS reviewed`
  const TABLES = `plans n
    JOIN people p ON p.user_id = n.accepted_by JOIN experiments e ON e.experiment_id = n.experiment_id`
  const one = db.prepare<Whole>(`SELECT ${COLUMNS}, ${contentOf("n")} AS content, n.opened_position AS openedPosition,
    (SELECT o.content FROM journal o WHERE o.position = n.opened_position) AS opening
    FROM ${TABLES}
    WHERE n.plan_id = +?`)
  const ofExperiment = db.prepare<Row>(`SELECT ${COLUMNS} FROM ${TABLES} WHERE n.experiment_id = +? ORDER BY n.plan_id`)

  const markOpened = db.prepare("UPDATE plans SET opened_position = +? WHERE plan_id = +?")
  const isWithheldSince = withheldSince(db)
  const foundation = db.prepare<
    Pick<Row, "planId" | "label" | "roomId"> & {
      readonly position: number
      readonly hypotheses: Stored<string[]>
      readonly premises: Stored<PlanContent["premises"]>
    }
  >(
    `SELECT n.plan_id AS planId, n.label, n.room_id AS roomId, n.history_position AS position,
       h.content -> '$.hypotheses' AS hypotheses, h.content -> '$.premises' AS premises
     FROM plans n JOIN journal h ON h.position = n.history_position WHERE n.plan_id = +?`,
  )

  return {
    insert(plan: NewPlan): void {
      const { planId, authorId, at, budget } = plan
      insert({ ...plan, acceptedBy: authorId, acceptedAt: at, budget: budget && JSON.stringify(budget) })
      plan.requiredMaterials.forEach(({ materialId, purpose }, position) =>
        insertMaterial({ planId, position, materialId, purpose }),
      )
    },
    /** Returns a plan to compare with; undefined if there is none, or it belongs to another experiment. */
    contentOf(planId: string, experimentId: string): PlanContent | undefined {
      const row = one.get(planId)
      return row?.experimentId === experimentId
        ? { ...parse(row.content), ...(row.opening && protocolOf(row.opening)) }
        : undefined
    },
    /** Marks a sealed plan as opened. @param position the write's position in the journal */
    open: (planId: string, position: number): void => void markOpened.run(position, planId),
    /** Returns the hypotheses and premises of a plan. */
    foundation(planId: string) {
      const row = foundation.get(planId)
      return row && { ...row, hypotheses: parse(row.hypotheses), premises: parse(row.premises) }
    },
    read(planId: string) {
      const row = one.get(planId)
      if (row === undefined) return undefined
      const { content, opening, openedPosition, ...rest } = row
      const parsed = parse(content)
      const opened = opening && parse(opening)
      const isWhole = openedPosition !== null && isWithheldSince(openedPosition, "/protocol*", [planId]) === 0
      return {
        shown: shown(rest),
        content: new JsonText(content),
        parsed,
        protocol: opened?.protocol ?? parsed.protocol ?? null,
        protocolMatchesSeal:
          opened === null || !isWhole || parsed.sealed === undefined ? null : sealOf(opened) === parsed.sealed.digest,
      }
    },
    /** Returns the plans of an experiment in the order they were accepted. */
    of: (experimentId: string) => ofExperiment.all(experimentId).map(shown),
  }
}

// Sums the reported costs of attempts and the budgets of plans, for an experiment, a plan or a Room.

interface CostRow extends Omit<CostTotals, "money"> {
  readonly count: number
  readonly money: Stored<CostTotals["money"]>
}
/** The column by which attempts and plans are selected. */
type Of = "experiment_id" | "room_id" | "plan_id"

/** SQLite's sum() compensates rounding errors, so the order of rows does not matter. */
const sum = (table: "attempts" | "plans", column: "cost" | "budget", of: Of): string =>
  `WITH costs AS (SELECT ${column} AS c FROM ${table} WHERE ${of} = +? AND ${column} IS NOT NULL)
   SELECT count(*) AS count, sum(c ->> '$.gpuHours') AS gpuHours, sum(c ->> '$.tokens') AS tokens,
      sum(c ->> '$.wallSeconds') AS wallSeconds,
     (SELECT json_group_array(json_object('currency', currency, 'amount', amount)) FROM (
       SELECT c ->> '$.money.currency' AS currency, sum(c ->> '$.money.amount') AS amount
       FROM costs
       WHERE c -> '$.money' IS NOT NULL
       GROUP BY 1
       ORDER BY 1)) AS money
   FROM costs`

export type CostSums = ReturnType<typeof costSums>

export function costSums(db: Db) {
  function summing(of: Of): (id: string) => Costs {
    const spent = db.prepare<CostRow>(sum("attempts", "cost", of))
    const allowed = db.prepare<CostRow>(sum("plans", "budget", of))
    return (id) => {
      const { count: attempts, ...cost } = spent.one(id)
      const { count: plans, ...budget } = allowed.one(id)
      return {
        attempts,
        spent: { ...cost, money: parse(cost.money) },
        plans,
        budget: { ...budget, money: parse(budget.money) },
      }
    }
  }
  return { ofExperiment: summing("experiment_id"), ofRoom: summing("room_id"), ofPlan: summing("plan_id") }
}

// Compares a registration with its plan: at registration, and again when a sealed plan is opened.

/** The parts of a registration that are compared. */
export type Registered = Pick<BodyOf<"register_attempt">, "repository" | "argv" | "configuration"> & {
  readonly inputs: readonly { readonly materialId: string }[]
}
export type PlanMatch = NonNullable<AttemptSummary["planMatch"]>
type Deviations = PlanMatch["deviations"]

const same = (one: unknown, other: unknown) => canonicalJson(one ?? null) === canonicalJson(other ?? null)

const sameArgv = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((word, index) => word === other[index])

const departing = (departs: boolean, field: string, planned: unknown, registered: unknown): Deviations =>
  departs ? [{ field, planned, registered }] : []

const configurationDeviations = (
  planned: Registered["configuration"],
  registered: Registered["configuration"],
): Deviations =>
  Object.keys(planned)
    .filter((name) => !Object.hasOwn(registered, name) || !same(planned[name], registered[name]))
    .map((name) => ({
      field: `configuration/${name}`,
      planned: planned[name] ?? null,
      registered: registered[name] ?? null,
    }))

type Arms = NonNullable<PlanMatch["arms"]>

/** The words of a command: lists apart at their commas, and an option by its name without a final "s". */
const wordsOf = (argv: readonly string[]): string[] =>
  argv
    .flatMap((each) => each.split(/[=,]/))
    .filter((each) => each !== "")
    .map((each) => (each.startsWith("-") ? each.toLowerCase().replace(/s$/, "") : each))

type PlannedArms = readonly { readonly name: string; readonly argv: readonly string[] }[]

/** The words of each arm, those of its own, and those that every arm has. */
function readArms(planned: PlannedArms) {
  const arms = planned.map(({ name, argv }) => ({ name, words: wordsOf(argv) }))
  const sets = arms.map(({ words }) => new Set(words))
  const common = new Set((arms[0]?.words ?? []).filter((word) => sets.every((words) => words.has(word))))
  return { common, arms: arms.map((arm) => ({ ...arm, own: arm.words.filter((word) => !common.has(word)) })) }
}
/** A plan that is opened is compared with all its attempts. */
const alreadyRead = new WeakMap<PlannedArms, ReturnType<typeof readArms>>()

/**
 * Compares one run of several arms with the arms that it covers: those whose own words, which not every arm has, it
 * names. Undefined if it covers fewer than two.
 */
function armsOf(planned: PlannedArms, argv: readonly string[]) {
  const { arms, common } = alreadyRead.getOrInsertComputed(planned, () => readArms(planned))
  const run = new Set(wordsOf(argv))
  const isCovered = ({ own }: (typeof arms)[number]) => own.length > 0 && own.every((word) => run.has(word))
  const covered = arms.filter(isCovered)
  const missing = arms.filter((arm) => !isCovered(arm))
  if (covered.length < 2) return undefined
  const known = new Set(covered.flatMap(({ words }) => words))
  const found: Arms = {
    covers: covered.map(({ name }) => name),
    missing: missing.map(({ name }) => name),
    added: [...run].filter((word) => !known.has(word)),
  }
  return { arms: found, isWhole: run.isSupersetOf(common) && found.added.length === 0 }
}

/** Compares a registration with its plan, including arms; with a sealed plan, only with what it shows. */
export function planMatch(planId: string, plan: PlanContent, registered: Registered): PlanMatch {
  const { entrypoint, arms = [], configuration = {} } = plan.protocol ?? {}
  const argvMatches = entrypoint !== undefined && sameArgv(entrypoint.argv, registered.argv)
  const argvComparedWith = argvMatches
    ? "entrypoint"
    : (arms.find(({ argv }) => sameArgv(argv, registered.argv))?.name ?? null)
  const namesArgv = entrypoint !== undefined || arms.length > 0
  const several = argvComparedWith === null ? armsOf(arms, registered.argv) : undefined
  const argvMatchesPlan = namesArgv ? argvComparedWith !== null || several?.isWhole === true : null

  const [pinned, run] = [plan.repository, registered.repository]
  const urlMatches = addressOf(pinned) === addressOf(run)
  const commitMatches = pinned.commit === run.commit
  const inputs = new Set(registered.inputs.map(({ materialId }) => materialId))
  const missing = plan.requiredMaterials.filter(({ materialId }) => !inputs.has(materialId))

  const deviations: Deviations = [
    ...departing(!urlMatches, "repository/url", pinned.url, run.url),
    ...departing(!commitMatches, "repository/commit", pinned.commit, run.commit),
    ...departing(argvMatchesPlan === false, "argv", entrypoint?.argv ?? arms.map(({ argv }) => argv), registered.argv),
    ...missing.map(({ materialId }) => ({ field: "inputs", planned: materialId, registered: null })),
    ...configurationDeviations(configuration, registered.configuration),
  ]
  return {
    planId,
    repositoryMatchesPlan: urlMatches,
    commitMatchesPlan: urlMatches && commitMatches,
    argvMatchesPlan,
    argvComparedWith: argvComparedWith ?? several?.arms.covers.join(", ") ?? null,
    argvMatches,
    materialsMatchPlan: missing.length === 0,
    ...(several && { arms: several.arms }),
    deviations,
  }
}
