/**
 * What a person changes in a comparison by group, as links that act at once: the groups, what is averaged over, the
 * baseline. And the answer before the table: which group is best, and whether that is noise.
 */
import { figureOn, scaleOf } from "../../research/measurements/statistics.ts"
import { leadInWords, noiseInWords } from "../../research/measurements/in-words.ts"
import { folded } from "../../research/measurements/stated.ts"
import { attributes, hiddenInputs, type Html, html, joined, type LateText, to } from "../html.ts"
import { list } from "../parts/parts.ts"
import type { Visit } from "../visit.ts"
import { counted, nameOfDimension } from "../words.ts"
import { type Group, type Measure, type Standing, ABSENT, type Grouping, labelOf, type Question } from "./comparison.ts"

type Changes = Readonly<Record<string, string | readonly string[] | undefined>>

/** The address of the page with some parameters replaced. A list without items stays, as one empty value. */
function addressWith({ url }: Visit, changes: Changes): URL {
  const other = new URL(url)
  other.searchParams.set("view", "groups")
  for (const [name, value] of Object.entries(changes)) {
    other.searchParams.delete(name)
    const values = typeof value === "string" ? [value] : (value ?? [])
    for (const each of values) other.searchParams.append(name, each)
    if (Array.isArray(value) && value.length === 0) other.searchParams.append(name, "")
  }
  return other
}
export function changed(visit: Visit, changes: Changes): LateText {
  const { pathname, search } = addressWith(visit, changes)
  return to(`${pathname}${search}`)
}
const grouped = (visit: Visit, { by, pool }: Grouping): LateText => changed(visit, { by, pool })

/** The most chips in a row that nothing folds away. */
const CHIPS = 12

const chip = (text: string, address: LateText | null, isPressed: boolean, title: string): Html => {
  const state = attributes({ "aria-current": isPressed ? "true" : null, title })
  return address === null
    ? html`<li><span${state}>${text}</span></li>`
    : html`<li><a href="${address}" rel="nofollow"${state}>${text}</a></li>`
}

function row(name: string, chips: readonly Html[]): Html {
  const shown = html`<ul class="chips" aria-label="${name}">${chips.slice(0, CHIPS)}</ul>`
  const more =
    chips.length <= CHIPS
      ? null
      : html`<details><summary>${chips.length - CHIPS} more</summary>\
<ul class="chips" aria-label="${name}, others">${chips.slice(CHIPS)}</ul></details>`
  return html`<div class="choose"><span class="quiet">${name}</span><div>${shown}${more}</div></div>`
}

/** Chips for the baseline, or a form if there are too many values for them. */
function baselines(visit: Visit, { by, against }: Question, measures: readonly Measure[]): Html | null {
  const keys = measures.flatMap(({ groups }) => groups.map(({ key }) => key))
  const places = [
    ...new Set(keys.flatMap((key) => by.flatMap((name) => (name in key ? [`${name}:${key[name]}`] : [])))),
  ]
  if (places.length < 2) return null
  const text = (place: string) => place.replace(/^--?/, "").replace(":", " ")
  if (places.length <= CHIPS)
    return row("Compare with", [
      chip("nothing", changed(visit, { against: undefined }), against === undefined, "Shows no differences"),
      ...places.map((place) =>
        chip(text(place), changed(visit, { against: place }), place === against, "Shows the difference from it"),
      ),
    ])
  const kept = [...addressWith(visit, { against: undefined }).searchParams]
  return html`<form class="inline filters" action="${to(visit.url.pathname)}">${hiddenInputs(kept)}<div class="field">\
<label for="against">Compare with</label><select id="against" name="against"><option value="">nothing</option>\
${places.map(
  (place) => html`<option value="${place}"${attributes({ selected: place === against })}>${text(place)}</option>`,
)}</select></div><div class="field"><button class="quiet">Compare with baseline</button></div></form>`
}

/** What the groups are, what is averaged over, and what they are compared with: chips that act at once. */
export function controls(visit: Visit, question: Question, measures: readonly Measure[]): Html {
  const { candidates, by, pool, over, withSeed } = question
  const parting = new Set(measures.flatMap(({ table }) => table.partedBy.map(folded)))
  const less = (names: readonly string[], name: string) => names.filter((each) => each !== name)
  const averaging = (name: string) =>
    over === null
      ? changed(visit, { by: less(by, name), pool, over: name })
      : grouped(visit, { by: less(by, name), pool: [...pool, name] })
  const grouping = (name: string) => grouped(visit, { by: [...by, name], pool: less(pool, name) })
  const why = (name: string) => (withSeed.includes(name) ? `, whose every value has one ${over ?? "run"} only` : "")
  const groups = [...by, ...candidates.filter((name) => !by.includes(name) && !pool.includes(name))].map((name) => {
    const isPressed = by.includes(name)
    const title = isPressed ? "Averages over it instead" : `Groups by it${why(name)}`
    return chip(nameOfDimension(name), isPressed ? averaging(name) : grouping(name), isPressed, title)
  })
  const apart = candidates.filter((name) => by.includes(name) || (parting.has(folded(name)) && !pool.includes(name)))
  const averaged = [
    ...(over === null ? [] : [chip(nameOfDimension(over), null, true, "Its values repeat a measurement")]),
    ...pool.map((name) => chip(nameOfDimension(name), grouping(name), true, `Groups by it instead${why(name)}`)),
    ...apart.map((name) => chip(nameOfDimension(name), averaging(name), false, `Averages over it${why(name)}`)),
  ]
  return html`<nav class="narrowing" aria-label="Groups">${groups.length === 0 ? null : row("Group by", groups)}\
${averaged.length === 0 ? null : row("Average over", averaged)}${baselines(visit, question, measures)}</nav>`
}

/** Says that each group is one run, or that a name was averaged over so that it is not, with a way to change it. */
export function alone(visit: Visit, question: Question, measures: readonly Measure[]): Html | null {
  const { instead, by, pool, withSeed, over } = question
  const named = (names: readonly string[]) => names.map(nameOfDimension).join(" and ")
  const seed = over === null ? "run" : nameOfDimension(over)
  const isAlone = measures.every(({ groups }) => groups.every(({ n }) => n < 2))
  const averaged = withSeed.filter((name) => pool.includes(name))
  if (!isAlone)
    return averaged.length === 0 || visit.url.searchParams.has("by")
      ? null
      : html`<p class="hint">Averaged over ${named(averaged)}: each of its values has one ${seed} only, so grouping by \
it makes groups of one run.</p>`
  // Nothing else parts the runs, so an average over these names would be one of everything.
  const isAll = instead !== null && instead.by.length === 0
  const once = `Each value of ${named(withSeed)} has one ${seed} only.`
  const varies =
    withSeed.length === 0
      ? `Run it with more ${seed === "run" ? "seeds" : `${seed}s`} to learn the spread.`
      : isAll
        ? `${once} If the ${seed} is part of its name, report the name without it: then runs repeat each other.`
        : once
  return html`<div class="banner warn" role="note"><p>Each group is one run (n = 1), so no difference can be told from \
noise${by.length === 0 ? null : ` when grouped by ${named(by)}`}. ${varies}\
${
  instead === null
    ? null
    : html` <a href="${grouped(visit, instead)}" rel="nofollow">${
        isAll ? "Put all runs into one group" : `Average over ${named(instead.pool)} and group by ${named(instead.by)}`
      }</a>`
}</p></div>`
}

/** The most answers before the table; it has all of them. */
const ANSWERS = 6

const comparative = { [-1]: "lower", 0: "", 1: "higher" } as const
const superlative = { [-1]: "lowest", 0: "", 1: "highest" } as const

function inWords({ name, direction, compares, table: { unit } }: Measure, standing: Standing): Html {
  const { where, groups, lead, isBest } = standing
  const own = ({ key }: Group) => html`<strong>${labelOf({ [compares ?? ""]: key[compares ?? ""] ?? ABSENT })}</strong>`
  const [first, next] = groups
  const at = where === "" ? "" : ` at ${where}`
  if (first === undefined || next === undefined) return html``
  const single = groups.filter(({ n }) => n < 2)
  if (single.length === groups.length)
    return html`No answer${at}: ${own(first)} has the \
${groups.length > 2 ? superlative[direction] : comparative[direction]} ${name}, but each is one run (n = 1).`
  const by = lead?.corrected == null ? null : leadInWords({ ...lead, ...lead.corrected }, unit)
  const scale = scaleOf(unit)
  const mean = `${figureOn(scale, first.mean, first.se)}${scale.value}`
  if (isBest)
    return html`${own(first)} is best${at}: ${name} ${mean}, ${comparative[direction]} than \
${own(next)} ${by}\
${groups.length > 2 ? `, and told apart from all ${groups.length - 1} others` : null}.\
${lead?.belowNoise === true ? null : " It is not noise."}`
  const alone =
    single.length === 0
      ? null
      : html` ${joined(single.slice(0, 3).map(own))} \
${single.length > 3 ? `and ${single.length - 3} more are` : single.length === 1 ? "is" : "are"} one run (n = 1), which \
nothing can be told apart from.`
  const distance = figureOn(scale, Math.abs((first.mean ?? 0) - (next.mean ?? 0)), first.se)
  return html`No clear winner${at}: ${own(first)} ahead of ${own(next)} \
${by ?? `by ${distance}${scale.difference}, no spread known`}.${alone}`
}

/** Links that say whether lower or higher values are better, for a metric whose name does not tell. */
const directions = (visit: Visit, { name }: Measure): Html => {
  const all = (way: string) => [...visit.url.searchParams.getAll(way), name]
  return html`Is lower or higher ${name} better? <a href="${changed(visit, { lower: all("lower") })}" \
rel="nofollow">Lower</a> <a href="${changed(visit, { higher: all("higher") })}" rel="nofollow">Higher</a>`
}

/** Says for the first metrics which group is best, and whether that is more than noise. */
export function whichIsBest(visit: Visit, measures: readonly Measure[]): Html {
  // A metric that the values' own dimensions group comes before those of whole attempts.
  const inOrder = measures.toSorted((one, other) => other.table.by.length - one.table.by.length)
  const answers = inOrder.flatMap((measure) => {
    const { noise, unit } = measure.table
    const beside = noise === null ? null : html` <span class="quiet">Noise: ${noiseInWords(noise, unit)}.</span>`
    if (measure.direction === 0) return measure.groups.length < 2 ? [] : [directions(visit, measure)]
    return measure.standings.map((standing) => html`${inWords(measure, standing)}${beside}`)
  })
  if (answers.length === 0) return html`<p class="quiet">There is only one group. Group by something that differs.</p>`
  const more = answers.length - ANSWERS
  const item = (answer: Html) => html`<li>${answer}</li>`
  return html`${list("answers", answers.slice(0, ANSWERS), item)}\
${
  more <= 0
    ? null
    : html`<details><summary>${counted(more, "more answer")}</summary>\
${list("answers", answers.slice(ANSWERS), item)}</details>`
}`
}
