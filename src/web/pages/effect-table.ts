/**
 * The page of a table of differences: all of it in parts, in other formats, and for one cell what it rests on.
 */
import { Refusal } from "../../contract/refusals.ts"
import { answer, type Answer } from "../../edge/answers/answer.ts"
import { basePathOf } from "../../contract/service.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import type { PictureGroup } from "../../research/measurements/arranging.ts"
import { figureOn, intervalOn, scaleOf } from "../../research/measurements/statistics.ts"
import { noiseInWords, placeInWords } from "../../research/measurements/in-words.ts"
import { statedOf } from "../../research/measurements/table.ts"
import type { Figures } from "../../research/measurements/working-out.ts"
import { readPath, type Html, html, joined, to } from "../html.ts"
import {
  effectCsv,
  type EffectCell,
  type EffectLine,
  effectMarkdown,
  effectSvg,
  effectTable,
  pooledCell,
  repeatCell,
  repeatLine,
  repeatsInWords,
} from "../charts/effects.ts"
import { stateBadge } from "../parts/marks.ts"
import {
  cellQuery,
  copies,
  effectsIn,
  legendOf,
  limitsOf,
  pictureOf,
  type PictureTable,
  sourcesOf,
  standingOf,
  tableNow,
  tablePath,
  tableOfRoom,
} from "./effects.ts"
import { argv, digest, empty, heading, label, person, table } from "../parts/parts.ts"
import { roomRail } from "../parts/room-frame.ts"
import { orNull, type Shown, type Visit } from "../visit.ts"
import { counted } from "../words.ts"

/** Rows and columns of one part of a table, and attempts of a cell that are listed. */
const [ROWS, COLUMNS, ATTEMPTS] = [25, 10, 24]

const listOf = (visit: Visit, name: string): string[] =>
  (visit.parameter(name) ?? "").split(",").filter((each) => each !== "")
const numberOf = (visit: Visit, name: string): number =>
  Math.max(0, Math.min(1e6, Math.floor(Number(visit.parameter(name) ?? 0)) || 0))

/** Reads the table that the address asks for; without a metric, that of the Room. */
function tableAsked(visit: Visit, roomId: string): PictureTable | null {
  const metric = visit.parameter("metric")
  if (metric === undefined) return tableOfRoom(visit, roomId)?.table ?? null
  const where = visit.url.searchParams
    .getAll("where")
    .map((text) => [text.slice(0, text.indexOf(":")), text.slice(text.indexOf(":") + 1)] as const)
  const experimentIds = listOf(visit, "experiments").filter(isUuid)
  return tableNow(visit, roomId, {
    ...{ metric, by: listOf(visit, "by"), pool: listOf(visit, "pool"), where: Object.fromEntries(where) },
    ...{
      split: visit.parameter("split") ?? null,
      over: visit.parameter("over") ?? null,
      against: visit.parameter("against") ?? null,
    },
    experimentIds: experimentIds.length === 0 ? null : experimentIds,
  })
}

const spotOf = (figures: Figures | null): EffectCell | null =>
  figures && {
    ...{ estimate: figures.estimate, se: figures.se, low: figures.low, high: figures.high },
    n: `n ${figures.pairs ?? Math.min(figures.ofCount, figures.againstCount)}`,
    isDistinct: false,
  }

/** The values behind a side of a cell, by seed, and the attempts that reported them. */
function sideOf(
  visit: Visit,
  roomId: string,
  group: PictureGroup,
  { metric, split, by, over, pool, where, experimentIds }: PictureTable,
) {
  const places = Object.entries({ ...where, ...group.key }).map(([name, value]) => `${name}:${value}`)
  const query = {
    metric,
    by: [...by],
    points: "1" as const,
    where: places,
    ...(split !== null && { split }),
    ...(over !== null && { over }),
    ...(pool.length > 0 && { pool: [...pool] }),
  }
  const scope = experimentIds === null ? { roomId } : { experimentIds }
  const found = orNull(() => visit.tables.measured(scope, query))
  return found?.groups.find(
    ({ settings }) => found.groups.length === 1 || JSON.stringify(settings) === JSON.stringify(group.settings),
  )
}

function attemptRows(visit: Visit, ids: readonly string[]): Html[] {
  return ids.slice(0, ATTEMPTS).flatMap((attemptId) => {
    const found = orNull(() => visit.ask("attempt", { attemptId }))
    if (found === null) return []
    const {
      repository: { url, commit },
      registrant,
      intent,
    } = found
    return [
      html`<tr><th scope="row">${label("attempt", attemptId, found.label)}</th><td>${person(registrant)}</td>\
<td>${intent}</td><td>${url.replace(/^https:\/\//, "")} ${digest(commit)}</td><td>${argv(found.argv.slice(0, 12))}\
</td></tr>`,
    ]
  })
}

/** Renders what a cell rests on: findings and their reproductions on one axis, then values, code and attempts. */
function cellSection(visit: Visit, roomId: string, group: PictureGroup, from: PictureTable): Html {
  const { contrast, key, settings } = group
  const scale = scaleOf(from.unit)
  const all = sourcesOf(group, from, effectsIn(visit, roomId, from.metric))
  // A finding that repeats another one stands below it.
  const repeating = new Set(all.flatMap(({ repeats }) => repeats.map(({ by }) => by.id)))
  const sources = all.filter(({ versionId }) => !repeating.has(versionId))
  const what = placeInWords({ ...key, ...statedOf(settings) })
  const lines: EffectLine[] = [
    ...sources.flatMap((source) => [
      {
        head: html`${label("finding", source.versionId, source.label)} ${person(source.author)}`,
        name: source.label,
        cells: [spotOf(source.figures)],
      },
      ...source.repeats.map((repeat) => ({ ...repeatLine(visit, repeat), cells: [repeatCell(repeat)] })),
      ...(source.pooled === null
        ? []
        : [{ head: "Together", name: "Together", look: "pooled" as const, cells: [pooledCell(source.pooled)] }]),
    ]),
    ...(contrast === null
      ? []
      : [
          {
            head: "All runs of the table",
            name: "All runs of the table",
            cells: [{ ...contrast, n: `n ${contrast.pairs ?? group.n}` }],
          },
        ]),
  ]
  const own = sideOf(visit, roomId, group, from)
  const baseline =
    from.against === null || group.isBaseline
      ? undefined
      : from.groups.find(
          (other) =>
            other.isBaseline &&
            JSON.stringify(other.settings) === JSON.stringify(settings) &&
            Object.entries(other.key).every(
              ([name, value]) => from.against?.startsWith(`${name}:`) === true || String(key[name]) === String(value),
            ),
        )
  const base = baseline && sideOf(visit, roomId, baseline, from)
  const overs = (own?.points ?? []).map(({ over, value }) => ({
    over: String(over ?? ""),
    value,
    against: base?.points?.find((each) => over !== null && String(each.over) === String(over))?.value,
  }))
  const attempts = [
    ...new Map([...(own?.attempts ?? []), ...(base?.attempts ?? [])].map((each) => [each.attemptId, each])).keys(),
  ]
  const { reproduced, against } = standingOf(sources)
  const notes = contrast && [
    contrast.pairs === null ? `n ${group.n}, unpaired` : counted(contrast.pairs, "pair"),
    `${contrast.isDistinct ? "told apart" : "not told apart"} among ${counted(from.comparisons, "comparison")}`,
    ...Object.values(limitsOf(contrast)).filter((part) => part !== null),
    ...[reproduced, against].filter((part) => part !== null),
  ]
  const said =
    contrast === null
      ? `Mean ${figureOn(scale, group.mean)}${scale.value}, n ${group.n}.`
      : `${figureOn(scale, contrast.estimate, contrast.se)}${scale.difference}, 95 % ${intervalOn(
          scale,
          contrast.low,
          contrast.high,
          contrast.se,
        )}, ${notes?.join("; ")}.`
  const words =
    sources.length > 0 &&
    html`<p>${repeatsInWords(
      visit,
      sources.flatMap(({ repeats }) => repeats),
    )}</p>`
  return html`<section aria-labelledby="cell" class="cell-of">${heading(2, "cell", what)}<p class="lead">${said}</p>${
    sources.length === 0 ? html`<p>No finding rests on this difference yet.</p>` : null
  }${
    lines.length === 0
      ? null
      : effectTable({ caption: `What ${what} rests on`, corner: "Source", columns: [""], lines, unit: from.unit })
  }${words}
${
  overs.length > 0 &&
  html`<details><summary>${counted(overs.length, "value")}${from.over === null ? "" : ` by ${from.over}`}\
</summary>${table(
    "Values",
    [from.over ?? "#", what, ...(base === undefined ? [] : ["baseline", "difference"])],
    overs.map(
      ({ over, value, against: other }, at) =>
        html`<tr><th scope="row">${over || at + 1}</th><td class="number">${value}</td>${
          base &&
          html`<td \
class="number">${other ?? "–"}</td><td class="number">${
            other === undefined ? "–" : figureOn(scaleOf(null), value - other)
          }</td>`
        }</tr>`,
    ),
  )}</details>`
}
${
  attempts.length > 0 &&
  html`<details><summary>${counted(attempts.length, "attempt")} and ${attempts.length === 1 ? "its" : "their"} code\
</summary>${table("Attempts", ["Attempt", "By", "Intent", "Code", "Command"], attemptRows(visit, attempts))}\
</details>`
}</section>`
}

/** Links to the parts of a table along one side. */
function parts(
  path: string,
  name: "rows" | "columns",
  from: number,
  size: number,
  all: number,
  other: readonly [string, number],
): Html | null {
  if (all <= size) return null
  const starts = Array.from({ length: Math.ceil(all / size) }, (_, at) => at * size)
  const item = (start: number) => {
    const text = `${start + 1} to ${Math.min(all, start + size)}`
    return start === from
      ? html`<strong aria-current="page">${text}</strong>`
      : html`<a href="${to(`${path}&${name}=${start}${other[1] > 0 ? `&${other[0]}=${other[1]}` : ""}`)}">${text}</a>`
  }
  return html`<span>${name === "rows" ? "Rows" : "Columns"} ${joined(starts.slice(0, 40).map(item))}</span>`
}

export function effectTablePage(visit: Visit): Shown | Answer {
  const roomId = visit.id("roomId")
  const room = visit.room(roomId)
  const asked = tableAsked(visit, roomId)
  const format = visit.parameter("format")
  if (asked === null) {
    if (format !== undefined)
      throw new Refusal("invalid_schema", "This table cannot be computed: no attempt reported these values.")
    return {
      title: "Table",
      rail: roomRail(room),
      body: html`<h1>Table</h1>${empty(
        "This table cannot be computed: no attempt here reported these values.",
        html`\
<a href="${to(`/rooms/${roomId}/attempts`)}">Attempts of the Room</a>`,
      )}`,
    }
  }
  const [from, fromColumn] = [numberOf(visit, "rows"), numberOf(visit, "columns")]
  const path = tablePath(roomId, asked)
  const isFile = format !== undefined
  const { picture, shape } = pictureOf(
    visit,
    roomId,
    asked,
    isFile ? { rows: ROWS, columns: COLUMNS } : { rows: ROWS, columns: COLUMNS, from, fromColumn },
  )
  if (format === "markdown")
    return answer(
      effectMarkdown(picture, [
        `Bold: told apart, after correction for ${counted(asked.comparisons, "comparison")}.`,
        ...(asked.noise == null ? [] : [`Noise from run to run: ${noiseInWords(asked.noise, asked.unit)}.`]),
      ]),
      "text/markdown",
    )
  if (format === "csv") return answer(effectCsv(picture), "text/csv")
  if (format === "svg")
    return answer(effectSvg(picture).write({ basePath: basePathOf(visit.edge), now: 0 }), "image/svg+xml")
  const cell = visit.url.searchParams.getAll("cell")
  const chosen =
    cell.length === 0
      ? undefined
      : asked.groups.find((group) => {
          const own = cellQuery(group).map(([, text]) => text)
          return own.length === cell.length && own.every((text) => cell.includes(text))
        })
  const query = [...visit.url.searchParams].filter(([name]) => !["cell", "rows", "columns", "format"].includes(name))
  return {
    title: picture.caption,
    rail: roomRail(room),
    wide: true,
    json: readPath("room_measurements", { roomId }, Object.fromEntries(query.map(([name, value]) => [name, value]))),
    body: html`<h1>${picture.caption}</h1>
${
  cell.length > 0 &&
  (chosen === undefined
    ? html`<p>${stateBadge("unknown", "This cell is no longer in the table.")}\
</p>`
    : cellSection(visit, roomId, chosen, asked))
}
<figure class="effects">${effectTable(picture)}<figcaption class="meta">${legendOf(asked, picture)}${parts(
      path,
      "rows",
      from,
      ROWS,
      shape.all.rows,
      ["columns", fromColumn],
    )}${parts(path, "columns", fromColumn, COLUMNS, shape.all.columns, [
      "rows",
      from,
    ])}${copies(path)}</figcaption></figure>`,
  }
}
