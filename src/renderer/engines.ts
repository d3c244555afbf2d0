/** Where texts are rendered: on reading threads, or, in tests and commands, on the only thread there is. */
import { setImmediate as turn } from "node:timers/promises"
import type { Text } from "./as-written.ts"

export interface Engine {
  /** Markup of texts, in their order. @throws Error when the rendering failed */
  render(texts: readonly Text[]): Promise<readonly string[]>
}

/** Renders on this thread, one batch a turn, so that other work comes in between. */
export class OnThisThread implements Engine {
  #last: Promise<unknown> = Promise.resolve()
  render(texts: readonly Text[]): Promise<readonly string[]> {
    const made = this.#last.then(async () => {
      // A service renders on other threads: this one loads no Markdown then.
      const { rendered } = await import("./markdown.ts")
      await turn()
      return texts.map(({ text, kind }) => rendered(text, kind))
    })
    this.#last = made.catch(() => undefined)
    return made
  }
}
