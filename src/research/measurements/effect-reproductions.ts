/**
 * The reproductions of a finding's effects, by attempts and by findings that repeat them, each with its own figures,
 * and the pooled estimate of all that share no attempt; and the effects that one reproduction repeats.
 */
import type { EffectAnswer, LandedEffect } from "../../contract/answers/measurements.ts"
import { FALLEN, independenceInWords } from "../../contract/answers/evidence.ts"
import type { Author } from "../../contract/answers/parts.ts"
import { picked } from "../../contract/typed.ts"
import { parse, type Stored, canonicalJson } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { AUTHOR, authorIn } from "../../ledger/journal/actor.ts"
import { fromOtherRoom } from "../../ledger/lists/labelled.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { DEGREES, degrees, type StoredDegrees } from "../evidence/pages.ts"
import { figureOn, halfOf, scaleOf, together } from "./statistics.ts"
import {
  reversed,
  verdictOn,
  type RepeatedEffects,
  type Repetition,
  verdictOfAll,
  contrastOf,
  type Effect,
  type Figures,
  allOf,
  type Fault,
  isFault,
  type Named,
  tooManyValues,
  type WorkingOut,
} from "./working-out.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Issue } from "../../contract/refusals.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import type { Values } from "./values.ts"

type ShownReproduction = EffectAnswer["reproductions"][number]

interface Row extends Author, StoredDegrees {
  /** When it was registered or published. */
  readonly at: string
  readonly versionId: string
  readonly position: number
  readonly kind: "attempt" | "finding"
  readonly id: string
  readonly label: string
  readonly roomId: string
  readonly seenFrom: string
  readonly effect: Stored<Effect>
  readonly figures: Stored<Figures | null> | null
  readonly attempts: Stored<string[]>
}

/** How what speaks for a reproduction differs from the finding, as its evidence says. */
const INDEPENDENCE = (source: string): string => `${DEGREES("w")}
  FROM json_each(+?) JOIN records t ON t.version_id = json_each.value ${source}`
const WORD = (id: string): string => `LEFT JOIN evidence_words w ON w.target_id = t.version_id
    AND w.source = 'reproduction' AND w.source_id = ${id} AND w.sequence = (SELECT max(y.sequence) FROM evidence_words y
      WHERE y.target_id = t.version_id AND y.source = 'reproduction' AND y.source_id = ${id})`

const BY_ATTEMPT = `SELECT t.version_id AS versionId, x.repeats_position AS position, 'attempt' AS kind,
    a.attempt_id AS id, a.label, a.room_id AS roomId, t.room_id AS seenFrom, f.effect,
    iif(m.holder_id IS NULL, x.figures, m.now) AS figures, x.attempts,
    ${AUTHOR("a")}, a.registered_at AS at,
    ${INDEPENDENCE(`JOIN reproduction_effects x ON x.repeats_id = t.version_id
      JOIN finding_effects f ON f.version_id = x.repeats_id AND f.position = x.repeats_position
      JOIN attempts a ON a.attempt_id = x.attempt_id JOIN people p ON p.user_id = a.registrant_id
      LEFT JOIN moved_effects m ON m.holder_id = x.attempt_id AND m.position = x.position ${WORD("x.attempt_id")}`)}`
const BY_FINDING = `SELECT t.version_id AS versionId, f.repeats_position AS position, 'finding' AS kind,
    r.version_id AS id, r.label, r.room_id AS roomId, t.room_id AS seenFrom, f.effect,
    iif(m.holder_id IS NULL, f.figures, m.now) AS figures, f.attempts,
    ${AUTHOR("r")}, r.created_at AS at,
    ${INDEPENDENCE(`JOIN finding_effects f ON f.repeats_id = t.version_id
      JOIN records r ON r.version_id = f.version_id JOIN people p ON p.user_id = r.author_id
      LEFT JOIN standings s ON s.version_id = r.version_id
      LEFT JOIN moved_effects m ON m.holder_id = f.version_id AND m.position = f.position ${WORD("f.version_id")}
      WHERE coalesce(NOT ${FALLEN("s.status")}, 1)`)}`

/** The effect that is repeated: its definition, its present figures and the attempts behind it. */
export interface First {
  readonly effect: Effect
  readonly figures: Figures | null
  readonly attempts: readonly string[]
}
export type Repeated = Pick<EffectAnswer, "reproductions" | "pooled">

export type EffectReproductions = ReturnType<typeof effectReproductions>

export function effectReproductions(db: Db) {
  const all = db.prepare<Row>(`SELECT * FROM (${BY_ATTEMPT} UNION ALL ${BY_FINDING}) LIMIT ${limits.gatheredEffects}`)

  function shown(row: Row, { effect, figures: first }: First): ShownReproduction {
    const figures = row.figures && parse(row.figures)
    const [own, theirs] = [contrastOf(parse(row.effect)), contrastOf(effect)]
    const directed = figures && (own.isReversed === theirs.isReversed ? figures : reversed(figures))
    return {
      by: { kind: row.kind, id: row.id, label: row.label, ...fromOtherRoom(row.roomId, row.seenFrom) },
      author: authorIn(row),
      independence: degrees(row, () => null),
      verdict: directed === null || first === null ? null : verdictOn(directed, first, effect.within),
      ...(directed === null
        ? { estimate: null, se: null, low: null, high: null, n: 0 }
        : { ...picked(directed, "estimate", "se", "low", "high"), n: countOf(directed) }),
      isPooled: false,
    }
  }

  /** Judges the reproductions of one effect, and pools those that share no attempt with an earlier one. */
  function judged(rows: readonly Row[], first: First): Repeated {
    const used = new Set(first.attempts)
    const estimates: { estimate: number; se: number; df: number | null }[] = []
    if (first.figures?.se != null) estimates.push({ ...picked(first.figures, "estimate", "df"), se: first.figures.se })
    const reproductions = rows.map((row) => {
      const each = shown(row, first)
      const figures = row.figures && parse(row.figures)
      const attempts = parse(row.attempts)
      const isApart = !attempts.some((attemptId) => used.has(attemptId))
      if (each.estimate === null || each.se === null || estimates.length === 0 || !isApart) return each
      for (const attemptId of attempts) used.add(attemptId)
      estimates.push({ estimate: each.estimate, se: each.se, df: figures?.df ?? null })
      return { ...each, isPooled: true }
    })
    return { reproductions, pooled: together(estimates) ?? null }
  }

  /**
   * Reads the reproductions of the effects of several findings. @returns a function of a finding, the index of its
   * effect, and that effect
   */
  return function reproduced(versionIds: readonly string[]) {
    const ids = JSON.stringify(versionIds)
    // Sorted here: there are few, and SQLite would build a table to sort them.
    const found = all.all(ids, ids).sort((one, other) => compared(one.at, other.at) || compared(one.id, other.id))
    const rows = Map.groupBy(found, ({ versionId, position }) => `${versionId} ${position}`)
    return (versionId: string, position: number, first: First): Repeated =>
      judged(rows.get(`${versionId} ${position}`) ?? [], first)
  }
}

const compared = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const countOf = ({ pairs, ofCount, againstCount }: Figures): number => pairs ?? Math.min(ofCount, againstCount)

/** The reproductions of an effect: "A7 reproduces (another person with the same code)". */
export const repeatsInWords = ({ reproductions }: Repeated): string[] =>
  reproductions.map(({ by, author, verdict, independence }) => {
    const said = (verdict ?? "cannot be compared").replaceAll("_", " ")
    return `${by.label} ${said} (${independenceInWords(independence, author.username)})`
  })

/** The same, with the pooled estimate: `A7 reproduces (…); pooled −2.4 ±0.2 points`; null without any. */
export function repeatedInWords(repeated: Repeated, unit: string | null): string | null {
  const { reproductions, pooled } = repeated
  if (reproductions.length === 0) return null
  const scale = scaleOf(unit)
  const sum =
    pooled === null
      ? ""
      : `; pooled ${figureOn(scale, pooled.estimate, pooled.se)} ` +
        `±${figureOn(scale, halfOf(pooled.low, pooled.high), pooled.se)}${scale.difference}`
  return `${repeatsInWords(repeated).join(", ")}${sum}`
}

// The effects of a reproduction that repeat effects of a finding.

type Reported = BodyOf<"report_attempt_event">
type Repeats = NonNullable<NonNullable<Reported["reproduction"]>["repeats"]>
type Repeat = Exclude<Repeats, readonly unknown[]>
export interface Reproduction {
  readonly attemptId: string
  readonly experimentId: string
  /** The id of the finding or attempt to reproduce. */
  readonly reproduces: string | undefined
}

export function reproductionEffects(
  db: Db,
  workedOut: WorkingOut,
  repeated: RepeatedEffects,
  values: Pick<Values, "amountOf">,
) {
  /** Whether a finding rests on the reproduced attempt, or is or shares its voice with the reproduced finding. */
  const rests = db.prepare(
    `SELECT 1 FROM finding_attempts WHERE version_id = +? AND attempt_id = +? AND role <> 'evidence'
     UNION ALL SELECT 1
      FROM findings f
      JOIN findings o ON o.voice_id = f.voice_id
      WHERE f.version_id = +? AND o.version_id = +?`,
  )
  const namingEffects = db.prepare<{ versionId: string; label: string }>(
    `SELECT r.version_id AS versionId, r.label FROM finding_effects f JOIN records r ON r.version_id = f.version_id
     WHERE f.position = 0 AND (f.version_id = +?
       OR f.version_id IN (SELECT version_id
         FROM finding_attempts
         WHERE attempt_id = +? AND role <> 'evidence'
         LIMIT 100))
     ORDER BY f.version_id LIMIT 1`,
  )

  const insert = inserting(db, "reproduction_effects")
  const kept = db.prepare<{ shown: Stored<ReturnType<typeof shownRepeat>> }>(
    "SELECT shown FROM reproduction_effects WHERE attempt_id = +? ORDER BY position",
  )

  /** The effect to compute: the same contrast, of the attempt and those named with it. */
  const repeatOf = (
    { repeats: _of, ...first }: Effect,
    { attemptId, experimentId }: Reproduction,
    { attemptIds = [], pool }: Pick<Repeat, "attemptIds" | "pool">,
  ) => {
    const named: Named = { attemptIds: [attemptId], baselineAttemptIds: attemptIds }
    const pools = pool === undefined ? {} : { pool: [...new Set([...(first.pool ?? []), ...pool])] }
    return { effect: { ...first, ...pools, experimentId }, named }
  }
  const placeOf = ({ at }: Fault): string => (at === "experimentId" ? "/attemptIds" : "/effect")

  /** The number of values that the effects are worked out from which a report repeats, with its own. */
  const amountOf = (attempt: Reproduction, { reproduction, metrics = [] }: Reported): number =>
    listOf(reproduction?.repeats).reduce((sum, named) => {
      const first = repeated.definition(named)
      if (first === undefined) return sum
      const own = metrics.filter(({ name }) => name === first.metric).length
      return sum + own + values.amountOf(allOf(repeatOf(first, attempt, named).named), first.metric)
    }, 0)

  /** Why an effect is not repeated: the member at fault, as a pointer, and a message. */
  function faultOf(attempt: Reproduction, named: Repeat, metrics: NonNullable<Reported["metrics"]>) {
    const fault = (at: string, message: string) => ({ at, message })
    const { reproduces = "" } = attempt
    if (rests.get(named.versionId, reproduces, named.versionId, reproduces) === undefined)
      return fault(
        "/versionId",
        "is neither the finding that this attempt reproduces nor one that rests on the same result",
      )
    const first = repeated.definition(named)
    if (first === undefined) return fault("/effect", "is not an effect of that finding")
    const { effect, named: attempts } = repeatOf(first, attempt, named)
    const found = workedOut(effect, attempts, { attemptId: attempt.attemptId, metrics })
    if (isFault(found)) return fault(placeOf(found), `cannot be worked out: ${found.at} ${found.message}`)
    if (found.differing !== null) return fault("", found.differing)
    const other = repeated.fault(effect, found, named)
    return other && fault(`/${other.at}`, other.message)
  }

  return {
    amountOf,

    /** Why a reproduction does not repeat the effects that it names. */
    faults(attempt: Reproduction, report: Reported): Issue[] {
      const { event, reproduction, metrics = [] } = report
      const repeats = reproduction?.repeats
      if (repeats === undefined) return []
      const at = "/reproduction/repeats"
      if (event !== "succeeded")
        return [{ path: at, message: "can only come with success: an attempt that failed has no effect" }]
      const tooMany = tooManyValues(amountOf(attempt, report))
      if (tooMany !== undefined) return [{ path: at, message: tooMany }]
      const all = listOf(repeats)
      const nameOf = ({ versionId, effect }: Repeat) => `${versionId} ${effect}`
      return all.flatMap((named, index) => {
        const path = Array.isArray(repeats) ? `${at}/${index}` : at
        if (all.findIndex((other) => nameOf(other) === nameOf(named)) < index)
          return [{ path: `${path}/effect`, message: "is repeated by an earlier item" }]
        const fault = faultOf(attempt, named, metrics)
        return fault === undefined ? [] : [{ path: `${path}${fault.at}`, message: fault.message }]
      })
    },

    /**
     * Compares a reproduction that ended with the effects that it repeats, and stores how they compare. What was worked
     * out counts; the registrant's verdict stands beside it. @returns the verdict of all of them and why
     */
    keep(attempt: Reproduction, { reproduction }: Reported): Judgement | undefined {
      const found = listOf(reproduction?.repeats).map((named, position) => {
        const first = repeated.definition(named)
        const mine = first && repeatOf(first, attempt, named)
        const own = mine && workedOut(mine.effect, mine.named)
        const [figures, attempts] =
          own === undefined || isFault(own) ? [null, []] : ([own.figures, own.attemptIds] as const)
        const repetition = first && repeated.repetition(first, figures, named)
        const { versionId: repeatsId, effect: repeatsPosition } = named
        const whole = named.pool && mine?.effect.pool ? { ...named, pool: mine.effect.pool } : named
        insert({
          ...{ attemptId: attempt.attemptId, position, repeatsId, repeatsPosition },
          shown: canonicalJson(shownRepeat(whole, figures, repetition)),
          figures: canonicalJson(figures),
          attempts: JSON.stringify(attempts),
        })
        return repetition
      })
      return judgementOf(found)
    },

    /** How the effects of a reproduction compare, for the receipt of its outcome. */
    forReceipt: (attemptId: string): LandedEffect[] =>
      kept.all(attemptId).map(({ shown }) => {
        const { versionId, effect, verdict, estimate, low, high, comparison } = parse(shown)
        const sentence = comparison?.sentence ?? "It can no longer be compared."
        return { sentence, estimate, low, high, repeats: { versionId, effect }, verdict }
      }),

    /** Finds a finding whose effects a reproduction could have named. */
    couldName: ({ reproduces = "" }: Pick<Reproduction, "reproduces">) => namingEffects.get(reproduces, reproduces),
  }
}

const listOf = (repeats: Repeats | undefined): readonly Repeat[] =>
  repeats === undefined ? [] : Array.isArray(repeats) ? repeats : [repeats]

/** The findings whose effects a reproduction repeats, each as often as it is named. */
export const repeatsOf = (reproduction: Reported["reproduction"]): string[] =>
  listOf(reproduction?.repeats).map(({ versionId }) => versionId)

/** What an attempt's answer tells of an effect that it repeats. */
export const shownRepeat = (named: Repeat, figures: Figures | null, repetition: Repetition | undefined) => ({
  versionId: named.versionId,
  effect: named.effect,
  ...(named.attemptIds && { attemptIds: named.attemptIds }),
  ...(named.pool && { pool: named.pool }),
  verdict: repetition?.verdict ?? null,
  estimate: figures?.estimate ?? null,
  low: figures?.low ?? null,
  high: figures?.high ?? null,
  comparison: repetition?.comparison ?? null,
})

/** The verdict of several comparisons, and their sentences. */
export interface Judgement {
  readonly verdict: Repetition["verdict"]
  readonly sentence: string
}

/** Judges several comparisons together; undefined without any. */
export function judgementOf(repetitions: readonly (Repetition | undefined)[]): Judgement | undefined {
  const found = repetitions.filter((each) => each !== undefined)
  const verdict = verdictOfAll(found.map((each) => each.verdict))
  return verdict && { verdict, sentence: found.map(({ comparison }) => comparison.sentence).join(" ") }
}
