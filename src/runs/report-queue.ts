/** The messages about a run that are not delivered yet, a file each in the folder of the run. */
import { renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Input } from "../contract/definitions/requests.ts"
import { makeFolder, namesIn, writeWhole } from "./files.ts"

/** One message about a run: its registration, or something that happened in it. */
export interface ReportRequest {
  readonly operation: "register_attempt" | "report_attempt_event"
  readonly input: Input
  /** The request, once it was sent: a retry sends exactly this again. */
  readonly sent: { readonly path: string; readonly body: string } | null
}

export class Letters {
  readonly #folder: string
  readonly #refused: string

  constructor(folder: string) {
    this.#folder = folder
    this.#refused = join(folder, "refused")
  }

  write(number: number, letter: ReportRequest): void {
    writeWhole(join(this.#folder, `letter-${String(number).padStart(9, "0")}.json`), letter)
  }

  /** The names of the files that wait, in order. */
  waiting(): string[] {
    return namesIn(this.#folder).filter((name) => /^letter-\d+\.json$/.test(name))
  }

  /** Keeps a letter that the service refused. @returns the sentence that says so */
  setAside(name: string, why: string): string {
    makeFolder(this.#refused)
    writeFileSync(join(this.#refused, `${name}.txt`), why)
    renameSync(join(this.#folder, name), join(this.#refused, name))
    return `It was not taken: ${why} What was said is kept in ${this.#refused}.`
  }

  hasRefused(): boolean {
    return namesIn(this.#refused).length > 0
  }
}
