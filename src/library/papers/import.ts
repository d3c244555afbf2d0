/**
 * Brings metadata in from a file of arXiv or Crossref: JSON lines (arXiv's snapshot, Crossref's public data file), of any length in
 * bounded memory, or one answer of their APIs (Atom, JSON). Each may be compressed with gzip.
 */
import { codeOf } from "../../contract/faults.ts"
import { createReadStream } from "node:fs"
import { open, stat } from "node:fs/promises"
import type { Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { isoTime, type World } from "../../ledger/world.ts"
import type { Ledger } from "../../ledger/write/admit.ts"
import { atomPapers } from "./atom.ts"
import { crossrefPapers } from "./crossref-work.ts"
import type { MetadataIntake } from "./intake.ts"
import type { SourcePaper } from "./papers.ts"
import { snapshotPaper } from "./snapshot.ts"

/** Papers in one transaction: long enough to be quick, short enough to let a serving process write in between. */
const STEP = 500
/** Characters of one line, and of a whole answer. A work of Crossref brings all its references along. */
const LONGEST_LINE = 4_000_000
const LONGEST_ANSWER = 100_000_000
/** How an answer of Crossref begins, or one that is set out over several lines. */
const ANSWER = /^\s*\{\s*(?:"(?:status|message|message-type|items)"|\r?\n)/
/** How many times its size a compressed file may unpack to, once it came to so many characters. Text comes to 3 to 10 times. */
const MOST_UNPACKED = 100
const UNPACKED_FREELY = 16_000_000

/** The file cannot be imported, in a sentence for the person who asked for it. */
export class ImportError extends Error {
  override readonly name = "ImportError"
}

export interface Imported {
  /** Papers whose metadata is known now. */
  readonly papers: number
  /** Lines or entries that are no paper. */
  readonly skipped: number
}

export interface ImportOptions {
  /** Called with the bytes of the file read so far, and the papers kept. */
  readonly onProgress?: (bytes: number, papers: number) => void
}

/** A line is longer than any paper's; nothing behind it is read. */
class LineTooLong extends Error {
  override readonly name = "LineTooLong"

  constructor(line: number) {
    super(
      `Line ${line.toLocaleString("en")} is longer than ${LONGEST_LINE.toLocaleString("en")} characters: no line of arXiv's snapshot or Crossref's data file is.`,
    )
  }
}

/** The lines of a text, as many at a time as came together. @throws LineTooLong before more of a line than may be is held in memory */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let rest = ""
  let number = 0
  for await (const chunk of text) {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    // Only the first of them began before this piece.
    if ((lines[0]?.length ?? 0) > LONGEST_LINE) throw new LineTooLong(number + 1)
    number += lines.length
    yield lines
    if (rest.length > LONGEST_LINE) throw new LineTooLong(number + 1)
  }
  yield [rest]
}

/** Hands a text on while it does not unpack to far more than its file has. @throws ImportError */
async function* notBlownUp(text: AsyncIterable<string>, file: string, bytesRead: () => number): AsyncGenerator<string> {
  let length = 0
  for await (const chunk of text) {
    length += chunk.length
    if (length > UNPACKED_FREELY && length > MOST_UNPACKED * bytesRead())
      throw new ImportError(`${file} unpacks to more than ${MOST_UNPACKED} times its size; such a file is not imported.`)
    yield chunk
  }
}

async function wholeText(text: AsyncIterable<string>): Promise<string> {
  let whole = ""
  for await (const chunk of text) {
    whole += chunk
    if (whole.length > LONGEST_ANSWER)
      throw new ImportError("An answer of that size cannot be read in one piece; use a file of JSON lines.")
  }
  return whole
}

/** How a file begins: compressed or not, and the first character that says what it is. */
async function beginning(file: string): Promise<{ bytes: number; zipped: boolean }> {
  try {
    const handle = await open(file)
    try {
      const head = Buffer.alloc(2)
      await handle.read(head, 0, 2, 0)
      return { bytes: (await stat(file)).size, zipped: head[0] === 0x1f && head[1] === 0x8b }
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw new ImportError(`${file} cannot be read (${codeOf(error)}).`)
  }
}

/** The bytes of a file, for a bar that shows how far an import is. @throws ImportError */
export const importSize = async (file: string): Promise<number> => (await beginning(file)).bytes

/** Puts the first piece of a text back before the others. */
async function* withFirst(first: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield first
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

/**
 * Imports a file; what is imported is known to everybody on this instance from then on.
 * @throws ImportError when the file is of none of these formats, or cannot be read
 */
export async function importPapers(
  { ledger, world, metadataIntake }: { readonly ledger: Ledger; readonly world: World; readonly metadataIntake: MetadataIntake },
  file: string,
  { onProgress }: ImportOptions = {},
): Promise<Imported> {
  const { zipped } = await beginning(file)
  const source = createReadStream(file)
  const text: Readable = (zipped ? source.pipe(createGunzip()) : source).setEncoding("utf8")
  source.on("error", (error) => text.destroy(error))
  let kept = 0
  let skipped = 0

  async function keep(papers: readonly SourcePaper[]): Promise<void> {
    await ledger.transact(() => metadataIntake.store(papers, "import", isoTime(world.now())))
    kept += papers.length
    onProgress?.(source.bytesRead, kept)
  }

  async function lines(pieces: AsyncIterable<string>): Promise<void> {
    let batch: SourcePaper[] = []
    const all = linesOf(pieces)
    for (;;) {
      const next = await all.next().catch(async (error: unknown) => {
        if (!(error instanceof LineTooLong)) throw error
        if (batch.length > 0) await keep(batch)
        throw new ImportError(`${error.message} ${kept === 0 ? "Nothing was imported." : `The ${kept} papers before it are here now.`}`)
      })
      if (next.done) break
      for (const line of next.value) {
        if (line.trim() === "") continue
        const told = snapshotPaper(line)
        if (told === null) skipped += 1
        else batch.push(told)
        if (kept + batch.length === 0 && skipped >= STEP)
          throw new ImportError(`${file} is neither arXiv's snapshot nor Crossref's data file: none of its first ${STEP} lines is a paper.`)
        if (batch.length < STEP) continue
        await keep(batch)
        batch = []
      }
    }
    if (batch.length > 0) await keep(batch)
  }

  /** An answer in one piece. @param what what the file looks like, and what it should then be */
  async function answer(pieces: AsyncIterable<string>, read: typeof atomPapers, what: string): Promise<void> {
    let found: ReturnType<typeof atomPapers>
    try {
      found = read(await wholeText(pieces))
    } catch (error) {
      if (error instanceof ImportError) throw error
      throw new ImportError(`${file} is ${what} (${error instanceof Error ? error.message : String(error)}).`)
    }
    skipped += found.others
    for (let start = 0; start < found.papers.length; start += STEP) await keep(found.papers.slice(start, start + STEP))
  }

  try {
    const pieces = notBlownUp(text, file, () => source.bytesRead)
    const first = await pieces.next()
    const head = first.done ? "" : first.value.replace(/^\uFEFF/, "")
    const whole = withFirst(head, pieces)
    const mark = head.trimStart()[0]
    if (mark === "<") await answer(whole, atomPapers, "XML, but not an Atom answer of arXiv")
    else if (mark === "[" || ANSWER.test(head)) await answer(whole, crossrefPapers, "JSON, but not an answer of Crossref")
    else if (mark === "{") await lines(whole)
    else
      throw new ImportError(
        `${file} is none of these: arXiv's snapshot, an Atom answer of its API, Crossref's data file, a JSON answer of its API.`,
      )
  } catch (error) {
    const code = codeOf(error)
    if (code === "Z_DATA_ERROR" || code === "Z_BUF_ERROR" || code === "EISDIR") throw new ImportError(`${file} cannot be read (${code}).`)
    throw error
  } finally {
    source.destroy()
    text.destroy()
  }
  return { papers: kept, skipped }
}
