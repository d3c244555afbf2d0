/**
 * The reproductions of a finding's effects, by attempts and by findings that repeat them, each with its own figures,
 * and the pooled estimate of all that share no attempt.
 */
import type { EffectAnswer } from "../../contract/answers/measurements.ts"
import { FALLEN, independenceInWords } from "../../contract/answers/evidence.ts"
import type { Author } from "../../contract/answers/index.ts"
import { picked } from "../../contract/typed.ts"
import { parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { AUTHOR, authorIn } from "../../ledger/journal/actor.ts"
import { fromOtherRoom } from "../../ledger/lists/labelled.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { DEGREES, degrees, type StoredDegrees } from "../evidence/pages.ts"
import { figureOn, halfWidth, scaleOf } from "./figures.ts"
import { reversed, verdictOn } from "./repeated-effects.ts"
import { together } from "./statistics.ts"
import { contrastOf, type Effect, type Figures } from "./working-out.ts"

type Reproduction = EffectAnswer["reproductions"][number]

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

  function shown(row: Row, { effect, figures: first }: First): Reproduction {
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
        `±${figureOn(scale, halfWidth(pooled.low, pooled.high), pooled.se)}${scale.difference}`
  return `${repeatsInWords(repeated).join(", ")}${sum}`
}
