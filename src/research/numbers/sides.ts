/** The groups that a record's own effects compare. Its sentences speak of them without their names. */
import { folded } from "../measurements/stated.ts"
import type { Effect } from "../measurements/working-out.ts"
import { type Bindings, CLAUSE, SENTENCE } from "./bindings.ts"
import { states } from "./comparing.ts"
import { isOfGroup, type Match, sheetOf } from "./found.ts"
import type { Numeral } from "./numerals.ts"
import { facetIn, type Group, saidAs } from "./quantities.ts"
import type { Scope } from "./scope.ts"

/** One side of an effect: the values of its dimensions, by folded name. */
type Place = ReadonlyMap<string, string>

interface Side {
  readonly group: Group
  readonly place: Place
  /** The effects on the same metric that have it as their first and as their second side. */
  readonly isOf: boolean
  readonly isAgainst: boolean
}

const placeOf = (dimensions: Effect["of"]): Place =>
  new Map(Object.entries(dimensions).map(([name, value]) => [folded(name), saidAs(value)]))
const isAt = ({ key }: Group, place: Place): boolean => [...place].every(([facet, value]) => key.get(facet) === value)
const isSame = (one: Place, other: Place): boolean =>
  one.size === other.size && [...one].every(([facet, value]) => other.get(facet) === value)

export class Sides {
  readonly #scope: Scope

  constructor(scope: Scope) {
    this.#scope = scope
  }

  #last: Place | undefined
  #known: readonly Side[] | undefined
  /** The groups of the record's own attempts at each side, for each metric that its effects compare. */
  get #sides(): readonly Side[] {
    this.#known ??= this.#work()
    return this.#known
  }
  #work(): readonly Side[] {
    const { own, effectsNamed, quantities } = this.#scope.known
    if (own.versionIds.size === 0) return []
    const mine = effectsNamed().flatMap(({ holder, effect }) =>
      holder.kind === "record" && own.versionIds.has(holder.id) ? [effect] : [],
    )
    const places = mine.flatMap(({ of, against }) => [placeOf(of), placeOf(against)])
    const isOwn = ({ attempts }: Group) => attempts.every(({ attemptId }) => own.attemptIds.has(attemptId))
    return [...new Set(mine.map(({ metric }) => metric))].flatMap((name) => {
      const some = mine.filter(({ metric }) => metric === name)
      const wheres = some.map(({ where = {} }) => placeOf(where))
      const splits = new Set(some.map(({ split = null }) => split))
      const metrics = (quantities.metrics.get(name) ?? []).filter(({ split }) => splits.has(null) || splits.has(split))
      const groups = [
        ...own.groups.filter(({ metric }) => metrics.includes(metric)),
        ...metrics.flatMap((metric) => metric.groups.filter(isOwn)),
      ].filter((group) => wheres.some((where) => [...where].every(([facet, value]) => facetIn(group, facet) === value)))
      return groups.flatMap((group): Side[] => {
        const place = places.find((each) => isAt(group, each))
        if (place === undefined) return []
        const isOf = some.some(({ of }) => isSame(placeOf(of), place))
        return [{ group, place, isOf, isAgainst: some.some(({ against }) => isSame(placeOf(against), place)) }]
      })
    })
  }

  /** The mean, or another number, of a side that the words around a number do not contradict. */
  find(numeral: Numeral, bindings: Bindings, roles: readonly string[]): Match | undefined {
    const seed = bindings.get("seed")
    if (this.#sides.length === 0) return undefined
    if (seed !== undefined && seed.level <= SENTENCE && seed.values.size === 1) return undefined
    const named = this.#scope.attemptsOf(bindings, SENTENCE)
    const metrics = new Set(this.#sides.map(({ group }) => group.metric.name))
    const isOpen = bindings.get("metric") === undefined && metrics.size === 1
    const wanted = roles.includes("mean") ? ["mean"] : roles
    const fitting = this.#sides.filter(
      ({ group, place, isOf, isAgainst }) =>
        (isOpen || this.#scope.isCalled(group.metric.name, bindings)) &&
        group.attempts.every(({ attemptId }) => named?.has(attemptId) ?? true) &&
        !(numeral.role === "from" && isOf && !isAgainst) &&
        !(numeral.role === "to" && isAgainst && !isOf) &&
        [...place].every(([facet, value]) => this.#isOpenTo(numeral, bindings, facet, value)),
    )
    const isNamed = ({ place }: Side) => [...place].some(([facet, value]) => bindings.get(facet)?.values.has(value))
    // "with it they end at 0.276 and 0.620" speaks of one side.
    const rank = (side: Side) =>
      isNamed(side) ? 2 : this.#last !== undefined && isSame(side.place, this.#last) ? 1 : 0
    for (const { group, place } of fitting.toSorted((one, other) => rank(other) - rank(one)))
      for (const role of wanted) {
        const sheet = sheetOf(group)
        const value = sheet[role]
        if (value == null || !states(numeral, value, group.metric)) continue
        this.#last = place
        return { is: isOfGroup(group, role, value), sheet, measure: group.metric }
      }
    return undefined
  }

  /** Whether the clause of a number leaves room for a side: it names that one, none, or the other end of a range. */
  #isOpenTo(numeral: Numeral, bindings: Bindings, facet: string, value: string): boolean {
    const bound = bindings.get(facet)
    if (bound === undefined || bound.level > CLAUSE || bound.values.has(value)) return true
    if (numeral.role === "from" || numeral.role === "to")
      return [...bound.values].every((each) => this.#sides.some(({ place }) => place.get(facet) === each))
    // "After 960 steps it is 0.518 with resets" names the side "960 steps, resets" in two parts.
    const words = value.split(" ")
    const said = new Set(this.#scope.wordsOf(numeral))
    return (
      [...bound.values].every((each) => each.split(" ").every((word) => words.includes(word))) &&
      words.every((word) => said.has(word))
    )
  }
}
