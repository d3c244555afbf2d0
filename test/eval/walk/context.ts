/**
 * What an agent has in its context: everything that it sent and read, counted. It may use nothing else. A name, a path, a word of an
 * enumeration or an id that no answer told it, and that it did not make itself, is a fault of this walk.
 */

/** What an agent spent. */
export interface Spent {
  readonly calls: number
  /** Of requests and answers together, as they stand in its context. */
  readonly bytes: number
}

/** What the agent brings along. */
const OWN_WORDS = new Set(["python", "loss", "seed", "steps", "cause", "effect", "ends_at"])
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

export class Context {
  #text = ""
  #calls = 0
  #bytes = 0
  #firstWrite: Spent | null = null
  readonly #own = new Set<string>()

  /** One call: what was sent and what came back. */
  exchanged(sent: string, answer: string): void {
    this.#text += `${sent}\n${answer}\n`
    this.#bytes += Buffer.byteLength(sent) + Buffer.byteLength(answer)
    this.#calls += 1
  }

  /** All of it, in order: for whoever mends what costs too much. */
  get told(): string {
    return this.#text
  }

  get spent(): Spent {
    return { calls: this.#calls, bytes: this.#bytes }
  }

  /** @throws Error where nothing was written yet */
  get firstWrite(): Spent {
    if (this.#firstWrite === null) throw new Error("nothing was written")
    return this.#firstWrite
  }

  /** Notes that a write was accepted. */
  wrote(): void {
    this.#firstWrite ??= this.spent
  }

  /** An id that the agent makes itself. */
  freshId(): string {
    const id = crypto.randomUUID()
    this.#own.add(id)
    return id
  }

  /** The first match of what the agent looks for in what it has read. @throws Error where it is not there */
  find(pattern: RegExp): string {
    const found = [...this.#text.matchAll(new RegExp(pattern, "g"))].at(-1)
    if (found === undefined) throw new Error(`nothing that was read holds ${pattern}`)
    return found[1] ?? found[0]
  }

  /** @throws Error for words that nothing told it */
  mustKnow(words: Iterable<string>, what: string): void {
    const strange = [...words].filter((word) => !this.#text.includes(word) && !this.#own.has(word) && !OWN_WORDS.has(word))
    if (strange.length > 0) throw new Error(`${what}: nothing that was read tells of ${strange.join(", ")}`)
  }

  /** The same for a body: each name of a property, each id, and each word that could be of an enumeration. */
  mustKnowBody(body: unknown, what: string): void {
    this.mustKnow(wordsOf(body), what)
  }
}

/** Objects whose property names are the agent's own. */
const FREE = new Set(["concepts", "configuration", "dimensions", "environment"])

function* wordsOf(value: unknown): Generator<string> {
  if (typeof value === "string") {
    yield* value.match(UUID) ?? []
    if (/^[a-z]+(?:_[a-z]+)*$/.test(value)) yield value
  } else if (Array.isArray(value)) for (const item of value) yield* wordsOf(item)
  else if (typeof value === "object" && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      yield name
      if (!FREE.has(name)) yield* wordsOf(inner)
      else for (const held of Object.values(inner)) if (typeof held === "object") yield* wordsOf(held)
    }
}
