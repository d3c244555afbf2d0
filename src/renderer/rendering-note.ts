/**
 * Records which text a thread is rendering, in memory shared with the thread that started it. That thread can read it
 * while this one is busy or after it ended, and so knows which text took too much time or memory.
 */

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
