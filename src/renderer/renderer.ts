/** Renders the texts of pages: each once, as long as it is kept, and in turns, so that no page waits for the whole of another. */
import { present } from "../contract/present.ts"
import { limits } from "../contract/limits.ts"
import { asWritten, type Text } from "./as-written.ts"
import type { Engine } from "./engines.ts"
import { Kept, nameOf } from "./kept.ts"

/** Characters of texts that are rendered in one go: a few short ones, or one long one. */
const AT_ONCE = 4_000

export class Renderer {
  readonly #engine: Engine
  readonly #most: number
  #kept: Kept
  /** What is being rendered, by its name: many may open one page at the same time. */
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(engine: Engine, most: number = limits.keptTextBytes) {
    this.#engine = engine
    this.#most = most
    this.#kept = new Kept(most)
  }

  /** Bytes of what is kept. */
  get keptBytes(): number {
    return this.#kept.bytes
  }

  /**
   * Markup of texts, in their order, until `most` bytes are made; of those after them only the beginning, and a word why.
   * A page has one call under way at a time, and the engine takes calls one after the other: so pages take turns.
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
    const others = missing.flatMap(({ name }) => this.#underWay.get(name) ?? [])
    const own = missing.filter(({ name }) => !this.#underWay.has(name))
    if (own.length > 0) {
      const rendering = this.#render(own.map(({ index }) => present(texts[index]))).then((results) => {
        own.forEach(({ name, index }, place) => {
          made[index] = present(results[place])
          kept.set(name, made[index])
        })
      })
      for (const { name } of own) this.#underWay.set(name, rendering)
      try {
        await rendering
      } finally {
        for (const { name } of own) this.#underWay.delete(name)
      }
    }
    await Promise.all(others)
    return Promise.all(
      made.map(async (markup, index) => markup ?? kept.get(present(names[index])) ?? (await this.#again(present(texts[index])))),
    )
  }

  /** What another page rendered, and what was not kept until it was asked for. */
  async #again(text: Text): Promise<string> {
    const [made = ""] = await this.#render([text])
    return made
  }

  /** Where a text cannot be rendered, it stands as it was written; the others of its batch do not suffer for it. */
  async #render(texts: readonly Text[]): Promise<readonly string[]> {
    try {
      return await this.#engine.render(texts)
    } catch {
      const [only, ...others] = texts
      if (only === undefined) return []
      if (others.length === 0) return [asWritten(only.text, only.kind, "it took too long to set it")]
      const made: string[] = []
      for (const text of texts) made.push(...(await this.#render([text])))
      return made
    }
  }

  /** Nothing that was rendered is kept, nor what is being rendered. */
  forget(): void {
    this.#kept = new Kept(this.#most)
  }
}

/** The beginning of a text that a full page has no room for. */
function beginning({ text, kind }: Text): string {
  const short = text.length <= 200 ? text : `${text.slice(0, 200)} …`
  return asWritten(short, kind, "this page is full")
}
