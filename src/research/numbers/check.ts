/** Checks the numbers, labels and papers of a text against a Room. */
import type { CheckedNumber, CheckedText } from "../../contract/answers/numbers.ts"
import { parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { LabelledKind } from "../../contract/objects/objects.ts"
import type { RecordStatus } from "../../contract/schema/enumerations.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import type { Labels } from "../../ledger/lists/labelled.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { Effect, Figures as EffectFigures } from "../measurements/working-out.ts"
import { onForget, Remembered } from "../../ledger/storage/caches.ts"
import type { KeptTables } from "../measurements/kept-tables.ts"
import type { Values } from "../measurements/values.ts"
import { Passages } from "./bindings.ts"
import { forgetPhrases, type Quantities, type Holder } from "./quantities.ts"
import { type Kept, NEAR, REACH, type Reach, reaching, tableSources, formerly } from "./sources.ts"
import { numeralsIn, readsOtherwise } from "./numerals.ts"
import { presentOf, type Resolved } from "./matches.ts"
import { Resolver } from "./resolving.ts"
import type { Known, KnownEffect, Own, Point } from "./scope.ts"

/** Quantities of Rooms, and checked texts, kept for the next time. */
const [KEPT, TEXTS] = [4, 1_000]
/** Rooms whose states are kept. */
const ROOMS = 50
/** Characters of a text that states numbers of its own, such as a plan. */
const STATED = 20_000
const EFFECTS = 2_000
/** Steps of curves that are looked up for a text. */
const STEPS = 50

/** What a text belongs to, and how far the quantities reach that it is checked against. */
export interface Context {
  readonly roomId: string
  /** Findings and other records whose attempts and effects are the text's own. */
  readonly versionIds?: readonly string[]
  readonly attemptIds?: readonly string[]
  readonly experimentIds?: readonly string[]
  readonly planIds?: readonly string[]
  /** The checkpoint whose table the text rests on. */
  readonly checkpointId?: string
  /** When the text was written: a number that held then and does not now has moved. */
  readonly since?: string
}

interface EffectRow {
  readonly versionId: string
  readonly label: string
  readonly effect: Stored<Effect>
  readonly figures: Stored<EffectFigures | null>
  readonly hasMoved: number
  readonly now: Stored<EffectFigures> | null
}

export type Checking = ReturnType<typeof checking>

export function checking(db: Db, values: Values, labelled: Labels, keptTables: Pick<KeptTables, "shown">) {
  const effectSince = db.prepare("SELECT 1 FROM finding_effects WHERE version_id >= +? LIMIT 1")
  const EFFECT = `SELECT f.version_id AS versionId, r.label, f.effect, f.figures,
       m.holder_id IS NOT NULL AS hasMoved, m.now
     FROM records r JOIN finding_effects f ON f.version_id = r.version_id
     LEFT JOIN moved_effects m ON m.holder_id = f.version_id AND m.position = f.position
     WHERE r.room_id = +? AND r.kind = 'finding'`
  const NEWEST = `ORDER BY r.version_id DESC, f.position LIMIT ${EFFECTS}`
  const effectsOf = db.prepare<EffectRow>(`${EFFECT} AND r.version_id >= +? ${NEWEST}`)
  const effectsAmong = db.prepare<EffectRow>(
    `${EFFECT} AND r.version_id IN (SELECT value FROM json_each(+?)) ${NEWEST}`,
  )
  const findingBefore = db.prepare<{ versionId: string }>(
    `SELECT version_id AS versionId FROM records WHERE room_id = +? AND kind = 'finding'
     ORDER BY version_id DESC LIMIT 1 OFFSET +?`,
  )
  const attemptsOfFinding = db.prepare<{ attemptId: string; experimentId: string; role: string }>(
    `SELECT t.attempt_id AS attemptId, a.experiment_id AS experimentId, t.role
     FROM finding_attempts t JOIN attempts a USING (attempt_id) WHERE t.version_id = +?`,
  )
  const attemptsOfPlan = db.prepare<{ attemptId: string; experimentId: string }>(
    "SELECT attempt_id AS attemptId, experiment_id AS experimentId FROM attempts WHERE plan_id = +? LIMIT 10000",
  )
  const attemptsOfExperiment = db.prepare<{ attemptId: string }>(
    "SELECT attempt_id AS attemptId FROM attempts WHERE experiment_id = +? LIMIT 10000",
  )
  const planOfFinding = db.prepare<{ planId: string | null }>(
    "SELECT plan_id AS planId FROM findings WHERE version_id = +?",
  )
  const planText = db.prepare<{ label: string; text: string }>(
    `SELECT n.label, substr(${contentOf("n")}, 1, ${STATED}) AS text FROM plans n WHERE n.plan_id = +?`,
  )
  const predicted = db.prepare<{ label: string; text: string }>(
    "SELECT label, wording AS text FROM records WHERE version_id = +? AND kind <> 'finding'",
  )
  const wording = db.prepare<{ text: string }>("SELECT wording AS text FROM records WHERE version_id = +?")
  const experimentText = db.prepare<{ text: string }>(
    `SELECT substr(${contentOf("v")}, 1, ${STATED}) AS text FROM experiment_revisions v
     WHERE v.experiment_id = +? ORDER BY v.revision DESC LIMIT 1`,
  )
  const statusOf = db.prepare<{ status: RecordStatus }>("SELECT status FROM standings WHERE version_id = +?")
  const filed = db.prepare<{ arxivId: string }>(
    `SELECT DISTINCT p.arxiv_id AS arxivId FROM json_each(+?) j JOIN record_papers p ON p.arxiv_id = j.value
     JOIN records r ON r.version_id = p.version_id WHERE r.room_id = +?`,
  )
  const recordCount = db.prepare<{ count: number }>(
    "SELECT count(*) AS count FROM records WHERE room_id = +? AND kind = +?",
  )
  const experimentCount = db.prepare<{ count: number }>("SELECT count(*) AS count FROM experiments WHERE room_id = +?")

  const points = db.prepare<Omit<Point, "value"> & { readonly value: Stored<number | string> }>(
    `SELECT name, split, step, value
     FROM attempt_metrics
     WHERE attempt_id = +? AND step IN (SELECT value FROM json_each(+?))
     ORDER BY ordinal`,
  )
  const pointCount = db.prepare<{ count: number }>(
    "SELECT coalesce(max(ordinal), 0) AS count FROM attempt_metrics WHERE attempt_id = +?",
  )
  /** Reads what attempts reported at some steps, each once for a text, up to a number of points for all texts. */
  function pointsAmong(steps: readonly number[], budget: { points: number }): Known["pointsAt"] {
    const read = new Map<string, readonly Point[]>()
    return (attemptId) =>
      read.getOrInsertComputed(attemptId, () => {
        const { count } = steps.length === 0 ? { count: 0 } : pointCount.one(attemptId)
        if (count === 0 || count > budget.points) return []
        budget.points -= count
        const found = points.all(attemptId, JSON.stringify(steps))
        return found.map((point) => ({ ...point, value: Number(parse(point.value)) }))
      })
  }
  const former = formerly(db, values)
  const tableOf = tableSources(db, keptTables)
  const reach = reaching(db, values)
  onForget(db, forgetPhrases)
  const keptQuantities = new Remembered<Quantities>(db, KEPT)
  /** The objects that labels of a text name, by label. */
  function objectsOf(roomId: string, labels: readonly string[]) {
    const distinct = [...new Set(labels)].slice(0, limits.linkedLabels)
    return new Map(labelled(roomId, distinct).map((found) => [found.label, found]))
  }

  type Objects = ReturnType<typeof objectsOf>
  const idsOf = (objects: Objects, kind: LabelledKind) =>
    [...objects.values()].flatMap((object) => (object.kind === kind ? [object] : []))

  /** The attempts behind the findings and plans that a text names. */
  const behindOf = (objects: Objects): Map<string, ReadonlySet<string>> =>
    new Map(
      [
        ...idsOf(objects, "finding").map(({ id, label }) => [label, attemptsOfFinding.all(id)] as const),
        ...idsOf(objects, "plan").map(({ id, label }) => [label, attemptsOfPlan.all(id)] as const),
      ].map(([label, rows]) => [label, new Set(rows.map(({ attemptId }) => attemptId))]),
    )

  /** Reads the numbers that a text states, once. */
  const numbersOf = (holder: Holder, text: string) =>
    numeralsIn(text, new Set(), 500).numerals.flatMap(({ readings: [reading] }) =>
      reading === undefined ? [] : [{ holder, value: reading.value }],
    )

  const effectsFrom = (rows: readonly EffectRow[]): KnownEffect[] =>
    rows.flatMap(({ versionId, label, effect, figures: stored, hasMoved, now }) => {
      const before = parse(stored)
      if (before === null) return []
      const present = hasMoved === 1 ? now && parse(now) : before
      const holder = { kind: "record" as const, id: versionId, label }
      return [{ holder, effect: parse(effect), before, now: present, hasMoved: hasMoved === 1 }]
    })

  /** The effects of the newest findings of a Room. */
  function newestEffects(roomId: string, findings: number): KnownEffect[] {
    const first = findingBefore.get(roomId, findings)?.versionId ?? ""
    // To look for the effects of each finding would take longer than the rest of a check.
    return effectSince.get(first) === undefined ? [] : effectsFrom(effectsOf.all(roomId, first))
  }

  function ownOf({ roomId, versionIds = [], checkpointId, ...context }: Context) {
    const { attemptIds = [], experimentIds = [], planIds = [], since } = context
    const table = checkpointId === undefined ? undefined : tableOf(roomId, checkpointId, since !== undefined)
    const measured = labelled(roomId, table?.attempts.slice(0, NEAR) ?? []).map(({ id }) => id)
    const rows = versionIds.flatMap((versionId) => attemptsOfFinding.all(versionId))
    const compared = rows.filter(({ role }) => role !== "evidence").map(({ attemptId }) => attemptId)
    const all = [
      ...rows.map(({ attemptId }) => attemptId),
      ...attemptIds,
      ...measured,
      ...experimentIds.flatMap((id) => attemptsOfExperiment.all(id).map(({ attemptId }) => attemptId)),
    ]
    const plans = new Set([...planIds, ...versionIds.flatMap((id) => planOfFinding.get(id)?.planId ?? [])])
    return {
      attemptIds: new Set(all),
      compared: new Set([...compared, ...attemptIds, ...measured]),
      effects: table?.effects ?? [],
      versionIds,
      planIds: [...plans],
    }
  }

  /** What the texts of a write or a record are checked against, each part read when a text first asks for it. */
  function groundOf(context: Context, most: Reach, kept: Kept) {
    const { roomId } = context
    const budget = { points: most.points }
    const [counts, effects] = [new Map<string, number | undefined>(), new Map<string, KnownEffect[]>()]
    const numbers = new Map<string, ReturnType<typeof numbersOf>>()
    let newest: readonly KnownEffect[] | undefined
    let whole: { readonly quantities: Quantities | undefined } | undefined
    const counted = (noun: string) =>
      noun === "experiment" ? experimentCount.one(roomId).count : recordCount.one(roomId, noun).count || undefined
    return {
      own: ownOf(context),
      whole: () => (whole ??= { quantities: reach.whole(roomId, most, kept) }).quantities,
      numbersOf: (holder: Holder, text: string) =>
        numbers.getOrInsertComputed(`${holder.kind} ${holder.id}`, () => numbersOf(holder, text)),
      countOf: (noun: string) => counts.getOrInsertComputed(noun, counted),
      pointsAt: (steps: readonly number[]) => pointsAmong(steps, budget),
      newestEffects: () => (newest ??= newestEffects(roomId, most.findings)),
      effectsAmong: (versionIds: readonly string[]) =>
        effects.getOrInsertComputed(JSON.stringify([...versionIds].sort()), (ids) =>
          effectsFrom(effectsAmong.all(roomId, ids)),
        ),
    }
  }
  /** A text that is resolved, with what it speaks of. */
  interface Reading {
    readonly context: Context
    readonly text: string
    readonly read: ReturnType<typeof numeralsIn>
    readonly objects: Objects
    readonly ground: ReturnType<typeof groundOf>
  }

  function checked(
    context: Context,
    text: string,
    most: Reach,
    kept: Kept,
    ground = groundOf(context, most, kept),
  ): CheckedText {
    const { roomId } = context
    const first = numeralsIn(text, new Set(), most.numbers)
    const objects = objectsOf(
      roomId,
      first.labels.map((label) => label.text),
    )
    const { own } = ground
    const about = {
      roomId,
      attempts: idsOf(objects, "attempt").map(({ id }) => id),
      experiments: [...(context.experimentIds ?? []), ...idsOf(objects, "experiment").map(({ id }) => id)],
    }
    const dates = first.numerals.filter(({ isDate }) => isDate)
    const stated = first.numerals.length - dates.length
    const found = stated > 0 ? reach.quantities(about, own.attemptIds, most, kept, ground.whole()) : undefined
    const read =
      found === undefined
        ? { ...first, numerals: dates, unread: first.unread + stated }
        : readsOtherwise(found.units, text)
          ? numeralsIn(text, found.units, most.numbers)
          : first
    const papers = new Set(
      read.papers.length === 0
        ? []
        : filed.all(JSON.stringify(read.papers.map(({ arxivId }) => arxivId)), roomId).map(({ arxivId }) => arxivId),
    )
    const reading = { context, text, read, objects, ground }
    const results =
      found === undefined ? read.numerals.map(() => SETTING) : withMoved(reading, found, resolved(reading, found))
    const numbers = read.numerals.map((numeral, at): CheckedNumber => {
      const { state, is, candidates } = results[at] ?? SETTING
      const { start, end } = numeral
      return { text: numeral.text, start, end, state, ...(is !== undefined && { is: shown(is) }), candidates }
    })
    const standings = new Map<string, RecordStatus>()
    const standingOf = (id: string) => standings.getOrInsertComputed(id, () => statusOf.get(id)?.status ?? "current")
    const count = (state: CheckedNumber["state"]) => numbers.filter((each) => each.state === state).length
    return {
      numbers,
      labels: read.labels.map(({ start, end, text: label }) => {
        const object = objects.get(label)
        // Attempts, experiments and plans have no standing.
        const hasStanding = object !== undefined && holderKind(object.kind) === "record"
        const state = object === undefined ? "unknown" : hasStanding ? standingOf(object.id) : "current"
        return { text: label, start, end, state }
      }),
      papers: read.papers.map(({ start, end, text: paper, arxivId }) => ({
        ...{ text: paper, start, end },
        state: papers.has(arxivId) ? "current" : "unknown",
      })),
      summary: {
        ...{ numbers: numbers.length, resolve: count("resolves"), mayBe: count("may_be"), moved: count("moved") },
        ...{ unknown: count("unknown"), settings: count("setting"), unread: read.unread },
      },
    }
  }

  function resolved({ context, text, read, objects, ground }: Reading, found: Quantities): Resolved[] {
    const { own } = ground
    const succeeded = new Set(
      found.attempts.flatMap(({ attemptId, status }) =>
        status === "succeeded" && own.compared.has(attemptId) ? [attemptId] : [],
      ),
    )
    const [experiment, ...others] = new Set(
      found.attempts.flatMap(({ attemptId, experimentId }) => (succeeded.has(attemptId) ? [experimentId] : [])),
    )
    const holder: Holder =
      experiment !== undefined && others.length === 0
        ? { kind: "experiment", id: experiment, label: found.experiments.get(experiment) ?? null }
        : { kind: "record", id: context.versionIds?.[0] ?? context.roomId, label: null }
    const belonging: Own = {
      attemptIds: own.attemptIds,
      versionIds: new Set([...own.versionIds, ...own.effects.map(({ holder }) => holder.id)]),
      groups: succeeded.size === 0 ? [] : found.groupsAmong(succeeded, holder),
    }
    const stated = new Map<string, ReturnType<typeof numbersOf>>()
    const planned = [
      ...own.planIds.flatMap((planId) => {
        const plan = planText.get(planId)
        return plan === undefined ? [] : ground.numbersOf({ kind: "plan", id: planId, label: plan.label }, plan.text)
      }),
      // What a hypothesis predicts and a paper claims is stated there, not measured.
      ...own.versionIds.flatMap((id) => {
        const record = predicted.get(id)
        return record === undefined ? [] : ground.numbersOf({ kind: "record", id, label: record.label }, record.text)
      }),
    ]
    const findings = [...own.versionIds, ...idsOf(objects, "finding").map(({ id }) => id)]
    const passages = new Passages(text, read, found)
    let effectsNamed: readonly KnownEffect[] | undefined
    const known: Known = {
      pointsAt: ground.pointsAt([...passages.steps].slice(0, STEPS)),
      ...{ quantities: found, own: belonging, behind: behindOf(objects), planned, countOf: ground.countOf },
      newestEffects: ground.newestEffects,
      effectsNamed: () => (effectsNamed ??= [...ground.effectsAmong(findings), ...own.effects]),
      statedIn: (label) =>
        stated.getOrInsertComputed(label, () => {
          const object = objects.get(label)
          if (object === undefined) return []
          const { id, kind } = object
          const row =
            kind === "plan" ? planText.get(id) : kind === "experiment" ? experimentText.get(id) : wording.get(id)
          return row === undefined ? [] : ground.numbersOf({ kind: holderKind(kind), id, label }, row.text)
        }),
    }
    const resolver = new Resolver(known, passages)
    let previous: Resolved | undefined
    return read.numerals.map((numeral) => {
      const result = resolver.resolve(numeral, previous)
      if (numeral.role === "value" || numeral.role === "from" || result.state !== "unknown")
        previous = keep(result, previous)
      return result
    })
  }

  /** Looks numbers that are not in the record up as it was when the text was written. */
  function withMoved(reading: Reading, found: Quantities, present: readonly Resolved[]): readonly Resolved[] {
    const { context, objects, ground } = reading
    const { since, roomId } = context
    const isLost = ({ state }: Resolved) => state === "unknown" || state === "may_be"
    if (since === undefined || !present.some(isLost)) return present
    const named = new Set([...ground.own.attemptIds, ...idsOf(objects, "attempt").map(({ id }) => id)])
    const experiments = new Set(idsOf(objects, "experiment").map(({ id }) => id))
    const about = found.attempts.filter(
      ({ attemptId, experimentId }) => named.has(attemptId) || experiments.has(experimentId),
    )
    const then = about.length === 0 || about.length > NEAR ? undefined : former(roomId, about, since)
    if (then === undefined) return present
    const before = resolved(reading, then)
    return present.map((result, at) => {
      const held = before[at]
      if (!isLost(result) || held?.state !== "resolves" || held.is === undefined) return result
      return { state: "moved", is: { ...held.is, now: presentOf(held.is, found) }, candidates: 1 }
    })
  }

  const keptTexts = new Remembered<CheckedText>(db, TEXTS)
  const newest = db.prepare<{ position: number; digest: Buffer }>(
    "SELECT position, digest FROM journal ORDER BY position DESC LIMIT 1",
  )
  const stands = db.prepare("SELECT 1 FROM journal WHERE position = +? AND digest = +?")
  const keptInWrites = new Remembered<{ quantities: Quantities; position: number; digest: Buffer }>(db, KEPT)
  /**
   * What one write worked out holds for the next, unless it was rolled back: then the row that was the journal's newest
   * has gone, or is another.
   */
  const sinceWrites: Kept = {
    get(key) {
      const found = keptInWrites.get(key)
      return found !== undefined && stands.get(found.position, found.digest) ? found.quantities : undefined
    },
    set(key, quantities) {
      const last = newest.get()
      if (last !== undefined) keptInWrites.set(key, { quantities, ...last })
    },
  }
  const head = db.prepare<{ digest: string }>("SELECT activity_digest AS digest FROM room_heads WHERE room_id = +?")
  const heard = db.prepare<{ state: string }>(
    `SELECT concat_ws(' ', (SELECT count(*) || ' ' || sum(revision) FROM experiments WHERE room_id = +?),
       (SELECT count(*) || ' ' || max(version_id) FROM records WHERE room_id = +?)) AS state`,
  )
  const states = new Remembered<string>(db, ROOMS)
  /** What the numbers of a Room's texts depend on: equal if nothing of it changed in between. */
  function stateOf(roomId: string): string {
    const digest = `${roomId} ${head.get(roomId)?.digest}`
    const known = states.get(digest)
    if (known !== undefined) return known
    const { attempts, revisions, newest } = reach.sizeOf(roomId)
    const state = `${attempts} ${revisions} ${newest} ${heard.one(roomId, roomId).state}`
    states.set(digest, state)
    return state
  }

  const keyOf = (context: Context, text: string, scope: "read" | "all"): string =>
    JSON.stringify([stateOf(context.roomId), context, text, scope])
  function check(context: Context, text: string, scope: "read" | "all"): CheckedText {
    const key = keyOf(context, text, scope)
    const known = keptTexts.get(key) ?? checked(context, text, REACH[scope], keptQuantities)
    // A long text is not asked for twice.
    if (text.length <= limits.message) keptTexts.set(key, known)
    return known
  }

  return {
    /** Checks a text against all of its Room, once for each state. It may take a second: for reader threads. */
    check: (context: Context, text: string): CheckedText => check(context, text, "all"),
    /**
     * Checks the texts of a write, whose rows the Room's state does not tell yet, in the time that a write has: their
     * first numbers, those of all texts counted together.
     */
    checkedInWrite(context: Context, texts: readonly string[]): readonly CheckedText[] {
      const ground = groundOf(context, REACH.write, sinceWrites)
      let left: number = REACH.write.numbers
      return texts.map((text) => {
        const found = checked(context, text, { ...REACH.write, numbers: left }, sinceWrites, ground)
        left -= found.numbers.length
        return found
      })
    },
    /**
     * Checks a text of a record for its page or its own read: against the Room's attempts up to a number, else against
     * those that it is about.
     */
    ofRecord: (context: Context, text: string): CheckedText => check(context, text, "read"),
  }
}

const SETTING: Resolved = { state: "setting", candidates: 0 }
/** The figure that a spread or an interval behind a number belongs to: a setting between them changes nothing. */
const keep = (result: Resolved, previous: Resolved | undefined): Resolved | undefined =>
  result.state === "setting" || result.is?.kind === "count" ? previous : result

const holderKind = (kind: LabelledKind): Holder["kind"] =>
  kind === "plan" || kind === "experiment" || kind === "attempt" ? kind : "record"

/** What a number is, in the form of an answer. */
const shown = ({ group, attempts, ...is }: NonNullable<Resolved["is"]>): NonNullable<CheckedNumber["is"]> => ({
  ...is,
  ...(group !== undefined && Object.keys(group).length > 0 && { group: { ...group } }),
  ...(attempts !== undefined && { attempts: [...attempts] }),
})
