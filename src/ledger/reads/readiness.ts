/** Whether the service takes writes now: it asks the writer, and tries a write if that is in doubt. */
import { statfsSync } from "node:fs"
import { dirname } from "node:path"
import type { Ledger } from "../write/admit.ts"

/** With less free space than this, a write is tried. */
const DOUBTFUL_BYTES = 16 * 1024 * 1024

export interface ReadinessParts {
  readonly file: string
  readonly ledger: Pick<Ledger, "probe">
  /** Why the service is about to end, if it is. */
  readonly ending: () => string | null
  /** Why writes fail for another reason than the storage's, if they do. */
  readonly otherwise?: () => string | null
  /** How many milliseconds the writer has to answer, and for how many an answer is kept. */
  readonly patience?: number
  readonly stands?: number
}

export class Readiness {
  readonly #parts: Required<ReadinessParts>
  /** A write failed because of the storage, and no later one has passed. */
  #failing = false
  #under: Promise<string | null> | null = null
  #found: { readonly why: string | null; readonly at: number } | null = null

  constructor(parts: ReadinessParts) {
    this.#parts = { patience: 3_000, stands: 1_000, otherwise: () => null, ...parts }
  }

  /** Notes that the storage lost writes. */
  failed(): void {
    this.#failing = true
    this.#found = null
  }

  /** A sentence that says why no write is taken, or null. Many calls at once cause one look. */
  async why(): Promise<string | null> {
    const { ending, stands, patience } = this.#parts
    if (ending() !== null) return ending()
    if (this.#found !== null && performance.now() - this.#found.at < stands) return this.#found.why
    // A look that is stuck is not started again.
    this.#under ??= this.#look().finally(() => (this.#under = null))
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve("Writes are not answered at the moment."), patience)
    })
    return Promise.race([this.#under, late]).finally(() => clearTimeout(timer))
  }

  async #look(): Promise<string | null> {
    const doubtful = this.#failing || this.#isSpaceShort()
    let why: string | null = null
    try {
      await this.#parts.ledger.probe(doubtful)
      this.#failing = false
    } catch {
      this.#failing = true
      why =
        this.#parts.otherwise() ?? "The data cannot be written at the moment: the disk is full or fails, or another program holds the data."
    }
    this.#found = { why, at: performance.now() }
    return why
  }

  #isSpaceShort(): boolean {
    try {
      const { bavail, bsize } = statfsSync(dirname(this.#parts.file))
      return bavail * bsize < DOUBTFUL_BYTES
    } catch {
      return false
    }
  }
}
