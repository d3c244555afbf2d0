/**
 * Recomputes effects when their attempts report more or correct themselves, stores the new figures, and recounts the
 * reproductions of these effects; and says what became of effects.
 */
import { canonicalJson, parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import { Refusal } from "../../contract/refusals.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import type { Recount } from "../evidence/evidence.ts"
import {
  type RepeatedEffects,
  verdictOn,
  type Effect,
  type Figures,
  isFault,
  type Named,
  type WorkingOut,
} from "./working-out.ts"
import { judgementOf, repeatsOf, shownRepeat } from "./effect-reproductions.ts"
import { estimateInWords } from "./in-words.ts"

interface Row {
  readonly holderId: string
  readonly position: number
  readonly effect: Stored<Effect>
  readonly figures: Stored<Figures | null>
  readonly named: Stored<Named>
}
/** Each effect once, in order. */
const once = <R extends Row>(rows: readonly R[]): R[] => [
  ...new Map(rows.map((row) => [`${row.holderId} ${row.position}`, row])).values(),
]

/** Whether two figures agree. A value without a partner does not change a paired difference. */
const isSame = (one: Figures | null, other: Figures | null): boolean =>
  one === null || other === null
    ? one === other
    : one.estimate === other.estimate && one.low === other.low && one.high === other.high && one.pairs === other.pairs

/** The attempts that a finding names, as the JSON of `Named`. */
const NAMED = `(SELECT json_object('attemptIds', json_group_array(n.attempt_id) FILTER (WHERE n.role = 'producing'),
    'baselineAttemptIds', json_group_array(n.attempt_id) FILTER (WHERE n.role = 'baseline'))
  FROM finding_attempts n WHERE n.version_id = f.version_id)`
/**
 * The effects of a reproduction: the contrasts that it repeats, computed from its own attempt and those that it names.
 */
const OF_REPRODUCTION = `SELECT x.attempt_id AS holderId, x.position, x.figures, x.shown, x.repeats_id AS repeatsId,
    iif(x.shown -> '$.pool' IS NULL, json_set(f.effect, '$.experimentId', a.experiment_id),
      json_set(f.effect, '$.experimentId', a.experiment_id, '$.pool', json(x.shown -> '$.pool'))) AS effect,
    json_object('attemptIds', json_array(x.attempt_id),
      'baselineAttemptIds', json(coalesce(x.shown -> '$.attemptIds', '[]'))) AS named,
    x.repeats_position AS repeatsPosition
  FROM reproduction_effects x JOIN attempts a ON a.attempt_id = x.attempt_id
  JOIN finding_effects f ON f.version_id = x.repeats_id AND f.position = x.repeats_position`

interface Repeating extends Row {
  readonly repeatsId: string
  readonly repeatsPosition: number
  /** What the answer of a reproduction tells of it; null for an effect of a finding. */
  readonly shown: Stored<ReturnType<typeof shownRepeat>> | null
}

export type MovedEffects = ReturnType<typeof movedEffects>

export interface Moving {
  readonly attemptId: string
  readonly label: string
  readonly status: string
}
/** A report that effects may rest on. */
type Reported = Pick<BodyOf<"report_attempt_event">, "event" | "metrics" | "corrects" | "reproduction">

/** Effects that a write adds to those that rest on attempts. */
export interface Added {
  readonly attemptIds: readonly string[]
  /** The findings whose effects they repeat. */
  readonly repeats: readonly string[]
  readonly effects: number
  /** Counts the values that they are worked out from. */
  readonly values: () => number
}
/** A finding or a reproduction whose effect would be worked out again, and from how many values. */
interface Resting {
  readonly holderId: string
  readonly amount: number
}

/** The metrics that a report adds to or corrects, and some others, as JSON. */
const metricsOf = ({ metrics = [], corrects = [] }: Reported, others: readonly { readonly name: string }[] = []) =>
  JSON.stringify([
    ...new Set([...[...metrics, ...others].map(({ name }) => name), ...corrects.map(({ metric }) => metric)]),
  ])

const most = limits.movedEffects

export function movedEffects(db: Db, workedOut: WorkingOut, repeated: RepeatedEffects) {
  const store = inserting(db, "moved_effects", { onConflict: "DO UPDATE SET now = excluded.now" })
  const remove = db.prepare("DELETE FROM moved_effects WHERE holder_id = +? AND position = +?")
  const show = db.prepare("UPDATE reproduction_effects SET shown = +? WHERE attempt_id = +? AND position = +?")
  const current = db.prepare<{ now: Stored<Figures> | null }>(
    "SELECT now FROM moved_effects WHERE holder_id = +? AND position = +?",
  )
  /** The effects that rest on an attempt. */
  const RESTING = `(SELECT version_id
       FROM finding_attempts
       WHERE attempt_id = +? AND role <> 'evidence'
       ORDER BY version_id
       LIMIT ${limits.groundsFollowed}) t
     CROSS JOIN finding_effects f ON f.version_id = t.version_id`
  const OF_METRICS = "f.effect ->> '$.metric' IN (SELECT value FROM json_each(+?))"
  const SELECTED = `SELECT f.version_id AS holderId, f.position, f.effect, f.figures, ${NAMED} AS named FROM ${RESTING}`
  const resting = db.prepare<Row>(`${SELECTED} ORDER BY f.version_id, f.position`)
  const restingOnMetrics = db.prepare<Row>(`${SELECTED} WHERE ${OF_METRICS} ORDER BY f.version_id, f.position`)
  // Eight bytes a value. Their length is known without reading them.
  const AMOUNT = "coalesce(sum(length(v.told)), 0) / 8"
  const OF_FINDING = `SELECT f.version_id AS holderId, (SELECT ${AMOUNT}
        FROM finding_attempts n
        CROSS JOIN attempt_values v ON v.attempt_id = n.attempt_id AND v.name = f.effect ->> '$.metric'
        WHERE n.version_id = f.version_id AND n.role <> 'evidence') AS amount`
  const amounts = db.prepare<Resting>(`${OF_FINDING} FROM ${RESTING} WHERE ${OF_METRICS} LIMIT ${most + 1}`)
  const amountsOfPlans = db.prepare<Resting>(
    `WITH following AS MATERIALIZED (SELECT a.attempt_id
       FROM json_each(+?) j
       CROSS JOIN plans n ON n.plan_id = j.value
       CROSS JOIN attempts a ON a.experiment_id = n.experiment_id AND a.plan_id = n.plan_id)
     ${OF_FINDING}
     FROM (SELECT DISTINCT t.version_id
       FROM following
       CROSS JOIN finding_attempts t USING (attempt_id)
       WHERE t.role <> 'evidence') t
     CROSS JOIN finding_effects f ON f.version_id = t.version_id
     UNION ALL SELECT x.attempt_id, (SELECT ${AMOUNT}
        FROM json_each(json_insert(coalesce(x.shown -> '$.attemptIds', '[]'), '$[#]', x.attempt_id)) n
        CROSS JOIN attempt_values v ON v.attempt_id = n.value AND v.name = f.effect ->> '$.metric')
     FROM following
     CROSS JOIN reproduction_effects x USING (attempt_id)
     JOIN finding_effects f ON f.version_id = x.repeats_id AND f.position = x.repeats_position
     LIMIT ${most + 1}`,
  )
  /** The plans still sealed that attempts follow: these attempts, and those that findings name. */
  const sealedPlans = db.prepare<{ planId: string; label: string; isOwn: number }>(
    `SELECT n.plan_id AS planId, n.label, max(o.is_own) AS isOwn
     FROM (SELECT a.plan_id, 1 AS is_own FROM json_each(+?) j CROSS JOIN attempts a ON a.attempt_id = j.value
       UNION ALL SELECT a.plan_id, 0
       FROM json_each(+?) j
       CROSS JOIN finding_attempts t ON t.version_id = j.value AND t.role <> 'evidence'
       CROSS JOIN attempts a ON a.attempt_id = t.attempt_id) o
     JOIN plans n ON n.plan_id = o.plan_id
     WHERE n.opens_at IS NOT NULL AND n.opened_position IS NULL
     GROUP BY n.plan_id`,
  )
  const reported = db.prepare<{ name: string }>("SELECT DISTINCT name FROM attempt_values WHERE attempt_id = +?")
  const REPEATING_OF = (table: string) =>
    `(SELECT count(*) FROM json_each(+?) j CROSS JOIN ${table} r ON r.repeats_id = j.value)`
  const repeats = db.prepare<{ count: number }>(
    `SELECT ${REPEATING_OF("finding_effects")} + ${REPEATING_OF("reproduction_effects")} AS count`,
  )
  const ownReproduction = db.prepare<Repeating>(`${OF_REPRODUCTION} WHERE x.attempt_id = +? ORDER BY x.position`)
  const reproductionsOf = db.prepare<Repeating>(
    `${OF_REPRODUCTION} WHERE x.repeats_id = +? ORDER BY x.attempt_id, x.position LIMIT ${limits.groundsFollowed}`,
  )
  const REPEATING = `SELECT f.version_id AS holderId, f.position, f.effect, f.figures, ${NAMED} AS named, NULL AS shown,
     f.repeats_id AS repeatsId, f.repeats_position AS repeatsPosition FROM finding_effects f`
  const ofFinding = db.prepare<Repeating>(
    `${REPEATING} WHERE f.version_id = +? AND f.repeats_id IS NOT NULL ORDER BY f.position`,
  )
  const repeatingOf = db.prepare<Repeating>(
    `${REPEATING} WHERE f.repeats_id = +? ORDER BY f.version_id, f.position LIMIT ${limits.groundsFollowed}`,
  )

  const nowOf = ({ holderId, position, figures }: Row): Figures | null => {
    const moved = current.get(holderId, position)
    return moved === undefined ? parse(figures) : moved.now === null ? null : parse(moved.now)
  }

  /** Recomputes an effect. @returns whether its figures changed */
  function recompute(row: Row): boolean {
    const found = workedOut(parse(row.effect), parse(row.named))
    const now = isFault(found) ? null : found.figures
    const hasChanged = !isSame(now, nowOf(row))
    if (isSame(now, parse(row.figures))) remove.run(row.holderId, row.position)
    else store({ holderId: row.holderId, position: row.position, now: now && canonicalJson(now) })
    return hasChanged
  }

  /** Compares an effect with the one that it repeats, as both are now; what a reproduction tells of it follows. */
  function repetition(row: Repeating) {
    const { holderId, position, repeatsId: versionId, repeatsPosition: effect } = row
    const figures = nowOf(row)
    const found = repeated.repetition(parse(row.effect), figures, { versionId, effect })
    if (row.shown !== null) show.run(canonicalJson(shownRepeat(parse(row.shown), figures, found)), holderId, position)
    return found
  }

  /** The joint verdict of each holder: of a reproduction in all, of a finding on each whose effects it repeats. */
  const recounts = (rows: readonly Repeating[]): Recount[] =>
    [
      ...Map.groupBy(
        rows,
        ({ holderId, repeatsId, shown }) => `${holderId} ${shown === null ? repeatsId : ""}`,
      ).values(),
    ].flatMap((group) => {
      const [row] = group
      const judged = judgementOf(group.map(repetition))
      if (row === undefined || judged === undefined) return []
      const { verdict, sentence: comparison } = judged
      const { holderId: sourceId, repeatsId, shown } = row
      return [{ sourceId, isAttempt: shown !== null, repeatsId, verdict, comparison }]
    })

  /** How many effects are worked out again in this turn, in which writes share a transaction. */
  let spent = 0

  /** How many effects would be worked out again, with those that repeat them, and in words if that is too much. */
  function workOn(found: readonly Resting[], { effects = 0, values = 0 } = {}): { count: number; tooMuch?: string } {
    const amount = found.reduce((sum, each) => sum + each.amount, values)
    const holders = JSON.stringify([...new Set(found.map(({ holderId }) => holderId))])
    const count = effects + found.length + (found.length > most ? 0 : repeats.one(holders, holders).count)
    if (count > most) return { count, tooMuch: `more than ${most} effects` }
    if (amount <= limits.effectValues) return { count }
    const [some, all] = [amount.toLocaleString("en"), limits.effectValues.toLocaleString("en")]
    return { count, tooMuch: `${count} effects from ${some} values, of at most ${all},` }
  }

  function refuse(on: string, path: string, work: string, label: string, remedy: string): never {
    throw new Refusal("invalid_schema", `Too much rests on ${on}. Nothing was stored.`, {
      issues: [{ path, message: `would have ${work} worked out again that rest on ${label}${remedy}` }],
    })
  }

  /** @throws Refusal 503 if these are too many effects beside others of this transaction */
  function spend(count: number): void {
    if (spent > 0 && spent + count > most)
      throw new Refusal(
        "temporarily_unavailable",
        "Other writes of this moment have many effects worked out again too. Nothing was stored. Send it again; " +
          "of a batch, send fewer writes at once.",
        { retryAfter: 1 },
      )
    if (spent === 0 && count > 0) setImmediate(() => (spent = 0))
    spent += count
  }

  /**
   * The opening of a sealed plan has every effect worked out again that rests on its attempts. It is never refused for
   * that, since others could then keep a plan sealed: what would make it too much is refused before.
   * @throws Refusal 422 if too much would rest on plans that are sealed
   */
  function mustLimitEffectsOfSealed({ attemptIds, repeats: others, effects, values }: Added, path: string): void {
    const plans = sealedPlans.all(JSON.stringify(attemptIds), JSON.stringify(others))
    if (plans.length === 0) return
    const found = amountsOfPlans.all(JSON.stringify(plans.map(({ planId }) => planId)))
    // What repeats an effect is only compared with it again.
    const { tooMuch } = workOn(found, { effects, values: plans.some(({ isOwn }) => isOwn === 1) ? values() : 0 })
    const label = plans.map((plan) => plan.label).join(" and ")
    const [named, them] = plans.length > 1 ? ["plans", "them"] : ["plan", "it"]
    if (tooMuch !== undefined) refuse(`the sealed ${named} ${label}`, path, tooMuch, label, `: open ${them} first`)
  }

  return {
    /**
     * Everybody's writes wait while the effects that rest on an attempt's metrics are worked out again.
     * @param values counts those that the effects are worked out from which the report repeats
     * @throws Refusal 422 if that is too much for one report; 503 if it is too much beside others of this transaction
     */
    mustBear({ attemptId, label, status }: Moving, body: Reported, values: () => number): void {
      const isOver = status === "succeeded"
      const metrics = isOver ? metricsOf(body) : metricsOf(body, reported.all(attemptId))
      const found = isOver || body.event === "succeeded" ? amounts.all(attemptId, metrics) : []
      const { count, tooMuch } = workOn(found)
      const path = body.metrics === undefined ? "/corrects" : "/metrics"
      if (tooMuch !== undefined)
        refuse(`these metrics of ${label}`, path, tooMuch, label, ": report it as another attempt")
      const repeating = repeatsOf(body.reproduction)
      if (found.length > 0 || repeating.length > 0)
        mustLimitEffectsOfSealed(
          { attemptIds: [attemptId], repeats: repeating, effects: repeating.length, values },
          repeating.length > 0 ? "/reproduction/repeats" : path,
        )
      spend(count + repeating.length)
    },

    mustLimitEffectsOfSealed,

    /** @throws Refusal 503 if the effects that rest on a sealed plan are too many beside others of this transaction */
    mustWaitItsTurn: (planId: string): void => spend(workOn(amountsOfPlans.all(JSON.stringify([planId]))).count),

    /** The verdicts of a finding on the findings whose effects it repeats. */
    ofFinding: (versionId: string): Recount[] => recounts(ofFinding.all(versionId)),

    /**
     * Recomputes the effects of attempts that succeeded or reported after their end. @param late what one of them
     * reported after its end, which moves nothing but the effects on its metrics @returns the verdicts that may have
     * changed
     */
    moved(attemptIds: readonly string[], late?: Reported): Recount[] {
      const rows = attemptIds.flatMap((id) =>
        late === undefined ? resting.all(id) : restingOnMetrics.all(id, metricsOf(late)),
      )
      const changed = once(rows).filter(recompute)
      const ownOf = (id: string) => ownReproduction.all(id)
      const moving = attemptIds.filter((id) => ownOf(id).filter(recompute).length > 0)
      const findings = [...new Set(changed.map(({ holderId }) => holderId))]
      const repeating = findings.flatMap((id) => [...ofFinding.all(id), ...repeatingOf.all(id)])
      return recounts(
        once([
          ...moving.flatMap(ownOf),
          ...repeating,
          ...findings.flatMap((id) => reproductionsOf.all(id)).flatMap(({ holderId }) => ownOf(holderId)),
        ]),
      )
    },
  }
}

// What became of effects: those that a reproduction does not reproduce, and those whose values moved, in words.

/** The estimate that was published, or is repeated, and the other one; null if there is none. */
export interface ChangedEffect {
  readonly before: string | null
  readonly now: string | null
}

interface RepeatedRow {
  readonly attemptId: string
  readonly versionId: string
  readonly effect: Stored<Effect>
  readonly first: Stored<Figures | null> | null
  readonly own: Stored<Figures | null> | null
}
interface MovedRow {
  readonly versionId: string
  readonly position: number
  readonly effect: Stored<Effect>
  readonly figures: Stored<Figures | null>
  readonly now: Stored<Figures> | null
}

export function changedEffects(db: Db) {
  const repeated = db.prepare<RepeatedRow>(
    `SELECT x.attempt_id AS attemptId, x.repeats_id AS versionId, f.effect,
        iif(m.holder_id IS NULL, f.figures, m.now) AS first, iif(y.holder_id IS NULL, x.figures, y.now) AS own
     FROM json_each(+?)
      CROSS JOIN reproduction_effects x ON x.attempt_id = json_each.value
      JOIN finding_effects f ON f.version_id = x.repeats_id AND f.position = x.repeats_position
      LEFT JOIN moved_effects m ON m.holder_id = f.version_id AND m.position = f.position
      LEFT JOIN moved_effects y ON y.holder_id = x.attempt_id AND y.position = x.position`,
  )
  const moved = db.prepare<MovedRow>(
    `SELECT f.version_id AS versionId, f.position, f.effect, f.figures, m.now
     FROM json_each(+?)
      CROSS JOIN moved_effects m ON m.holder_id = json_each.value
      JOIN finding_effects f ON f.version_id = m.holder_id AND f.position = m.position`,
  )
  const inWords = (effect: Effect, figures: Figures | null): string | null =>
    figures && estimateInWords(effect, figures)

  return {
    /** The first effect of each finding that some attempts do not reproduce, and what they found. */
    failedOf(attemptIds: readonly string[]): (attemptId: string, versionId: string) => ChangedEffect | undefined {
      const found = new Map<string, ChangedEffect>()
      for (const row of attemptIds.length === 0 ? [] : repeated.all(JSON.stringify(attemptIds))) {
        const [effect, first, own] = [parse(row.effect), row.first && parse(row.first), row.own && parse(row.own)]
        if (first === null || own === null || verdictOn(own, first, effect.within) !== "does_not_reproduce") continue
        const key = `${row.attemptId} ${row.versionId}`
        if (!found.has(key)) found.set(key, { before: inWords(effect, first), now: inWords(effect, own) })
      }
      return (attemptId, versionId) => found.get(`${attemptId} ${versionId}`)
    },

    /** The effects of some findings whose values moved. @param ids a JSON list of their ids */
    movedOf(ids: string): (versionId: string, position: number) => ChangedEffect | undefined {
      const found = new Map(
        moved.all(ids).map((row) => {
          const effect = parse(row.effect)
          const change = {
            before: inWords(effect, parse(row.figures)),
            now: inWords(effect, row.now && parse(row.now)),
          }
          return [`${row.versionId} ${row.position}`, change]
        }),
      )
      return (versionId, position) => found.get(`${versionId} ${position}`)
    },
  }
}
