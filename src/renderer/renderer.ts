/** Renders the texts of pages, with a cache, and in batches, so that no page waits for all texts of another. */
import { setImmediate as turn } from "node:timers/promises"
import { present } from "../contract/typed.ts"
import { limits } from "../contract/limits.ts"
import { asWritten, nameOf, type Text } from "./as-written.ts"

/**
 * A cache of values that never change. It holds a limited number of bytes, and drops the least recently used value
 * first.
 */
export class BoundedCache<T> {
  readonly #entries = new Map<string, T>()
  readonly #most: number
  readonly #sizeOf: (name: string, value: T) => number
  #bytes = 0

  /** @param most in bytes @param sizeOf returns the bytes of an entry */
  constructor(most: number, sizeOf: (name: string, value: T) => number) {
    this.#most = most
    this.#sizeOf = sizeOf
  }

  get bytes(): number {
    return this.#bytes
  }

  get(name: string): T | undefined {
    const found = this.#entries.get(name)
    if (found === undefined) return undefined
    this.#entries.delete(name)
    this.#entries.set(name, found)
    return found
  }

  set(name: string, value: T): void {
    if (this.#entries.has(name)) return
    this.#entries.set(name, value)
    this.#bytes += this.#sizeOf(name, value)
    for (const [oldest, dropped] of this.#entries) {
      if (this.#bytes <= this.#most) break
      this.#entries.delete(oldest)
      this.#bytes -= this.#sizeOf(oldest, dropped)
    }
  }
}

// Engines that render texts: on reader threads, or on this thread in tests and commands.

export interface Engine {
  /** Renders texts to markup, in order. @throws Error if rendering fails */
  render(texts: readonly Text[]): Promise<readonly string[]>
}

/** Renders on this thread, one batch per turn of the event loop, so that other work runs in between. */
export class OnThisThread implements Engine {
  #last: Promise<unknown> = Promise.resolve()
  render(texts: readonly Text[]): Promise<readonly string[]> {
    const made = this.#last.then(async () => {
      // Loaded on first use: the serving thread of a service renders on other threads.
      const { rendered } = await import("./markdown.ts")
      await turn()
      return texts.map(({ text, kind }) => rendered(text, kind))
    })
    this.#last = made.catch(() => undefined)
    return made
  }
}

/** Characters of text per batch: a few short texts, or one long one. */
const AT_ONCE = 4_000

/** Two bytes per character: what V8 uses for a text with any character beyond Latin 1. */
const cacheOf = (most: number) => new BoundedCache<string>(most, (name, markup) => 2 * (name.length + markup.length))

export class Renderer {
  readonly #engine: Engine
  readonly #most: number
  #kept: BoundedCache<string>
  /** Renderings in progress by name: several requests may need the same text at once. */
  readonly #inProgress = new Map<string, Promise<void>>()

  constructor(engine: Engine, most: number = limits.keptTextBytes) {
    this.#engine = engine
    this.#most = most
    this.#kept = cacheOf(most)
  }

  get keptBytes(): number {
    return this.#kept.bytes
  }

  /**
   * Renders texts in order, until the markup has `most` bytes; later texts are shown shortened, with a note.
   * A page has one call in progress at a time, and the engine runs calls in order, so pages take turns.
   */
  async markupOf<T extends Text>(texts: readonly T[], most: number = limits.pageTextBytes): Promise<Map<T, string>> {
    const found = new Map<T, string>()
    let bytes = 0
    for (let at = 0; at < texts.length; ) {
      const batch: T[] = []
      for (
        let characters = 0;
        at < texts.length && (batch.length === 0 || characters + present(texts[at]).text.length <= AT_ONCE);
        at += 1
      ) {
        const text = present(texts[at])
        characters += text.text.length
        batch.push(text)
      }
      const made = bytes >= most ? batch.map(beginning) : await this.#batch(batch)
      batch.forEach((text, index) => {
        const markup = bytes >= most ? beginning(text) : present(made[index])
        bytes += Buffer.byteLength(markup)
        found.set(text, markup)
      })
    }
    return found
  }

  async #batch(texts: readonly Text[]): Promise<string[]> {
    const kept = this.#kept
    const names = texts.map(({ text, kind }) => nameOf(text, kind))
    const made = names.map((name) => kept.get(name))
    const missing = names.flatMap((name, index) => (made[index] === undefined ? [{ name, index }] : []))
    if (missing.length === 0) return made.filter((one) => one !== undefined)
    const others = missing.flatMap(({ name }) => this.#inProgress.get(name) ?? [])
    const own = missing.filter(({ name }) => !this.#inProgress.has(name))
    if (own.length > 0) {
      const rendering = this.#render(own.map(({ index }) => present(texts[index]))).then((results) => {
        own.forEach(({ name, index }, place) => {
          made[index] = present(results[place])
          kept.set(name, made[index])
        })
      })
      for (const { name } of own) this.#inProgress.set(name, rendering)
      try {
        await rendering
      } finally {
        for (const { name } of own) this.#inProgress.delete(name)
      }
    }
    await Promise.all(others)
    // The cache may already have dropped what another page rendered.
    return Promise.all(
      made.map(
        async (markup, index) =>
          markup ?? kept.get(present(names[index])) ?? present((await this.#render([present(texts[index])]))[0]),
      ),
    )
  }

  /** Renders a batch. A text that cannot be rendered is shown as written; the others in its batch are unaffected. */
  async #render(texts: readonly Text[]): Promise<readonly string[]> {
    try {
      return await this.#engine.render(texts)
    } catch {
      const [only, ...others] = texts
      if (only === undefined) return []
      if (others.length === 0) return [asWritten(only.text, only.kind, "it took too long to render")]
      const made: string[] = []
      for (const text of texts) made.push(...(await this.#render([text])))
      return made
    }
  }

  /** Empties the cache, and drops the results of renderings in progress. */
  forget(): void {
    this.#kept = cacheOf(this.#most)
  }
}

/** The start of a text on a page whose byte limit is reached. */
function beginning({ text, kind }: Text): string {
  const short = text.length <= 200 ? text : `${text.slice(0, 200)} …`
  return asWritten(short, kind, "this page is full")
}

// Records which text a thread is rendering, in memory shared with the thread that started it. That thread can read it
// while this one is busy or after it ended, and so knows which text took too much time or memory.

/** Bytes for a name: a text's kind and its digest in base64. */
const NAME = 64

export class RenderingNote {
  readonly memory: SharedArrayBuffer
  /** The step, odd while a text is being rendered, and the length of its name. */
  readonly #numbers: Int32Array
  readonly #name: Buffer

  constructor(memory = new SharedArrayBuffer(8 + NAME)) {
    this.memory = memory
    this.#numbers = new Int32Array(memory, 0, 2)
    this.#name = Buffer.from(memory, 8, NAME)
  }

  begin(name: string): void {
    Atomics.store(this.#numbers, 1, this.#name.write(name, "latin1"))
    Atomics.add(this.#numbers, 0, 1)
  }

  end(): void {
    Atomics.add(this.#numbers, 0, 1)
  }

  /**
   * Returns a step that increases when a text starts and when it ends, and the name of the text being rendered; null
   * between two texts.
   */
  read() {
    const step = Atomics.load(this.#numbers, 0)
    return { step, name: step % 2 === 0 ? null : this.#name.toString("latin1", 0, Atomics.load(this.#numbers, 1)) }
  }
}
