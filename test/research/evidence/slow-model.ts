/**
 * Evidence computed only from the sentences of the protocol's section 8: every event is kept in one list, which is read
 * from the beginning for every question. None of the service's own model is used.
 */

export type Status = "current" | "disputed" | "corrected" | "superseded" | "retracted"

/** The author of an event, and their agent. */
interface By {
  readonly author: string
  readonly agent: string
}
/** The commit and seed of a run. */
export interface Run {
  readonly commit: string
  readonly seed: number
}

/** The events that affect evidence, as the service accepted them. */
export type Event =
  | (By & {
      readonly what: "record"
      readonly id: string
      readonly run: Run | undefined
      readonly grounds: readonly string[]
      readonly references: readonly { readonly to: string; readonly purpose: string }[]
    })
  | (By & {
      readonly what: "finding_link"
      readonly id: string
      readonly finding: string
      readonly verdicts: readonly { readonly of: string; readonly verdict: string }[]
    })
  | (By & {
      readonly what: "research_link"
      readonly id: string
      readonly kind: string
      readonly target: string
      readonly replacement?: string
    })
  | { readonly what: "reply"; readonly dispute: string; readonly author: string }
  | { readonly what: "withdrawal"; readonly link: string }
  | (By & {
      readonly what: "reproduction"
      readonly id: string
      readonly of: string
      readonly verdict: string | null
      readonly run: Run
    })

/** "premise, derived_from, extends or refines" */
const grounding = ["premise", "derived_from", "extends", "refines"]
/** "retracted, else superseded, else corrected, else disputed, else current" */
const strength = [
  ["retracts", "retracted"],
  ["supersedes", "superseded"],
  ["corrects", "corrected"],
  ["disputes", "disputed"],
] as const

interface Word extends By {
  readonly source: string
  readonly speaker: string
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
    return this.#made(id)?.author
  }
  /** The event that made a record or registered a reproduction. */
  #made(id: string): Extract<Event, { what: "record" | "reproduction" }> | undefined {
    return this.#events
      .filter((event) => event.what === "record" || event.what === "reproduction")
      .find((event) => event.id === id)
  }

  /**
   * "how it differs from what it speaks of …: another repository, or where the attempt says so; another commit is
   * `commit`; other digests or another seed set; null where it can't be told"
   */
  independence(id: string, word: Word) {
    const [target, speaker] = [this.#made(id), this.#made(word.speaker)]
    if (target === undefined) throw new Error("the target is unknown")
    const writers = [word, speaker ?? word]
    const [before, now] = [target.run, speaker?.run]
    return {
      person: writers.every(({ author }) => author !== target.author),
      agent: writers.every(({ author, agent }) => author !== target.author || agent !== target.agent),
      // All runs are of one repository.
      code: before === undefined || now === undefined ? null : false,
      commit: before === undefined || now === undefined ? null : before.commit !== now.commit,
      inputs: before === undefined || now === undefined ? null : before.seed !== now.seed,
    }
  }

  /** All evidence on a record, oldest first. */
  words(id: string): Word[] {
    return this.#events.flatMap((event): Word[] => {
      if (event.what === "reply" || event.what === "withdrawal") return []
      const { author, agent } = event
      if (event.what === "record")
        return event.references
          .filter(({ to, purpose }) => to === id && (purpose === "supports" || purpose === "contradicts"))
          .map(({ purpose }) => ({
            source: "reference",
            speaker: event.id,
            author,
            agent,
            verdict: purpose,
            link: null,
          }))
      if (event.what === "finding_link")
        return event.verdicts
          .filter(({ of }) => of === id)
          .map(({ verdict }) => ({
            source: "finding_link",
            speaker: event.finding,
            author,
            agent,
            verdict,
            link: event.id,
          }))
      if (event.what === "reproduction" && event.of === id)
        return [{ source: "reproduction", speaker: event.id, author, agent, verdict: event.verdict, link: null }]
      if (event.what === "research_link" && event.target === id && event.kind !== "supersedes")
        return [{ source: "research_link", speaker: event.id, author, agent, verdict: event.kind, link: event.id }]
      return []
    })
  }

  /**
   * "A dispute is answered by the author's correction or supersession, by its withdrawal, or by a reply of the author
   * to its entry"
   */
  #isAnswered(dispute: Extract<Event, { what: "research_link" }>): boolean {
    const author = this.#author(dispute.target)
    const later = this.#events.slice(this.#events.indexOf(dispute) + 1)
    return (
      this.#isWithdrawn(dispute.id) ||
      later.some((event) => event.what === "reply" && event.dispute === dispute.id && event.author === author) ||
      later.some(
        (event) =>
          event.what === "research_link" &&
          event.target === dispute.target &&
          event.author === author &&
          (event.kind === "corrects" || event.kind === "supersedes") &&
          !this.#isWithdrawn(event.id),
      )
    )
  }
  /** "Fallen means retracted or superseded" */
  isFallen = (id: string): boolean => ["retracted", "superseded"].includes(this.status(id))
  /** "doubted means corrected or disputed and not answered" */
  isDoubted(id: string): boolean {
    const status = this.status(id)
    return status === "corrected" || (status === "disputed" && this.#isOpenlyDisputed(id))
  }
  #isOpenlyDisputed = (id: string): boolean =>
    this.#events.some(
      (event) =>
        event.what === "research_link" && event.kind === "disputes" && event.target === id && !this.#isAnswered(event),
    )

  /**
   * "worked out from what bears on it": an unanswered dispute contests a record that has not fallen, and so do verdicts
   * for and against it.
   */
  verdict(id: string): string {
    const { supports, contradicts, inconclusive } = this.tally(id)
    if ((!this.isFallen(id) && this.#isOpenlyDisputed(id)) || (supports > 0 && contradicts > 0)) return "contested"
    if (supports > 0) return "supported"
    if (contradicts > 0) return "contradicted"
    return inconclusive > 0 ? "inconclusive" : "untested"
  }

  /**
   * "a finding's links, by whomever, and its reference count once, as its author's word, … fallen sources left out,
   * doubted ones counted"
   */
  tally(id: string) {
    const newest = new Map<string, Word>()
    for (const word of this.words(id)) {
      if (word.source === "research_link" || word.verdict === null) continue
      if (word.link !== null && this.#isWithdrawn(word.link)) continue
      newest.set(word.speaker, word)
    }
    const counted = [...newest.values()].filter(({ speaker }) => !this.isFallen(speaker))
    const of = (...verdicts: string[]) => counted.filter(({ verdict }) => verdicts.includes(verdict ?? "")).length
    const author = this.#author(id)
    const others = counted.flatMap((word) => {
      const person = this.#author(word.speaker) ?? word.author
      return word.author === author || person === author ? [] : [person]
    })
    const speakingAsOthers = counted.filter((word) => this.independence(id, word).agent)
    return {
      supports: of("supports"),
      contradicts: of("contradicts"),
      inconclusive: of("inconclusive"),
      reproductions: of("reproduces", "partly_reproduces"),
      failedReproductions: of("does_not_reproduce"),
      independent: new Set(others).size,
      otherAgents: new Set(
        speakingAsOthers
          .map((word) => this.#made(word.speaker) ?? word)
          .map(({ author: person, agent }) => `${person} ${agent}`),
      ).size,
      otherCode: counted.filter((word) => this.independence(id, word).code).length,
      doubted: counted.filter(({ speaker }) => this.isDoubted(speaker)).length,
    }
  }

  /** "A record is never in doubt because of what it replaces, or is replaced by" */
  #isReplacing(one: string, other: string): boolean {
    return this.#events.some(
      (event) =>
        event.what === "research_link" &&
        event.target === other &&
        event.replacement === one &&
        !this.#isWithdrawn(event.id),
    )
  }
  /** Whether the record rests on a fallen one, directly or further down. */
  isInDoubt = (id: string): boolean => this.doubts(id).some((ground) => this.isFallen(ground.id))

  /**
   * The records that it rests on, directly or further down, and that are no longer current: each once, with the
   * shortest distance.
   */
  doubts(id: string): { id: string; status: Status; distance: number }[] {
    const grounds = (of: string) =>
      this.#events.flatMap((event) =>
        event.what === "record" && event.id === of
          ? [
              ...event.grounds,
              ...event.references.filter(({ purpose }) => grounding.includes(purpose)).map(({ to }) => to),
            ].filter((ground) => !this.#isReplacing(of, ground) && !this.#isReplacing(ground, of))
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
