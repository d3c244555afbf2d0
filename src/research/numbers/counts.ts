/** Counts that a text states: of attempts, seeds, arms, findings and so on. */
import { type Bindings, PARAGRAPH } from "./bindings.ts"
import { type Match, anyOf } from "./matches.ts"
import type { Numeral } from "./numerals.ts"
import type { Dimension, Holder } from "./quantities.ts"
import type { Scope } from "./scope.ts"

const BETWEEN = anyOf(
  "of the these those its all other more independent distinct different random succeeded successful failed planned " +
    "paired completed finished training repeated",
)
const NOUNS = anyOf(
  "attempts? runs? trials? repeats? repetitions? replicates? replications? seeds? arms? conditions? groups? pairs? " +
    "values? experiments? findings? hypothesis hypotheses plans? reviews? metrics?",
)
const COUNTED = new RegExp(`^[\\s-](?:(?:${BETWEEN})\\s){0,3}(${NOUNS})\\b`, "iu")
const OUT_OF = /^\s?(?:of|\/|out of)\s?(?:the\s|its\s|all\s)?([0-9]{1,6})(?![0-9.])/iu

/** A number of attempts, seeds, arms and so on: null if it is one and none that is known. */
export function countOf(
  scope: Scope,
  numeral: Numeral,
  bindings: Bindings,
  head: string,
  tail: string,
): Match | null | undefined {
  if (
    numeral.form !== "plain" ||
    numeral.unit !== null ||
    numeral.readings.every(({ value }) => !Number.isInteger(value))
  )
    return undefined
  const outOf = OUT_OF.exec(tail)
  const [, noun = ""] = COUNTED.exec(outOf === null ? tail : tail.slice(outOf[0].length)) ?? []
  const isN = /\b[nN]\s?=\s?$/u.test(head)
  if (noun === "" && !isN) return undefined
  const { quantities, own } = scope.known
  const stem = isN
    ? "n"
    : noun
        .toLowerCase()
        .replace(/^hypothes[ie]s$/, "hypothesis")
        .replace(/s$/, "")
  const named = scope.attemptsOf(bindings, PARAGRAPH) ?? (own.attemptIds.size > 0 ? own.attemptIds : undefined)
  const { inScope, mine } = scope.countedIn(bindings, named)
  const sentence = scope.in.sentenceOf(numeral)
  const words = sentence === undefined ? "" : scope.in.text.slice(sentence.start, sentence.end)
  const room: Holder = { kind: "room", id: quantities.roomId, label: null }
  const only = mine[0]?.experimentId
  const of: Holder =
    named !== undefined && only !== undefined && mine.every(({ experimentId }) => experimentId === only)
      ? { kind: "experiment", id: only, label: quantities.experiments.get(only) ?? null }
      : room
  /** Each count that it may be, worked out only if it is none of those before. */
  function* counts(): Generator<readonly [number, Holder]> {
    if (/^(?:attempt|run|trial|repeat|repetition|replicate|replication|value|n|group|pair)$/.test(stem)) {
      const statuses = [...new Set(mine.map(({ status }) => status))]
      const said = statuses.filter((status) => words.toLowerCase().includes(status.slice(0, 6)))
      for (const status of said) yield [mine.filter((each) => each.status === status).length, of]
      const isPart = outOf !== null && said.length > 0
      if (!isPart) {
        yield [mine.length, of]
        yield [mine.filter(({ status }) => status === "succeeded").length, of]
        yield [inScope.length, of]
        for (const some of Map.groupBy(mine, ({ arm, experimentId }) => `${experimentId} ${arm}`).values())
          yield [some.length, of]
      }
    }
    if (/^(?:seed|value|n|pair|repeat|repetition|replicate|replication|run)$/.test(stem)) {
      const seeds = quantities.dimensions.get("seed")
      for (const some of [mine, inScope]) yield [seeds === undefined ? 0 : valuesAmong(seeds, some), of]
      const metrics = bindings.get("metric")?.values
      const wanted = [...quantities.metrics.values()].flat().filter(({ name }) => metrics?.has(name) ?? true)
      for (const group of wanted.flatMap((metric) => scope.groupsWithin(metric, named)))
        if (group.merged === 0 && scope.isConsistent(group, bindings)) yield [group.summary.n, group.holder]
      for (const each of scope.effectsNamed(bindings)) {
        const { pairs, ofCount, againstCount } = each.before
        for (const count of [pairs, ofCount, againstCount]) if (count !== null) yield [count, each.holder]
      }
    }
    if (/^(?:arm|condition|group)$/.test(stem)) {
      const arms = quantities.dimensions.get("arm")
      if (arms !== undefined) yield [valuesAmong(arms, inScope), of]
    }
    const ofRoom = scope.known.countOf(stem)
    if (ofRoom !== undefined) yield [ofRoom, room]
    if (stem === "metric") yield [quantities.metrics.size, room]
  }
  const match = counts().find(([count]) => numeral.readings.some(({ value }) => value === count))
  if (match === undefined) return null
  return { is: { kind: "count", of: match[1], value: match[0] } }
}

/** How many values of a dimension some attempts have. */
function valuesAmong({ values }: Dimension, some: readonly { readonly attemptId: string }[]): number {
  const ids = new Set(some.map(({ attemptId }) => attemptId))
  let count = 0
  for (const each of values.values()) if (!each.isDisjointFrom(ids)) count += 1
  return count
}
