/** The engine of a reader thread: it records which text it renders, so that the thread that started it can see that. */
import { setImmediate as turn } from "node:timers/promises"
import { type Text, asWritten, nameOf } from "./as-written.ts"
import { rendered } from "./markdown.ts"

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
