/** The requests about a run that are not delivered yet, each in a file in the folder of the run. */
import { renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Input } from "../contract/definitions/requests.ts"
import { makeFolder, namesIn, writeWhole } from "./files.ts"

/** A request about a run: its registration or an event. */
export interface ReportRequest {
  readonly operation: "register_attempt" | "report_attempt_event"
  readonly input: Input
  /** The request as it was sent first; a retry sends the same bytes. Null before that. */
  readonly sent: { readonly path: string; readonly body: string } | null
}

export class ReportQueue {
  readonly #folder: string
  readonly #refused: string

  constructor(folder: string) {
    this.#folder = folder
    this.#refused = join(folder, "refused")
  }

  write(number: number, request: ReportRequest): void {
    writeWhole(join(this.#folder, `letter-${String(number).padStart(9, "0")}.json`), request)
  }

  waiting(): string[] {
    return namesIn(this.#folder).filter((name) => /^letter-\d+\.json$/.test(name))
  }

  /** Keeps a request that the service refused. @returns a sentence that says so */
  setAside(name: string, reason: string): string {
    makeFolder(this.#refused)
    writeFileSync(join(this.#refused, `${name}.txt`), reason)
    renameSync(join(this.#folder, name), join(this.#refused, name))
    return `It was refused: ${reason} The refused request is kept in ${this.#refused}.`
  }

  hasRefused(): boolean {
    return namesIn(this.#refused).length > 0
  }
}
