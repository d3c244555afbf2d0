/** Steps of curves that a text names, and what attempts reported there. */
import { type Bindings, SENTENCE, STEP } from "./bindings.ts"
import { states, type Is, type Match } from "./matches.ts"
import type { Numeral } from "./numerals.ts"
import type { Point, Scope } from "./scope.ts"

/** Attempts whose curves are read for a number. */
const ATTEMPTS = 40

type Of = NonNullable<Is["of"]>
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

export class Curves {
  readonly #scope: Scope

  constructor(scope: Scope) {
    this.#scope = scope
  }

  /** The attempts that a number may be of: those that the text names, or its record's own. */
  #attemptsOf(bindings: Bindings) {
    const { own } = this.#scope.known
    const named = this.#scope.attemptsOf(bindings, SENTENCE) ?? (own.attemptIds.size > 0 ? own.attemptIds : undefined)
    if (named === undefined || named.size > ATTEMPTS) return []
    return this.#scope.countedIn(bindings, named).mine.filter(({ attemptId }) => named.has(attemptId))
  }

  /** A step at which an attempt of the record reported something, or one that the sentence names. */
  step(numeral: Numeral): Is | undefined {
    const { own, quantities } = this.#scope.known
    const labels = this.#scope.labelsOf(numeral).map(({ value }) => value)
    const named = new Set(labels.flatMap((label) => quantities.byLabel.get(label)?.attemptId ?? []))
    const some = own.attemptIds.union(named)
    if (some.size > ATTEMPTS) return undefined
    for (const { attemptId, label } of quantities.attempts.filter((each) => some.has(each.attemptId))) {
      const point = this.#scope.known
        .pointsAt(attemptId)
        .find(({ step }) => numeral.readings.some(({ value }) => value === step))
      if (point === undefined) continue
      const of: Of = { kind: "attempt", id: attemptId, label }
      return { kind: "dimension", of, group: { step: point.step }, value: point.step }
    }
    return undefined
  }

  /** The value of an attempt at a step that the text names, or the mean of several; null if they have others there. */
  value(numeral: Numeral, bindings: Bindings, most: number): Match | null | undefined {
    const bound = bindings.get(STEP)
    if (bound === undefined || bound.level > most) return undefined
    const attempts = this.#attemptsOf(bindings)
    let isKnown = false
    const found = new Map<string, { point: Point; of: Of; experiment: string }[]>()
    for (const { attemptId, label, experimentId } of attempts)
      for (const point of this.#scope.known.pointsAt(attemptId)) {
        if (!bound.values.has(String(point.step)) || !this.#isOf(point, bindings)) continue
        isKnown = true
        if (!Number.isFinite(point.value)) continue
        const of: Of = { kind: "attempt", id: attemptId, label }
        const some = found.getOrInsertComputed(JSON.stringify([point.name, point.split, point.step]), () => [])
        some.push({ point, of, experiment: experimentId })
      }
    for (const all of found.values())
      for (const some of [
        all,
        ...Map.groupBy(all, ({ experiment }) => experiment).values(),
        ...all.map((one) => [one]),
      ]) {
        const [first] = some
        if (first === undefined) continue
        const { name, split, step } = first.point
        const unit = this.#scope.known.quantities.metrics.get(name)?.find((each) => each.split === split)?.unit ?? null
        const value = mean(some.map(({ point }) => point.value))
        if (!states(numeral, value, { name, unit })) continue
        const kind = some.length === 1 ? "metric" : "mean"
        const attempts = some.slice(0, 10).map(({ of }) => of.label ?? "")
        const is: Is = { kind, of: first.of, metric: name, group: { step }, value, n: some.length, attempts }
        return { is: { ...is, ...(split !== null && { split }) } }
      }
    return isKnown ? null : undefined
  }

  #isOf({ name, split }: Point, bindings: Bindings): boolean {
    const [metric, parts] = [bindings.get("metric"), bindings.get("split")]
    if (metric !== undefined && !metric.values.has(name)) return false
    return parts === undefined || parts.level > SENTENCE || split === null || parts.values.has(split)
  }
}
