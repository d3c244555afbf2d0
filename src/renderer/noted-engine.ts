/** The engine of a reader thread: it records which text it renders, so that the thread that started it can see that. */
import { asWritten, nameOf, type Text } from "./as-written.ts"
import type { Engine, RenderingNote } from "./renderer.ts"
import { rendered } from "./markdown.ts"

export class NotedEngine implements Engine {
  readonly #note: RenderingNote
  /** The names of texts that ended a thread; they are shown as written. */
  readonly #tooCostly: Set<string>

  constructor(note: RenderingNote, tooCostly: Iterable<string>) {
    this.#note = note
    this.#tooCostly = new Set(tooCostly)
  }

  async render(texts: readonly Text[]): Promise<readonly string[]> {
    return texts.map((text) => this.#render(text))
  }

  /** Stops rendering a text that ended another thread. */
  avoid(name: string): void {
    this.#tooCostly.add(name)
  }

  forget(): void {
    this.#tooCostly.clear()
  }

  #render({ text, kind }: Text): string {
    const name = nameOf(text, kind)
    if (this.#tooCostly.has(name)) return asWritten(text, kind, "it takes too long to render")
    this.#note.begin(name)
    try {
      return rendered(text, kind)
    } finally {
      this.#note.end()
    }
  }
}
