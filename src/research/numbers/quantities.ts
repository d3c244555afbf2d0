/**
 * The quantities of a Room's measurements: what its attempts reported last, the means of their groups, and the names of
 * all of them. They are worked out once for each state of the measurements.
 */
import { limits } from "../../contract/limits.ts"
import { type Scalar, type Source, textOf } from "../measurements/cells.ts"
import { type Frame, filtered, placesIn } from "../measurements/frame.ts"
import { PRIMARY } from "../measurements/reads.ts"
import type { Side } from "../measurements/sides.ts"
import { folded } from "../measurements/stated.ts"
import type { Summary } from "../measurements/statistics.ts"
import { tableOf } from "../measurements/table.ts"
import type { Measured, MetricFrame, Values } from "../measurements/values.ts"
import { Names, phraseOf } from "./passages.ts"

/** An object that a quantity belongs to. */
export interface Holder {
  readonly kind: "room" | "experiment" | "attempt" | "record" | "plan" | "checkpoint"
  readonly id: string
  readonly label: string | null
}

/** A metric in one split, with all its last values. */
export interface Metric {
  readonly name: string
  readonly split: string | null
  readonly unit: string | null
  readonly frame: MetricFrame
  /** The indices of the values of each attempt, by its id. */
  readonly ofAttempt: ReadonlyMap<string, readonly number[]>
  readonly groups: readonly Group[]
  /** Its dimensions by folded name. */
  readonly facets: ReadonlyMap<string, readonly Column[]>
  /** How many experiments reported it. */
  readonly experiments: number
  /** Its groups by their first attempt. */
  readonly byFirst: ReadonlyMap<string | undefined, readonly Group[]>
}
type Column = MetricFrame["columns"] extends ReadonlyMap<string, infer Of> ? Of : never

/** A group of values, with the mean of its succeeded attempts. */
export interface Group {
  readonly metric: Metric
  readonly holder: Holder
  /** Its dimensions and settings, by folded name; the values are phrases. */
  readonly key: ReadonlyMap<string, string>
  /** The dimensions in which the groups beside it differ. */
  readonly telling: readonly string[]
  /** How many dimensions of the metric are merged in it. */
  readonly merged: number
  readonly shown: Readonly<Record<string, Scalar | null>>
  readonly summary: Summary
  readonly side: Side
  /** Groups of one table can be compared. */
  readonly table: number
  readonly attempts: readonly Source[]
}

/** The values of a dimension or setting. */
export interface Dimension {
  readonly name: string
  /** The attempts that state or report a value, by its text. */
  readonly values: Map<string, Set<string>>
}

export interface Quantities {
  readonly roomId: string
  readonly attempts: readonly Measured[]
  readonly byLabel: ReadonlyMap<string, Measured>
  readonly byId: ReadonlyMap<string, Measured>
  /** By name; a metric has one for each split. */
  readonly metrics: ReadonlyMap<string, readonly Metric[]>
  /** By folded name. */
  readonly dimensions: ReadonlyMap<string, Dimension>
  readonly names: Names
  readonly units: ReadonlySet<string>
  /** All values and means, sorted. */
  readonly sorted: Float64Array
  /** The labels of experiments, by id. */
  readonly experiments: ReadonlyMap<string, string>
  /** The ids of the attempts of each experiment, by its label. */
  readonly ofExperiment: ReadonlyMap<string, ReadonlySet<string>>
  /** The groups of some attempts alone, for each metric that they reported. */
  groupsAmong(attemptIds: ReadonlySet<string>, holder: Holder): readonly Group[]
}

/** Most names that are looked for, and most values of a dimension among them. */
const [NAMES, NAMED_VALUES] = [20_000, 500]
/** Dimensions that are also merged: of a metric with more, only whole groups are known. */
const MERGED = 3
/** Values of dimensions whose phrases are kept. */
const SAID = 5_000
/** Experiments whose groups are worked out for a metric, and sets of attempts whose groups are kept. */
const [EXPERIMENTS, AMONG] = [300, 50]

/** All sublists of a list, the whole one first. */
const sublists = <T>(items: readonly T[]): (readonly T[])[] =>
  items.reduceRight<(readonly T[])[]>((rest, item) => rest.flatMap((each) => [[item, ...each], each]), [[]])

const said = new Map<Scalar, string>()
/** The value of a dimension as it is compared with what a text says. Texts are asked for again and again. */
export function saidAs(value: Scalar): string {
  if (typeof value === "number") return textOf(value)
  if (said.size > SAID) said.clear()
  return said.getOrInsertComputed(value, () => phraseOf(textOf(value)) || textOf(value))
}
/** Forgets the phrases that are kept, after words were withheld. */
export const forgetPhrases = (): void => said.clear()

/** Returns a dimension of the value at an index: its own, its attempt's arm, or a setting of its attempt. */
export function facetAt(
  { frame: { sources, sourceOf }, facets }: Metric,
  index: number,
  facet: string,
): string | undefined {
  for (const { codes, scalars } of facets.get(facet) ?? []) {
    const scalar = scalars[codes[index] ?? -1]
    if (scalar !== undefined) return saidAs(scalar)
  }
  const source = sources[sourceOf[index] ?? -1]
  return source && facetOf(source, facet)
}

/** Returns the arm or a setting of an attempt. */
export function facetOf(source: Source & { readonly arm?: string | null }, facet: string): string | undefined {
  if (facet === "arm" && source.arm != null) return saidAs(source.arm)
  const setting = source.launch?.settings.get(facet)
  return setting && saidAs(setting.value)
}

/** What the attempts of a group have in common, by dimension or setting: each number of a text asks for it again. */
const shared = new WeakMap<Group, Map<string, string | undefined>>()
/** Returns a dimension or setting that all values of a group have in common. */
export function facetIn(group: Group, facet: string): string | undefined {
  const own = group.key.get(facet)
  if (own !== undefined) return own
  let known = shared.get(group)
  if (known === undefined) shared.set(group, (known = new Map()))
  const before = known.get(facet)
  if (before !== undefined || known.has(facet)) return before
  const [first] = group.attempts
  const value = first && facetOf(first, facet)
  const common = group.attempts.every((each) => facetOf(each, facet) === value) ? value : undefined
  known.set(facet, common)
  return common
}

/** Works out the quantities of some attempts of a Room. @param frames what they reported */
export function quantitiesOf(
  values: Values,
  roomId: string,
  attempts: readonly Measured[],
  frames: ReturnType<Values["frames"]> = values.frames(attempts),
): Quantities {
  const experiments = new Map(attempts.map(({ experimentId, experimentLabel = "" }) => [experimentId, experimentLabel]))
  const dimensions = new Map<string, Dimension>()
  const units = new Set<string>()
  const byId = new Map(attempts.map((attempt) => [attempt.attemptId, attempt]))
  let tables = 0

  const note = (name: string, value: Scalar, attemptId: string): void => {
    const dimension = dimensions.getOrInsertComputed(folded(name), () => ({ name, values: new Map() }))
    dimension.values.getOrInsertComputed(textOf(value), () => new Set()).add(attemptId)
  }
  for (const { attemptId, arm, launch } of attempts) {
    if (arm !== null) note("arm", arm, attemptId)
    for (const { name, value } of launch.settings.values()) note(name, value, attemptId)
  }

  /** The groups of some values, for all dimensions and for fewer. */
  function groupsOf(metric: Metric, holder: Holder, frame: Frame, some: readonly Measured[]): Group[] {
    const own = [...frame.columns].filter(([, { codes }]) => codes.some((code) => code !== -1)).map(([name]) => name)
    const hasSeeds = own.includes("seed") || some.every(({ launch }) => launch.settings.has("seed"))
    const over = hasSeeds ? "seed" : undefined
    const arms = own.includes("arm") || !some.some(({ arm }) => arm !== null) ? [] : ["arm"]
    const all = [...arms, ...own.filter((name) => name !== over)]
    if (all.length > limits.dimensions) return []
    const here = values.at(frame, some, { by: all, over, where: {} })
    const questions = all.length > MERGED ? [all] : sublists(all)
    return questions.flatMap((by) => {
      const { groups } = tableOf(here, { by, over })
      if (groups.length > limits.measuredGroups) return []
      const table = (tables += 1)
      const made = groups.flatMap(({ key, settings, summary, side, attempts: sources }) => {
        if (summary === null) return []
        const shown = { ...key, ...settings }
        const facets = Object.entries(shown).flatMap(([name, value]) =>
          value === null ? [] : [[folded(name), saidAs(value)] as const],
        )
        const merged = all.length - by.length
        return [{ metric, holder, key: new Map(facets), merged, shown, summary, side, table, attempts: sources }]
      })
      const names = new Set(made.flatMap(({ key }) => [...key.keys()]))
      const telling = [...names].filter((name) => new Set(made.map(({ key }) => key.get(name))).size > 1)
      return made.map((group) => ({ ...group, telling: telling.filter((name) => group.key.has(name)) }))
    })
  }

  const found = frames.map(({ name, split, frame }): Metric => {
    const ofAttempt = new Map<string, number[]>()
    for (let index = 0; index < frame.values.length; index += 1) {
      const source = frame.sources[frame.sourceOf[index] ?? -1]
      if (source !== undefined) ofAttempt.getOrInsertComputed(source.attemptId, () => []).push(index)
    }
    for (const [dimension, { codes, scalars }] of frame.columns)
      for (const [attemptId, indices] of ofAttempt)
        for (const code of new Set(indices.map((index) => codes[index] ?? -1))) {
          const scalar = scalars[code]
          if (scalar !== undefined) note(dimension, scalar, attemptId)
        }
    for (const unit of frame.units) units.add(unit)
    const groups: Group[] = []
    const byFirst = new Map<string | undefined, Group[]>()
    const unit = frame.units.length === 1 ? (frame.units[0] ?? null) : null
    const columns = [...frame.columns].map(([dimension, column]) => ({ facet: folded(dimension), column }))
    const byFacet = Map.groupBy(columns, ({ facet }) => facet)
    const metric: Metric = {
      ...{ name, split: split || null, unit, frame, ofAttempt, groups },
      facets: new Map([...byFacet].map(([facet, some]) => [facet, some.map(({ column }) => column)])),
      experiments: new Set(frame.sources.map(({ experimentId }) => experimentId)).size,
      byFirst,
    }
    const isCounted = frame.sources.map(({ attemptId }) => {
      const attempt = byId.get(attemptId)
      return attempt?.status === "succeeded" ? (PRIMARY.includes(attempt.intent) ? 1 : 2) : 0
    })
    const among = (accepts: (place: number) => boolean) => {
      const some = filtered(frame, (index) => accepts(frame.sourceOf[index] ?? -1))
      const own = placesIn(some).flatMap((place) => byId.get(frame.sources[place]?.attemptId ?? "") ?? [])
      return { some, own }
    }
    const places = Map.groupBy(frame.sources.keys(), (place) => frame.sources[place]?.experimentId ?? "")
    const primary = placesIn(frame).filter((place) => isCounted[place] === 1)
    for (const [id, mine] of [...places].slice(0, EXPERIMENTS))
      for (const kind of [1, 2]) {
        const wanted = new Set(mine.filter((place) => isCounted[place] === kind))
        if (wanted.size === 0) continue
        const { some, own } = among((place) => wanted.has(place))
        groups.push(...groupsOf(metric, { kind: "experiment", id, label: experiments.get(id) ?? null }, some, own))
      }
    if (new Set(primary.map((place) => frame.sources[place]?.experimentId)).size > 1) {
      const { some, own } = among((place) => isCounted[place] === 1)
      groups.push(...groupsOf(metric, { kind: "room", id: roomId, label: null }, some, own))
    }
    for (const group of groups) byFirst.getOrInsertComputed(group.attempts[0]?.attemptId, () => []).push(group)
    return metric
  })

  const groupsAmong = (attemptIds: ReadonlySet<string>, holder: Holder): Group[] =>
    found.flatMap((metric) => {
      const { frame } = metric
      if (!frame.sources.some(({ attemptId }) => attemptIds.has(attemptId))) return []
      const some = filtered(frame, (index) =>
        attemptIds.has(frame.sources[frame.sourceOf[index] ?? -1]?.attemptId ?? ""),
      )
      const own = attempts.filter(({ attemptId }) => attemptIds.has(attemptId))
      return groupsOf(metric, holder, some, own)
    })
  const among = new Map<string, readonly Group[]>()

  const metrics = Map.groupBy(found, ({ name }) => name)
  const means = found.flatMap(({ groups }) => groups.map(({ summary }) => summary.mean))
  const size = found.reduce((sum, { frame }) => sum + frame.values.length, means.length)
  const sorted = new Float64Array(size)
  let at = 0
  for (const { frame } of found) {
    sorted.set(frame.values, at)
    at += frame.values.length
  }
  sorted.set(means, at)
  return {
    roomId,
    attempts,
    byLabel: new Map(attempts.map((attempt) => [attempt.label, attempt])),
    byId,
    metrics,
    dimensions,
    ofExperiment: new Map(
      [...Map.groupBy(attempts, ({ experimentLabel = "" }) => experimentLabel)].map(([label, some]) => [
        label,
        new Set(some.map(({ attemptId }) => attemptId)),
      ]),
    ),
    names: namesOf(metrics, dimensions),
    units,
    // What is not finite stands at the end.
    sorted: sorted.map((value) => (Number.isFinite(value) ? value : Number.NaN)).sort(),
    experiments,
    groupsAmong(attemptIds, holder) {
      if (among.size > AMONG) among.clear()
      return among.getOrInsertComputed(JSON.stringify([holder, ...attemptIds]), () => groupsAmong(attemptIds, holder))
    },
  }
}

function namesOf(metrics: Quantities["metrics"], dimensions: Quantities["dimensions"]): Names {
  const names = new Names()
  let left = NAMES
  const add = (facet: string, value: string, phrase: string): void => {
    if (phrase === "" || left <= 0) return
    left -= 1
    names.add({ facet, value }, phrase)
  }
  const phrases = new Map([...metrics.keys()].map((name) => [name, phraseOf(name)]))
  const endings = Map.groupBy(phrases.values(), (phrase) => phrase.split(" ").at(-1) ?? "")
  for (const [name, phrase] of phrases) {
    add("metric", name, phrase)
    // A last word that only this metric has names it too: "loss" of `validation_loss`.
    const last = phrase.split(" ").at(-1) ?? ""
    if (last.length > 2 && endings.get(last)?.length === 1 && !/^[0-9]/.test(last)) add("metric", name, last)
  }
  // "held-out loss" is the metric of that name, and `loss` in the split `held-out`.
  const called = new Set(phrases.values())
  for (const { name, split } of [...metrics.values()].flat()) {
    const phrase = `${phraseOf(split ?? "")} ${phraseOf(name)}`
    if (split === null || !called.has(phrase)) continue
    add("metric", name, phrase)
    add("split", split, phrase)
  }
  for (const split of new Set([...metrics.values()].flatMap((some) => some.flatMap((each) => each.split ?? []))))
    add("split", split, phraseOf(split))
  // Curves have steps, whether or not a setting says how many.
  add("name", "step", "step")
  for (const [facet, { name, values }] of dimensions) {
    add("name", facet, phraseOf(name))
    const last = phraseOf(name).split(" ").at(-1) ?? ""
    if (name.includes(".") && last.length > 2) add("name", facet, last)
    if (facet === "lr") add("name", facet, "learning rate")
    for (const value of [...values.keys()].slice(0, NAMED_VALUES))
      if (!/^(?:true|false|set|null)$/.test(value) && value.length <= 64) add(facet, saidAs(value), phraseOf(value))
  }
  return names
}
