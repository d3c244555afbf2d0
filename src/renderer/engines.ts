/** Engines that render texts: on reader threads, or on this thread in tests and commands. */
import { setImmediate as turn } from "node:timers/promises"
import type { Text } from "./as-written.ts"

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
