/**
 * Tables of measurements that a checkpoint rests on: worked out when it lands, and kept with what has moved since. A
 * Room without one has the table of its newest finding's metric and baseline. In words it is a few lines of Markdown.
 */
import { FALLEN } from "../../contract/answers/evidence.ts"
import type { KeptTable, MeasurementTable } from "../../contract/answers/measurements.ts"
import { picked } from "../../contract/typed.ts"
import { canonicalJson, parse, type Stored } from "../../contract/json.ts"
import type { TableQuestion } from "../../contract/definitions/work.ts"
import { type Issue, Refusal } from "../../contract/refusals.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { limits } from "../../contract/limits.ts"
import { isNamedIn, spread } from "./arranging.ts"
import { textOf } from "./cells.ts"
import { type MeasurementTables, PRIMARY } from "./reads.ts"
import type { Measured, Values } from "./values.ts"
import type { Effect } from "./working-out.ts"
import { markdownTable } from "../attempts/table.ts"
import { figureOn, halfOf, type Scale, scaleOf } from "./statistics.ts"
import { noiseInWords, placeInWords } from "./in-words.ts"
import { statedOf } from "./table.ts"

type Groups = KeptTable["groups"]
/** What is worked out of a table. */
type Kept = Pick<KeptTable, "split" | "unit" | "over" | "comparisons" | "noise" | "groups" | "leftOut">
/** A table as it was when its checkpoint was written; `kept` is null in a replay if it can no longer be worked out. */
export type StoredTable = Stored<{ readonly question: TableQuestion; readonly kept: Kept | null }>

/** Groups that are worked out at most, of which `limits.keptGroups` are kept. */
const GROUPS = 20_000

/**
 * Keeps the rows of a large table that matter most: the baseline, those that a text names, then those with the largest
 * differences.
 */
function keptRows(kept: Kept, { by, against }: Pick<TableQuestion, "by" | "against">, named: string): Kept {
  if (kept.groups.length <= limits.keptGroups) return kept
  const dimension = against?.slice(0, against.indexOf(":")) ?? by[0] ?? ""
  const rows = [...Map.groupBy(kept.groups, ({ key }) => textOf(key[dimension] ?? ""))].map(([name, groups]) => ({
    groups,
    rank: groups.some(({ isBaseline }) => isBaseline) ? 2 : isNamedIn(named, name) ? 1 : 0,
    size: Math.max(0, ...groups.map(({ contrast }) => Math.abs(contrast?.estimate ?? 0))),
  }))
  const inOrder = rows.toSorted((one, other) => other.rank - one.rank || other.size - one.size)
  const chosen = new Set<Groups[number]>()
  let whole = 0
  for (const { groups } of inOrder) {
    // Of a row that is too long by itself, the first groups.
    if (chosen.size > 0 && chosen.size + groups.length > limits.keptGroups) break
    for (const group of groups.slice(0, limits.keptGroups)) chosen.add(group)
    whole += 1
  }
  const groups = kept.groups.filter((group) => chosen.has(group))
  return { ...kept, groups, leftOut: { rows: rows.length - whole, groups: kept.groups.length - groups.length } }
}

/** The newest findings whose effects are looked at for the table of a Room. */
const NEWEST = 5

const keyOf = ({ key }: Groups[number]): string => JSON.stringify(key)
const settingsText = ({ settings }: Groups[number]): string => JSON.stringify(settings)

/**
 * Finds a group of a table as it is now. Other attempts may have parted it from groups with the same key since, so its
 * settings may be told now that were not.
 */
function presentOf(group: Groups[number], alike: readonly Groups[number][]): Groups[number] | null {
  const same = alike.find((each) => settingsText(each) === settingsText(group))
  const agreeing = alike.filter(({ settings }) =>
    Object.entries(group.settings).every(([name, value]) => !(name in settings) || settings[name] === value),
  )
  const shares = ({ attempts }: Groups[number]) => attempts.some((label) => group.attempts.includes(label))
  return same ?? agreeing.find(shares) ?? null
}

/** A group of a table in the form in which it is kept. */
export const keptOf = (group: MeasurementTable["groups"][number]): Groups[number] => {
  const { key, settings, n, mean, low, high, isBaseline, contrast, attempts } = group
  return {
    ...{ key, settings, n, mean, low, high, isBaseline },
    attempts: attempts.map(({ label }) => label),
    contrast: contrast && {
      ...{ estimate: contrast.estimate, se: contrast.se, low: contrast.low, high: contrast.high },
      ...{ pairs: contrast.pairs, pairedAcross: contrast.pairedAcross, belowNoise: contrast.belowNoise },
      isDistinct: contrast.corrected?.isDistinct ?? false,
    },
  }
}

/** The table in which an effect is one cell; undefined if its sides differ in more than one dimension. */
export function tableAround({ metric, split, of, against, over, where = {}, pool }: Effect): TableQuestion | undefined {
  const names = [...new Set([...Object.keys(of), ...Object.keys(against)])]
  const differing = names.filter((name) => textOf(of[name] ?? "") !== textOf(against[name] ?? ""))
  const [compared] = differing
  const baseline = compared === undefined ? undefined : against[compared]
  if (compared === undefined || baseline === undefined || differing.length > 1) return undefined
  const isPlace = (value: unknown) => !/^(?:none$|!)/.test(String(value))
  const conditions = Object.entries(where).filter(([, value]) => !isPlace(value))
  const rest = Object.entries(where).flatMap(([name, value]) => (isPlace(value) ? [name] : []))
  return {
    ...{ metric, ...(split !== undefined && { split }) },
    by: [...new Set([compared, ...names, ...rest])],
    ...(over !== undefined && { over }),
    against: `${compared}:${textOf(baseline)}`,
    ...(conditions.length > 0 && { where: Object.fromEntries(conditions) }),
    ...(pool !== undefined && { pool }),
  }
}

export type KeptTables = ReturnType<typeof keptTables>

export function keptTables(db: Db, measured: MeasurementTables, values: Values) {
  const newest = db.prepare<{ versionId: string; label: string; effect: Stored<Effect> }>(
    `SELECT f.version_id AS versionId, r.label, f.effect FROM records r
     JOIN finding_effects f ON f.version_id = r.version_id AND f.position = 0
     LEFT JOIN standings s ON s.version_id = r.version_id
     WHERE r.room_id = +? AND r.kind = 'finding' AND coalesce(NOT ${FALLEN("s.status")}, 1)
     ORDER BY r.version_id DESC LIMIT ${NEWEST}`,
  )

  const scopeOf = (roomId: string, { experimentIds }: TableQuestion) =>
    experimentIds === undefined ? { roomId } : { experimentIds }

  /** Works a table out. @throws Refusal 422 if it can't be */
  function worked(roomId: string, asked: TableQuestion): Kept {
    const { experimentIds: _experiments, where = {}, ...question } = asked
    const places = Object.entries(where).map(([name, value]) => `${name}:${value}`)
    const query = { ...question, ...(places.length > 0 && { where: places }) }
    const table = measured(scopeOf(roomId, asked), query, undefined, GROUPS)
    return { ...picked(table, "split", "unit", "over", "comparisons", "noise"), groups: table.groups.map(keptOf) }
  }
  function unlessRefused<T>(work: () => T): T | null {
    try {
      return work()
    } catch (error) {
      if (error instanceof Refusal) return null
      throw error
    }
  }
  const known = (roomId: string, question: TableQuestion): Kept | null => unlessRefused(() => worked(roomId, question))
  /** Says of how many attempts of a table values are not in it. */
  function removedFrom(roomId: string, question: TableQuestion) {
    const isCounted = ({ status, intent }: Measured) => status === "succeeded" && PRIMARY.includes(intent)
    const scope = scopeOf(roomId, question)
    return unlessRefused(() => values.removedFrom(scope, () => values.attempts(scope).filter(isCounted)))
  }
  function answered(roomId: string, question: TableQuestion, kept: Kept | null, moved: KeptTable["moved"]): KeptTable {
    const { metric, split = null, by, over = null, against = null, where = {}, pool = [] } = question
    return {
      ...{ metric, split, unit: null, by, over, against, where, pool },
      experimentIds: question.experimentIds ?? null,
      ...(kept ?? { comparisons: 0, groups: [] }),
      ...removedFrom(roomId, question),
      moved,
      isStale: kept === null || moved.length > 0,
    }
  }

  /**
   * The present table of the metric and the baseline of a Room's newest finding that rests on an effect, and that
   * finding; undefined if there is none.
   */
  function ofNewestFinding(roomId: string) {
    for (const { versionId, label, effect } of newest.all(roomId)) {
      const question = tableAround(parse(effect))
      const now = question && known(roomId, question)
      if (question !== undefined && now != null)
        return { finding: { versionId, label }, table: answered(roomId, question, keptRows(now, question, ""), []) }
    }
    return undefined
  }

  return {
    /** Why a table cannot be worked out now. */
    faults(roomId: string, question: TableQuestion): Issue[] {
      try {
        worked(roomId, question)
        return []
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const issues = error.details.issues ?? []
        const message = issues.map((issue) => `${issue.path.slice(1)} ${issue.message}`).join("; ") || error.message
        return [{ path: "/table", message }]
      }
    },
    /**
     * Works a table out as it is when its checkpoint lands, as the JSON to store. @param named a text whose words name
     * the rows to keep of a large table
     */
    kept(roomId: string, question: TableQuestion, named: string): string {
      const whole = known(roomId, question)
      return canonicalJson({ question, kept: whole && keptRows(whole, question, named) })
    },

    /** A kept table in the form of an answer, with the groups whose values have moved since. */
    shown(roomId: string, stored: StoredTable): KeptTable {
      const { question, kept } = parse(stored)
      const now = known(roomId, question)
      const present = Map.groupBy(now?.groups ?? [], keyOf)
      const moved = (kept?.groups ?? []).flatMap((group) => {
        const other = presentOf(group, present.get(keyOf(group)) ?? [])
        const isSame =
          other !== null &&
          other.mean === group.mean &&
          other.n === group.n &&
          other.contrast?.estimate === group.contrast?.estimate &&
          other.contrast?.low === group.contrast?.low
        return isSame ? [] : [{ key: group.key, settings: group.settings, now: other }]
      })
      return answered(roomId, question, kept, moved)
    },

    ofNewestFinding,

    /**
     * Reads the attempts of large Rooms, and works out the tables that their pages show; where there is none, reads the
     * values of one metric.
     */
    readAhead(): void {
      for (const roomId of values.largeRooms()) {
        const attempts = values.attempts({ roomId })
        const [first] = ofNewestFinding(roomId) === undefined ? values.metrics(attempts.slice(-1)) : []
        if (first !== undefined) unlessRefused(() => values.frame(attempts, first.metric, first.split ?? ""))
      }
    },
  }
}

// A kept table in a few lines of Markdown, for briefs and documents.

type Group = KeptTable["groups"][number]

/** The dimension that makes the rows: the one that the baseline is a value of, or else the first. */
const rowsBy = ({ by, against }: KeptTable): string => against?.slice(0, against.indexOf(":")) ?? by[0] ?? ""

/** The rows and columns of a kept table: a row for each thing compared, a column for each size or setting. */
export function laidOut(table: KeptTable): {
  readonly rowsBy: string
  readonly columns: readonly string[]
  readonly rows: readonly { readonly name: string; readonly cells: readonly (Group | undefined)[] }[]
} {
  const name = rowsBy(table)
  const columnOf = ({ key, settings }: Group): string =>
    placeInWords({
      ...Object.fromEntries(Object.entries(key).filter(([each]) => each !== name)),
      ...statedOf(settings),
    })
  const columns = [...new Set(table.groups.map(columnOf))]
  const rows = [...Map.groupBy(table.groups, ({ key }) => textOf(key[name] ?? ""))].map(([row, groups]) => {
    const cells = new Map(groups.map((group) => [columnOf(group), group]))
    return { name: row, cells: columns.map((column) => cells.get(column)) }
  })
  return { rowsBy: name, columns, rows }
}

/** A difference and half of its 95 % interval, or a mean where nothing is compared: `−1.27 ±0.73*`. */
function cell(group: Group | undefined, scale: Scale): string {
  if (group === undefined) return ""
  const { contrast, mean, low, high } = group
  if (contrast === null)
    return `${figureOn(scale, mean, halfOf(low, high))}${scale.value}${group.isBaseline ? " (mean)" : ""}`
  const half = halfOf(contrast.low, contrast.high)
  const around = half === null ? "" : ` ±${figureOn(scale, half, half)}`
  const [star, across] = [contrast.isDistinct ? "*" : "", contrast.pairedAcross === null ? "" : "†"]
  return `${figureOn(scale, contrast.estimate, half)}${around}${star}${across}${contrast.belowNoise ? "≈" : ""}`
}

/** The largest difference of a row, by which rows are chosen. */
const sizeOf = (cells: readonly (Group | undefined)[]): number =>
  Math.max(0, ...cells.map((group) => Math.abs(group?.contrast?.estimate ?? 0)))

/** The title of a table: `error (test) against arm:baseline over seed`. */
const titleOf = ({ metric, split, unit, against, over, where }: KeptTable): string =>
  [
    `${metric}${split === null ? "" : ` (${split})`}`,
    ...(unit === null ? [] : [`in ${unit === "fraction" ? "points" : unit}`]),
    ...(Object.keys(where).length === 0 ? [] : [`at ${placeInWords(where)}`]),
    ...(against === null ? [] : [`against ${against}`]),
    ...(over === null ? [] : [`over ${over}`]),
  ].join(" ")

/** The most columns of a table that does not fit. */
const COLUMNS = 12

/** "191 more rows" */
const more = (count: number, what: string): string[] =>
  count > 0 ? [`${count} more ${what}${count === 1 ? "" : "s"}`] : []

/** Writes a kept table within a number of bytes. */
export const keptTableInWords = (table: KeptTable, bytes: number): string => keptTableWriter(table)(bytes)

/**
 * Writes a kept table within one number of bytes after the other. If not all of it fits, columns from its whole width
 * and the rows with the largest differences are written, and the others counted.
 */
export function keptTableWriter(table: KeptTable): (bytes: number) => string {
  const { rowsBy: name, columns, rows } = laidOut(table)
  const scale = table.unit === "fraction" ? scaleOf(table.unit) : scaleOf(null)
  const written = new Map(rows.map((row) => [row, row.cells.map((each) => cell(each, scale))]))
  const isMarked = (mark: string) => written.values().some((cells) => cells.some((each) => each.includes(mark)))
  const moved = table.groups.length > 0 && table.isStale ? `; ${table.moved.length} of its values have moved since` : ""
  const head = `${titleOf(table)}: ${table.against === null ? "means" : "difference ± half of its 95 % interval"}`
  const notes = [
    ...(isMarked("*") ? [`* told apart after correction for ${table.comparisons} comparisons`] : []),
    ...(isMarked("†") ? ["† across experiments or commits"] : []),
    ...(isMarked("≈") ? ["≈ smaller than the noise"] : []),
    ...(table.noise == null ? [] : [`noise from run to run: ${noiseInWords(table.noise, table.unit)}`]),
  ].map((note) => `; ${note}`)
  const every = [...columns.keys()]
  const largest = rows.toSorted((one, other) => sizeOf(other.cells) - sizeOf(one.cells))
  const text = (count: number, places: readonly number[]): string => {
    const chosen = new Set(largest.slice(0, count))
    const lines = markdownTable(
      [name || "all", ...places.map((at) => columns[at] || (table.against === null ? "mean" : "difference"))],
      rows
        .filter((row) => chosen.has(row))
        .map((row) => [row.name, ...places.map((at) => written.get(row)?.[at] ?? "")]),
    )
    const left = [
      ...more(rows.length - count + (table.leftOut?.rows ?? 0), "row"),
      ...more(columns.length - places.length, "column"),
    ]
    const rest = left.length === 0 ? [] : [`and ${left.join(", ")}`]
    const removed = table.removed === undefined ? [] : ["", table.removed.sentence]
    return [`${head}${notes.join("")}${moved}`, "", ...lines, ...rest, ...removed].join("\n")
  }
  const whole = text(rows.length, every)
  const wholeBytes = Buffer.byteLength(whole)
  return (bytes) => {
    if (wholeBytes <= bytes) return whole
    // A row is at most as long as the whole text.
    let [few, most] = [1, rows.length]
    const places = spread(every, COLUMNS, () => false)
    while (few < most) {
      const middle = Math.ceil((few + most) / 2)
      if (Buffer.byteLength(text(middle, places)) <= bytes) few = middle
      else most = middle - 1
    }
    return text(few, places)
  }
}
