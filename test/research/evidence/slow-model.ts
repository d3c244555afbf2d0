/**
 * Evidence worked out from the sentences of the protocol's section 8 alone: everything that was ever said is kept in one list
 * and read through from the beginning for every question. Nothing of the service's own model is used.
 */

export type Status = "current" | "disputed" | "corrected" | "superseded" | "retracted"

/** Everything that may happen to evidence, as the service accepted it. */
export type Event =
  | {
      readonly what: "record"
      readonly id: string
      readonly author: string
      readonly grounds: readonly string[]
      readonly references: readonly { readonly to: string; readonly purpose: string }[]
    }
  | {
      readonly what: "finding_link"
      readonly id: string
      readonly author: string
      readonly finding: string
      readonly verdicts: readonly { readonly of: string; readonly verdict: string }[]
    }
  | { readonly what: "research_link"; readonly id: string; readonly author: string; readonly kind: string; readonly target: string }
  | { readonly what: "withdrawal"; readonly link: string }
  | { readonly what: "reproduction"; readonly id: string; readonly author: string; readonly of: string; readonly verdict: string | null }

/** "premise, derived_from, extends or refines" */
const grounding = ["premise", "derived_from", "extends", "refines"]
/** "retracted, else superseded, else corrected, else disputed, else current" */
const strength = [
  ["retracts", "retracted"],
  ["supersedes", "superseded"],
  ["corrects", "corrected"],
  ["disputes", "disputed"],
] as const

interface Word {
  readonly source: string
  readonly speaker: string
  readonly author: string
  readonly verdict: string | null
  readonly link: string | null
}

export class SlowModel {
  readonly #events: Event[] = []

  add(event: Event): void {
    this.#events.push(event)
  }

  #isWithdrawn(link: string): boolean {
    return this.#events.some((event) => event.what === "withdrawal" && event.link === link)
  }

  status(id: string): Status {
    const said = this.#events.flatMap((event) =>
      event.what === "research_link" && event.target === id && !this.#isWithdrawn(event.id) ? [event.kind] : [],
    )
    return strength.find(([kind]) => said.includes(kind))?.[1] ?? "current"
  }

  #author(id: string): string | undefined {
    return this.#events.flatMap((event) => (event.what === "record" && event.id === id ? [event.author] : []))[0]
  }

  /** Everything that bears on a record, oldest first. */
  words(id: string): Word[] {
    return this.#events.flatMap((event): Word[] => {
      if (event.what === "record")
        return event.references
          .filter(({ to, purpose }) => to === id && (purpose === "supports" || purpose === "contradicts"))
          .map(({ purpose }) => ({ source: "reference", speaker: event.id, author: event.author, verdict: purpose, link: null }))
      if (event.what === "finding_link")
        return event.verdicts
          .filter(({ of }) => of === id)
          .map(({ verdict }) => ({ source: "finding_link", speaker: event.finding, author: event.author, verdict, link: event.id }))
      if (event.what === "reproduction" && event.of === id)
        return [{ source: "reproduction", speaker: event.id, author: event.author, verdict: event.verdict, link: null }]
      if (event.what === "research_link" && event.target === id && event.kind !== "supersedes")
        return [{ source: "research_link", speaker: event.id, author: event.author, verdict: event.kind, link: event.id }]
      return []
    })
  }

  /** "The newest word of each author per source, where a source is the object that speaks, fallen sources left out." */
  tally(id: string) {
    const newest = new Map<string, Word>()
    for (const word of this.words(id)) {
      if (word.source === "research_link" || word.verdict === null) continue
      if (word.link !== null && this.#isWithdrawn(word.link)) continue
      newest.set(`${word.author} ${word.speaker}`, word)
    }
    const counted = [...newest.values()].filter(({ speaker }) => this.status(speaker) === "current")
    const of = (verdict: string) => counted.filter((word) => word.source !== "reproduction" && word.verdict === verdict).length
    return {
      supports: of("supports"),
      contradicts: of("contradicts"),
      inconclusive: of("inconclusive"),
      reproductions: counted.filter(({ source }) => source === "reproduction").length,
      independent: counted.filter(({ author }) => author !== this.#author(id)).length,
    }
  }

  /** What it rests on, directly or further down, that is no longer current: each once, with how far away it is at the nearest. */
  doubts(id: string): { id: string; status: Status; distance: number }[] {
    const grounds = (of: string) =>
      this.#events.flatMap((event) =>
        event.what === "record" && event.id === of
          ? [...event.grounds, ...event.references.filter(({ purpose }) => grounding.includes(purpose)).map(({ to }) => to)]
          : [],
      )
    const distances = new Map<string, number>()
    const walk = (of: string, distance: number): void => {
      for (const ground of grounds(of)) {
        if ((distances.get(ground) ?? Number.POSITIVE_INFINITY) <= distance) continue
        distances.set(ground, distance)
        walk(ground, distance + 1)
      }
    }
    walk(id, 1)
    return [...distances]
      .map(([ground, distance]) => ({ id: ground, status: this.status(ground), distance }))
      .filter(({ status }) => status !== "current")
  }
}
