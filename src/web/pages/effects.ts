/**
 * The picture of a Room's measured differences: the table of a metric and a baseline, with marks of what was reproduced
 * or disputed. Each cell leads to its sources.
 */
import { writerName } from "../../contract/answers/parts.ts"
import type { EffectAnswer } from "../../contract/answers/measurements.ts"
import { picked } from "../../contract/typed.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { type Dimensions, textOf } from "../../research/measurements/cells.ts"
import { type Arranged, arranged, type Choice, type PictureGroup } from "../../research/measurements/arranging.ts"
import { keptOf, tableAround } from "../../research/measurements/kept-tables.ts"
import { figureOn, scaleOf } from "../../research/measurements/statistics.ts"
import { noiseInWords, acrossInWords } from "../../research/measurements/in-words.ts"
import { isEffectAt, type SourceEffect } from "../../research/measurements/gathered.ts"
import { Kept } from "../../ledger/storage/caches.ts"
import {
  effectTable,
  type EffectCell,
  type EffectPicture,
  isOther,
  type Repeat,
  repeatsInWords,
} from "../charts/effects.ts"
import { type Content, type Html, html, to } from "../html.ts"
import { orNull, type Visit } from "../visit.ts"
import { label } from "../parts/parts.ts"
import { counted, directionByName, nameOfDimension } from "../words.ts"
import { glyph, stateBadge } from "../parts/marks.ts"

/** What a picture shows: a measurement table, whole or as a checkpoint kept it. */
export interface PictureTable extends TableAsked {
  readonly unit: string | null
  readonly groups: readonly PictureGroup[]
  /** Rows that are not among the groups. */
  readonly leftOut?: { readonly rows: number }
  /** The number of differences for which the correction allows. */
  readonly comparisons: number
  /** What values are not in it. */
  readonly removed?: { readonly sentence: string } | undefined
  /** What the same code and settings differ by from run to run, where it is known. */
  readonly noise?: Parameters<typeof noiseInWords>[0] | null
}

/** The question that a table answers. */
export interface TableAsked {
  readonly metric: string
  readonly split: string | null
  readonly by: readonly string[]
  readonly over: string | null
  /** `arm:baseline` */
  readonly against: string | null
  readonly where: Dimensions
  readonly pool: readonly string[]
  readonly experimentIds: readonly string[] | null
}

/** Rows and columns of a picture on a page about something else. Its own page shows all in parts. */
export const SHOWN = { rows: 11, columns: 8 } as const

/** The page of a table. @param more further parameters */
export function tablePath(
  roomId: string,
  table: TableAsked,
  more: readonly (readonly [string, string])[] = [],
): string {
  const { metric, split, by, over, against, where, pool, experimentIds } = table
  const query: (readonly [string, string])[] = [
    ["metric", metric],
    ["by", by.join(",")],
    ...Object.entries({ split, over, against }).flatMap(([name, value]) =>
      value === null ? [] : [[name, value] as const],
    ),
    ...Object.entries(where).map(([name, value]) => ["where", `${name}:${textOf(value)}`] as const),
    ...Object.entries({ pool, experiments: experimentIds ?? [] }).flatMap(([name, values]) =>
      values.length === 0 ? [] : [[name, values.join(",")] as const],
    ),
    ...more,
  ]
  return `/rooms/${roomId}/table?${new URLSearchParams(query.map(([name, value]) => [name, value]))}`
}

/** The parameters that name a cell. A setting that its attempts do not state has no value. */
export const cellQuery = ({ key, settings }: Pick<PictureGroup, "key" | "settings">): (readonly [string, string])[] =>
  Object.entries({ ...key, ...settings }).map(([name, value]) => ["cell", value === null ? name : `${name}:${value}`])

/** The baseline of a table: `arm:baseline` in parts. */
const baselineOf = ({ against }: Pick<PictureTable, "against">) =>
  against === null
    ? null
    : { dimension: against.slice(0, against.indexOf(":")), value: against.slice(against.indexOf(":") + 1) }

/** The dimensions and the settings of a group, as far as they are stated. */
const effectPlace = ({ key, settings }: Pick<PictureGroup, "key" | "settings">): Dimensions => ({
  ...key,
  ...Object.fromEntries(Object.entries(settings).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))),
})

/** The effects of findings that compare what a cell does. */
export function sourcesOf<S extends SourceEffect>(group: PictureGroup, table: PictureTable, all: readonly S[]): S[] {
  const baseline = baselineOf(table)
  if (baseline === null) return []
  const of = effectPlace(group)
  const isParted = Object.keys(group.settings).length > 0
  return all.filter(
    ({ effect, attempts: own }) =>
      (effect.split ?? null) === table.split &&
      isEffectAt(effect, of, { ...of, [baseline.dimension]: baseline.value }) &&
      (!isParted || own.some((label) => group.attempts.includes(label))),
  )
}

const isBorneOut = (repeat: Repeat): boolean =>
  isOther(repeat) && (repeat.verdict === "reproduces" || repeat.verdict === "partly_reproduces")

/** How many others reproduced some effects, and what speaks against them, in words. */
export function standingOf(sources: readonly (SourceEffect & { readonly repeats: readonly Repeat[] })[]) {
  const reproducing = new Set(
    sources.flatMap(({ repeats }) => repeats.filter(isBorneOut).map(({ author }) => writerName(author))),
  )
  const failed = [
    ...new Set(
      sources.flatMap(({ repeats }) =>
        repeats.filter(({ verdict }) => verdict === "does_not_reproduce").map(({ by }) => by.label),
      ),
    ),
  ]
  const disputed = [...new Set(sources.filter(({ status }) => status === "disputed").map(({ label }) => label))]
  const against = [
    ...(failed.length === 0 ? [] : [`not reproduced by ${failed.join(", ")}`]),
    ...(disputed.length === 0 ? [] : [`${disputed.join(", ")} disputed`]),
  ]
  const others = reproducing.size
  return {
    others,
    reproduced: others === 0 ? null : `reproduced by ${counted(others, "other")}`,
    against: against.length === 0 ? null : against.join("; "),
  }
}

/** The marks of a cell, and the same in words. */
function marksOf(
  { others, reproduced, against }: ReturnType<typeof standingOf>,
  across: string | null,
): Pick<EffectCell, "marks" | "marksInWords"> {
  const words = [reproduced, against, across].filter((part) => part !== null)
  if (words.length === 0) return {}
  const sign = (text: string | number) => html`<span aria-hidden="true">${text}</span>`
  const mark = (text: string, shown: Content) =>
    html` <span class="mark-of" title="${text}">${shown}<span class="aside">${text}</span></span>`
  return {
    marks: html`${reproduced && mark(reproduced, [glyph("independent"), sign(others)])}\
${against && mark(against, glyph("disputed"))}${across && mark(across, sign("†"))}`,
    marksInWords: words.join("; "),
  }
}

type KnownEffect = SourceEffect & Pick<EffectAnswer, "pooled"> & { readonly repeats: readonly Repeat[] }
const known = new WeakMap<Visit, Map<string, readonly KnownEffect[]>>()

/** All effects of a metric in a Room, each with its reproductions. Read once per page. */
export const effectsIn = (visit: Visit, roomId: string, metric: string): readonly KnownEffect[] =>
  known
    .getOrInsertComputed(visit, () => new Map())
    .getOrInsertComputed(`${roomId} ${metric}`, () => readEffects(visit, roomId, metric))

function readEffects({ tables: { effectSources, effects } }: Visit, roomId: string, metric: string): KnownEffect[] {
  const all = effectSources
    .ofMetric(roomId, metric)
    .filter(({ status }) => status !== "retracted" && status !== "superseded")
  const repeated = effects.repeatedOf(all)
  return all.map((source, index) => {
    const { reproductions = [], pooled = null } = repeated[index] ?? {}
    return { ...source, repeats: reproductions, pooled }
  })
}

/** What limits a difference, in words: what it comes from, and that it may be noise. */
export const limitsOf = ({ pairedAcross, belowNoise }: NonNullable<PictureGroup["contrast"]>) => ({
  across: pairedAcross && `compared ${acrossInWords(pairedAcross)}, never told apart`,
  noise: belowNoise ? "smaller than the noise from run to run" : null,
})

/** Draws a table as a picture. */
export function pictureOf(
  visit: Visit,
  roomId: string,
  table: PictureTable,
  choice: Choice,
): { picture: EffectPicture; shape: Arranged } {
  const baseline = baselineOf(table)
  const shape = arranged(
    { by: table.by, against: baseline, groups: table.groups },
    { direction: directionByName(table.metric), ...choice },
  )
  const scale = scaleOf(table.unit)
  const sources = effectsIn(visit, roomId, table.metric)
  const cell = (group: PictureGroup | undefined): EffectCell | null => {
    if (group === undefined) return null
    const { n, mean, contrast } = group
    const path = tablePath(roomId, table, cellQuery(group))
    const none = { se: null, low: null, high: null, isDistinct: false, estimate: null, path }
    if (mean === null) return { ...none, n: "", text: "no finite value" }
    const own = `${figureOn(
      scale,
      mean,
      group.low === null || group.high === null ? null : (group.high - group.low) / 4,
    )}${scale.value}`
    if (contrast === null)
      return {
        ...none,
        n: `n ${n}`,
        text: own,
        ...(!group.isBaseline && baseline !== null && { note: `no ${baseline.value} to compare with here` }),
      }
    const { pairs, estimate, se, low, high, isDistinct } = contrast
    const { across, noise } = limitsOf(contrast)
    const notes = [...(pairs === null ? ["unpaired"] : []), ...(noise === null ? [] : [noise]), `mean ${own}`]
    const marks = marksOf(standingOf(sourcesOf(group, table, sources)), across)
    return { estimate, se, low, high, isDistinct, n: `n ${pairs ?? n}`, path, note: notes.join("; "), ...marks }
  }
  const inUnit = table.unit === null ? "" : ` in ${table.unit === "fraction" ? "percentage points" : table.unit}`
  const metric = `${table.metric}${table.split === null ? "" : ` (${table.split})`}`
  // Settings that several rows share stand once above them.
  const isShared = 2 * new Set(shape.lines.map(({ note }) => note)).size <= shape.lines.length
  const lines = shape.lines.map(({ name, note, isBaseline, groups }) => ({
    head: html`${name || "all"}${note === "" || isShared ? null : html` <span class="quiet">${note}</span>`}`,
    name: note === "" ? name : `${name}, ${note}`,
    block: isShared ? note : "",
    look: isBaseline ? ("base" as const) : undefined,
    cells: groups.map(cell),
  }))
  const caption =
    baseline === null
      ? `Mean of ${metric}`
      : `${metric}: difference from ${baseline.value}${inUnit}, with 95 % intervals`
  return {
    picture: { caption, corner: nameOfDimension(shape.compares), columns: shape.columns, lines, unit: table.unit },
    shape,
  }
}

/** Findings of which a picture says who repeated them. */
const REPEATED = 4

/** Says which findings others repeated, who they are, with which code, and what came of it. */
export function repeatedBy(visit: Visit, roomId: string, metric: string): Html | null {
  const sources = effectsIn(visit, roomId, metric)
  const all = [...Map.groupBy(sources, ({ versionId }) => versionId).values()].flatMap((effects) => {
    const repeats = effects.flatMap((effect) => effect.repeats.filter(isOther))
    const [first] = effects
    return first === undefined || repeats.length === 0 ? [] : [{ ...first, repeats }]
  })
  if (all.length === 0) return null
  all.sort((one, other) => (one.versionId < other.versionId ? -1 : 1))
  const shown = all
    .slice(0, REPEATED)
    .map(
      ({ versionId, label: text, repeats }) =>
        html`<li>${label("finding", versionId, text)} ${repeatsInWords(visit, repeats)}</li>`,
    )
  const rest = all.length - shown.length
  return html`<ul class="repeated" aria-label="Repeated by others">${shown}${
    rest > 0 && html`<li>Others repeated ${counted(rest, "more finding")}.</li>`
  }</ul>`
}

/** Says how to read a picture. */
export const legendOf = (
  { comparisons, noise = null, unit, removed }: Pick<PictureTable, "comparisons" | "noise" | "unit" | "removed">,
  { lines }: EffectPicture,
): Html => {
  const cells = lines.flatMap((line) => line.cells)
  const isTold = cells.some((cell) => cell?.isDistinct === true)
  const has = (words: string) => cells.some((cell) => cell?.marksInWords?.includes(words) === true)
  return html`<span>${
    comparisons === 0
      ? null
      : isTold
        ? `Bold: told apart, after correction \
for ${counted(comparisons, "comparison")}`
        : `None is told apart, after correction for ${counted(comparisons, "comparison")}`
  }</span>${noise && html`<span>Noise from run to run: ${noiseInWords(noise, unit)}</span>`}${
    has("reproduced by") &&
    html`<span>${glyph("independent")} reproduced by this many others\
</span>`
  }${
    (has("disputed") || has("not reproduced")) &&
    html`<span>${glyph("disputed")} disputed or not reproduced\
</span>`
  }${
    has("compared across") && html`<span>† compared across experiments, commits or settings, so never told apart</span>`
  }${removed && html`<span>${removed.sentence}</span>`}`
}

/** Links to the picture in other formats. The script copies texts, and makes a PNG. */
export const copies = (path: string): Html => {
  const as = (format: string) => to(`${path}&format=${format}`)
  return html`<span class="copies">Copy as <a href="${as("markdown")}" data-copied rel="nofollow">Markdown</a> <a \
href="${as("csv")}" data-copied rel="nofollow">CSV</a> <a href="${as("svg")}" rel="nofollow" download="table.svg">SVG\
</a> <a href="${as("svg")}" data-png rel="nofollow" hidden>PNG</a></span>`
}

/** Pictures that are kept. */
const KEPT = 32
const drawn = new WeakMap<Visit["db"], Kept<Html | null>>()

/**
 * Draws a picture once, until anything is written. It must not depend on the visitor or the time.
 * @param key names it among all pictures
 */
export const drawnOnce = ({ db }: Visit, key: readonly string[], draw: () => Html | null): Html | null =>
  drawn.getOrInsertComputed(db, () => new Kept(db, KEPT)).of(JSON.stringify(key), draw)

/** Renders a table as a picture for a page about something else, with links to its sources and to all of it. */
export function effectFigure(visit: Visit, roomId: string, table: PictureTable, named: string, moved = 0): Html | null {
  if (table.groups.length === 0) return null
  const { picture, shape } = pictureOf(visit, roomId, table, { ...SHOWN, named })
  const path = tablePath(roomId, table)
  const rows =
    shape.all.rows +
    (table.leftOut?.rows ?? 0) -
    shape.lines.filter((_, at) => picture.lines[at]?.look !== "base").length
  const columns = shape.all.columns - shape.columns.length
  const more = [
    ...(rows > 0 ? [counted(rows, "more row")] : []),
    ...(columns > 0 ? [counted(columns, "more column")] : []),
  ]
  const since =
    moved === 0
      ? null
      : html`<span><a href="${to(path)}">${stateBadge("unknown", `${counted(moved, "value")} moved since`)}</a></span>`
  return html`<figure class="effects"><p class="of">${picture.caption}</p>${effectTable(picture)}<figcaption \
class="meta">${since}${legendOf(table, picture)}${
    more.length === 0 ? null : html`<span><a href="${to(path)}">${more.join(" and ")}</a></span>`
  }${copies(path)}</figcaption></figure>`
}

/** Groups that a picture can choose from. Only a part of them is shown. */
const GROUPS = 20_000

/** Works out the table of a question as it is now; null if it can't be. */
export function tableNow(visit: Visit, roomId: string, question: TableAsked): PictureTable | null {
  const { metric, split, by, over, against, where, pool, experimentIds } = question
  const places = Object.entries(where).map(([name, value]) => `${name}:${value}`)
  const query = {
    metric,
    by: [...by],
    ...(split !== null && { split }),
    ...(over !== null && { over }),
    ...(against !== null && { against }),
    ...(places.length > 0 && { where: places }),
    ...(pool.length > 0 && { pool: [...pool] }),
  }
  const scope = experimentIds === null ? { roomId } : { experimentIds }
  const table = orNull(() => visit.tables.measured(scope, query, undefined, GROUPS))
  if (table === null) return null
  return {
    ...{ ...question, ...picked(table, "split", "unit", "over", "comparisons", "noise") },
    ...{ groups: table.groups.map(keptOf), ...picked(table.leftOut, "removed") },
  }
}

/**
 * The table that a Room rests its answer on, and the checkpoint or finding that it is from; that of a large Room is
 * worked out for the picture alone. Null if no finding rests on an effect.
 */
export function tableOfRoom(
  visit: Visit,
  roomId: string,
): { readonly table: PictureTable; readonly moved: number; readonly from: AnswerOf<"room_table">["from"] } | null {
  const { table, from } = visit.ask("room_table", { roomId })
  // Of a large table only a part is read; the picture chooses from all of what is measured now.
  const isCut = from?.kind === "finding" && table?.leftOut !== undefined
  if (table !== null && table.groups.length > 0 && !isCut) return { table, from, moved: table.moved.length }
  const newest = visit.tables.effectSources.newestOf(roomId)
  const question = newest && tableAround(newest)
  if (question === undefined) return null
  const { metric, by, split = null, over = null, against = null, where = {}, pool = [] } = question
  const now = tableNow(visit, roomId, { metric, by, split, over, against, where, pool, experimentIds: null })
  return now && { table: now, moved: 0, from: null }
}
