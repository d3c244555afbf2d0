/**
 * An agent's context: everything that it sent and read, counted. It may use nothing else. Any name, path, word of an
 * enumeration or id that no answer contained, and that the agent did not make itself, is a fault.
 */

/** The calls and bytes of an agent. */
export interface Spent {
  readonly calls: number
  /** Bytes of requests and answers together, as in its context. */
  readonly bytes: number
  /** Bytes that passed the wire for them, with every header, packed as the client asked; 0 if nobody counted. */
  readonly wire: number
}

/** What the agent knows from the start. */
const OWN_WORDS = new Set(["python", "loss", "seed", "steps", "cause", "effect", "ends_at"])
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

export class Context {
  #text = ""
  #last = ""
  #calls = 0
  #bytes = 0
  #firstWrite: Spent | null = null
  readonly #own = new Set<string>()
  readonly #meter: () => number
  #wireBegan: number

  /** @param meter tells the bytes that have passed the wire so far */
  constructor(meter: () => number = () => 0) {
    this.#meter = meter
    this.#wireBegan = meter()
  }

  /** Does what costs the agent nothing: others write, or a file is kept unread. */
  async unread<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#meter()
    const result = await work()
    this.#wireBegan += this.#meter() - before
    return result
  }

  /** One call: its request and its answer. */
  exchanged(sent: string, answer: string): void {
    this.#last = answer
    this.#text += `${sent}\n${answer}\n`
    this.#bytes += Buffer.byteLength(sent) + Buffer.byteLength(answer)
    this.#calls += 1
  }

  /** The answer to the last call. */
  get last(): string {
    return this.#last
  }

  /** All calls, in order, to find what costs too much. */
  get told(): string {
    return this.#text
  }

  get spent(): Spent {
    return { calls: this.#calls, bytes: this.#bytes, wire: this.#meter() - this.#wireBegan }
  }

  /** @throws Error if nothing was written yet */
  get firstWrite(): Spent {
    if (this.#firstWrite === null) throw new Error("nothing was written")
    return this.#firstWrite
  }

  /** Records that a write was accepted. */
  wrote(): void {
    this.#firstWrite ??= this.spent
  }

  /** An id made by the agent itself. */
  freshId(): string {
    const id = crypto.randomUUID()
    this.#own.add(id)
    return id
  }

  /** The first match for the agent's search in what it has read. @throws Error if there is none */
  find(pattern: RegExp): string {
    const found = [...this.#text.matchAll(new RegExp(pattern, "g"))].at(-1)
    if (found === undefined) throw new Error(`nothing that was read holds ${pattern}`)
    return found[1] ?? found[0]
  }

  /** @throws Error for words that it has not read */
  mustKnow(words: Iterable<string>, what: string): void {
    const strange = [...words].filter(
      (word) => !this.#text.includes(word) && !this.#own.has(word) && !OWN_WORDS.has(word),
    )
    if (strange.length > 0) throw new Error(`${what}: nothing that was read tells of ${strange.join(", ")}`)
  }

  /** The same for a body: each property name, each id, and each word that could be of an enumeration. */
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
