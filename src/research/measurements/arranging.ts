/**
 * Arranges the groups of a measurement table as a picture: a row for each thing compared, a column for each size, and
 * the baseline first. Of a large table it takes the rows that a text names, or those with the largest differences.
 */
import type { KeptTable } from "../../contract/answers/measurements.ts"
import { compareScalars, type Scalar, textOf } from "./cells.ts"
import { placeInWords } from "./in-words.ts"

export type PictureGroup = KeptTable["groups"][number]

/** A table with what its groups are compared by. */
export interface Arrangeable {
  readonly by: readonly string[]
  readonly against: { readonly dimension: string } | null
  readonly groups: readonly PictureGroup[]
}

export interface Line {
  /** What is compared: `shift`. */
  readonly name: string
  /** The place and settings that it shares with its baseline: `updates 5000`. */
  readonly note: string
  readonly isBaseline: boolean
  /** The group at each column; undefined where nothing was measured. */
  readonly groups: readonly (PictureGroup | undefined)[]
}

export interface Arranged {
  /** The dimension whose values the rows are. */
  readonly compares: string
  readonly columns: readonly string[]
  readonly lines: readonly Line[]
  /** All rows, beside the baseline, and all columns that the table has. */
  readonly all: { readonly rows: number; readonly columns: number }
}

export interface Choice {
  /** Rows, beside the baseline, and columns that are shown at most. */
  readonly rows: number
  readonly columns: number
  /** A text whose words name rows and columns that should be shown. */
  readonly named?: string
  /** The rows to leave out first, and the first column, for a part of a large table. */
  readonly from?: number
  readonly fromColumn?: number
  /** -1 if lower values are better, 1 if higher ones are: the best comes first. */
  readonly direction?: -1 | 0 | 1
}

/** As many baselines are shown even if no row is at their place. */
const FEW = 3
const WORD = /[\p{L}\p{N}_]/u

/** Whether a text has this name in it as a whole word. */
export function isNamedIn(text: string, name: string): boolean {
  const [within, sought] = [text.toLowerCase(), name.toLowerCase()]
  if (sought === "") return false
  for (let at = within.indexOf(sought); at >= 0; at = within.indexOf(sought, at + 1))
    if (!WORD.test(within.charAt(at - 1)) && !WORD.test(within.charAt(at + sought.length))) return true
  return false
}

/** The dimension or setting that makes the columns: the one with most values, numbers before words. */
function columnOf(
  names: readonly string[],
  valueIn: (group: PictureGroup, name: string) => Scalar,
  groups: readonly PictureGroup[],
) {
  const rated = names.map((name) => {
    const values = new Map(groups.map((group) => [textOf(valueIn(group, name)), valueIn(group, name)]))
    const isNumeric = [...values.keys()].every((text) => text !== "" && Number.isFinite(Number(text)))
    return { name, values: [...values.values()].sort(compareScalars), isNumeric }
  })
  return rated.sort(
    (one, other) => Number(other.isNumeric) - Number(one.isNumeric) || other.values.length - one.values.length,
  )[0]
}

/** At most `most` of some items: those that are named first, then evenly spread ones with both ends; in order. */
export function spread<T>(items: readonly T[], most: number, isNamed: (item: T) => boolean): T[] {
  if (items.length <= most) return [...items]
  const taken = new Set([...items.keys()].filter((at) => items.slice(at, at + 1).some(isNamed)).slice(0, most))
  for (let at = 0; at < most && taken.size < most; at += 1)
    taken.add(Math.round((at * (items.length - 1)) / Math.max(1, most - 1)))
  return items.filter((_, at) => taken.has(at))
}

/** Arranges a table. */
export function arranged({ by, against, groups }: Arrangeable, choice: Choice): Arranged {
  const { named = "", from = 0, direction = 0 } = choice
  const compares = against?.dimension ?? by[0] ?? ""
  const settings = [...new Set(groups.flatMap((group) => Object.keys(group.settings)))]
  const valueIn = (group: PictureGroup, name: string): Scalar => {
    if (Object.hasOwn(group.key, name)) return group.key[name] ?? ""
    return group.settings[name] ?? (Object.hasOwn(group.settings, name) ? "not stated" : "")
  }
  const others = by.filter((name) => name !== compares)
  const column = columnOf(others.length > 0 ? others : settings.length === 1 ? settings : [], valueIn, groups)
  const values = column?.values.map(textOf) ?? [""]
  const shown =
    choice.fromColumn === undefined
      ? spread(values, choice.columns, (value) => isNamedIn(named, value))
      : values.slice(choice.fromColumn, choice.fromColumn + choice.columns)
  const rest = [...others, ...settings].filter((name) => name !== column?.name)
  const noteOf = (group: PictureGroup): string =>
    placeInWords(
      Object.fromEntries(rest.flatMap((name) => (valueIn(group, name) === "" ? [] : [[name, valueIn(group, name)]]))),
    )
  const inRows = Map.groupBy(groups, (group) => JSON.stringify([noteOf(group), textOf(valueIn(group, compares))]))
  const lines = [...inRows.values()].flatMap((same): (Line & { readonly size: number; readonly rank: number })[] => {
    const [first] = same
    if (first === undefined) return []
    const at = new Map(same.map((group) => [column === undefined ? "" : textOf(valueIn(group, column.name)), group]))
    const estimates = same.flatMap(({ contrast }) => (contrast === null ? [] : [contrast.estimate]))
    const mean = estimates.reduce((sum, each) => sum + each, 0) / Math.max(1, estimates.length)
    const size = Math.max(0, ...estimates.map(Math.abs))
    return [
      {
        name: textOf(valueIn(first, compares)),
        note: noteOf(first),
        isBaseline: first.isBaseline,
        groups: shown.map((value) => at.get(value)),
        size,
        rank: direction === 0 ? -size : -direction * mean,
      },
    ]
  })
  const [bases, compared] = [lines.filter((line) => line.isBaseline), lines.filter((line) => !line.isBaseline)]
  const isNamed = ({ name }: Line) => isNamedIn(named, name)
  const wanted = compared.filter(isNamed)
  const bySize = compared.filter((line) => !isNamed(line)).sort((one, other) => other.size - one.size)
  const taken = [...wanted, ...bySize].slice(from, from + choice.rows)
  // The settings at which most was compared come first.
  const atNote = Map.groupBy(lines, ({ note }) => note)
  const inBlocks = [...atNote].sort(([, one], [, other]) => other.length - one.length)
  const notes = new Map(inBlocks.map(([note], at) => [note, at]))
  const inOrder = taken.toSorted((one, other) => one.rank - other.rank || (one.name < other.name ? -1 : 1))
  const kept = new Set(inOrder.map(({ note }) => note))
  const usable = bases.filter(({ note }) => kept.has(note) || bases.length <= FEW).slice(0, choice.rows)
  return {
    compares,
    columns: shown.map((value) => (column === undefined ? "" : placeInWords({ [column.name]: value }))),
    lines: [...usable, ...inOrder].toSorted((one, other) => (notes.get(one.note) ?? 0) - (notes.get(other.note) ?? 0)),
    all: { rows: compared.length, columns: values.length },
  }
}
