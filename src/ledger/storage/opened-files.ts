/**
 * Whether the data's files are still those that were opened. A program that has a file open goes on with it after it was
 * deleted or replaced: what it writes then is lost with the program.
 *
 * Only their names are looked up. To open the file once more and close it would drop the database's own locks.
 */
import { statSync } from "node:fs"

const identity = (file: string): string | null => {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? null : `${found.dev}:${found.ino}`
}

export class OpenedFiles {
  readonly #file: string
  readonly #opened: { readonly data: string | null; log: string | null }

  /** @param file the database's, open already */
  constructor(file: string) {
    this.#file = file
    this.#opened = { data: identity(file), log: identity(`${file}-wal`) }
  }

  /** The sentence that says what is gone, or null while all is there. Costs two looks at the folder. */
  lost(): string | null {
    if (identity(this.#file) !== this.#opened.data) return sentence(this.#file)
    // The log may have come after the file was opened, and stays for as long as it is open.
    const log = identity(`${this.#file}-wal`)
    this.#opened.log ??= log
    return log === this.#opened.log ? null : sentence(`${this.#file}-wal`)
  }
}

const sentence = (file: string): string =>
  `${file} is not the file any more that this service opened: it was deleted, moved or replaced. The service ends, since nothing it wrote now would be found again. End the service before its data is changed, and start it again after.`
