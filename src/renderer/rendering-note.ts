/**
 * Which text a thread is rendering, in memory that it shares with the thread that started it. That one can read it while this one
 * is busy, and after it has ended: so it knows which text took too much time or memory.
 */

/** Bytes of a name: the kind of a text, and its digest in base64. */
const NAME = 64

export interface Rendering {
  /** Grows when a text begins and when it ends. */
  readonly step: number
  /** The name of the text that is being rendered; null between two texts. */
  readonly name: string | null
}

export class RenderingNote {
  readonly memory: SharedArrayBuffer
  /** The step, which is odd while a text is being rendered, and the length of its name. */
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

  read(): Rendering {
    const step = Atomics.load(this.#numbers, 0)
    return { step, name: step % 2 === 0 ? null : this.#name.toString("latin1", 0, Atomics.load(this.#numbers, 1)) }
  }
}
