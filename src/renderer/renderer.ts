/** Renders the texts of pages, with a cache, and in batches, so that no page waits for all texts of another. */
import { present } from "../contract/present.ts"
import { BoundedCache } from "./bounded-cache.ts"
import { limits } from "../contract/limits.ts"
import { asWritten, nameOf, type Text } from "./as-written.ts"
import type { Engine } from "./engines.ts"

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
