/**
 * Imports metadata from a file of arXiv or Crossref: JSON lines of any length in bounded memory (arXiv's snapshot,
 * Crossref's public data file), or one response of their APIs (Atom, JSON). Each may be compressed with gzip.
 */
import { readJson } from "../../contract/schema/validation.ts"
import { paperFromWork, crossrefPapers, atomPapers } from "./sources.ts"
import type { SourcePaper } from "./papers.ts"
import { list, type Members, paperFromArxiv } from "./record.ts"
import { isObject } from "../../contract/json.ts"
import { codeOf } from "../../contract/refusals.ts"
import { createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import type { Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { isoTime, type World } from "../../ledger/world.ts"
import type { Ledger } from "../../ledger/write/ledger.ts"
import type { MetadataIntake } from "./found.ts"

// Parses a line of arXiv's metadata snapshot or Crossref's public data file, which holds one paper as JSON.

/**
 * Reads the authors from `authors_parsed`, lists of last name, first names and suffix, or else from the text that they
 * entered.
 */
function authorsOf({ authors, authors_parsed: parsed }: Members): string[] {
  if (Array.isArray(parsed)) {
    return parsed
      .filter(Array.isArray)
      .map((parts: unknown[]) =>
        [parts[1], parts[0], parts[2]].filter((part) => typeof part === "string" && part !== "").join(" "),
      )
  }
  return typeof authors === "string" ? authors.split(/,|\sand\s/).map((author) => author.trim()) : []
}

/** Makes a paper from a line; null if the line holds none. */
export function snapshotPaper(text: string): SourcePaper | null {
  const read = readJson(text)
  if (!read.ok || !isObject(read.value)) return null
  if ("DOI" in read.value) return paperFromWork(read.value)
  const line: Members = read.value
  const [firstVersion] = list(line.versions)
  return paperFromArxiv({
    id: line.id,
    title: line.title,
    abstract: line.abstract,
    doi: line.doi,
    journal: line["journal-ref"],
    authors: authorsOf(line),
    categories: typeof line.categories === "string" ? line.categories.split(" ") : [],
    published: isObject(firstVersion) ? firstVersion.created : undefined,
  })
}

/** Papers in one transaction: enough to be fast, few enough to let a serving process write in between. */
const BATCH = 500
/** The most characters of a line, which may hold all references of a work, and of a whole response. */
const LONGEST_LINE = 4_000_000
const LONGEST_ANSWER = 100_000_000
/** The start of a Crossref response, or of JSON that spans several lines. */
const RESPONSE = /^\s*\{\s*(?:"(?:status|message|message-type|items)"|\r?\n)/
/**
 * The most times its own size that a file may unpack to, checked after so many characters. Real files unpack to 3 to 10
 * times their size.
 */
const MAX_EXPANSION = 100
const UNCHECKED_CHARACTERS = 16_000_000

/** A file cannot be imported. The message is for the operator. */
export class ImportError extends Error {
  override readonly name = "ImportError"
}

interface Imported {
  /** Papers whose metadata was stored. */
  readonly papers: number
  /** Lines or entries that are not papers. */
  readonly skipped: number
}

/** A line is too long to be a paper. The import stops there. */
class LineTooLong extends Error {
  override readonly name = "LineTooLong"

  constructor(line: number) {
    super(
      `Line ${line.toLocaleString("en")} is longer than ${LONGEST_LINE.toLocaleString("en")} characters. ` +
        "No line of arXiv's snapshot or Crossref's data file is that long.",
    )
  }
}

/** Splits a text into lines, chunk by chunk. @throws LineTooLong as soon as a line exceeds the limit */
async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let rest = ""
  let number = 0
  for await (const chunk of text) {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    // Only the first line can have begun in an earlier chunk.
    if ((lines[0]?.length ?? 0) > LONGEST_LINE) throw new LineTooLong(number + 1)
    number += lines.length
    yield lines
    if (rest.length > LONGEST_LINE) throw new LineTooLong(number + 1)
  }
  yield [rest]
}

/** Passes a text on unless it unpacks to far more than the size of its file. @throws ImportError */
async function* limitExpansion(
  text: AsyncIterable<string>,
  file: string,
  bytesRead: () => number,
): AsyncGenerator<string> {
  let length = 0
  for await (const chunk of text) {
    length += chunk.length
    if (length > UNCHECKED_CHARACTERS && length > MAX_EXPANSION * bytesRead())
      throw new ImportError(
        `${file} unpacks to more than ${MAX_EXPANSION} times its size. Such a file is not imported.`,
      )
    yield chunk
  }
}

async function wholeText(text: AsyncIterable<string>): Promise<string> {
  let whole = ""
  for await (const chunk of text) {
    whole += chunk
    if (whole.length > LONGEST_ANSWER)
      throw new ImportError("An answer of this size cannot be imported. Use a file of JSON lines.")
  }
  return whole
}

/** Reads the size of a file, and whether it is compressed. @throws ImportError */
async function inspect(file: string): Promise<{ bytes: number; isZipped: boolean }> {
  try {
    const handle = await open(file)
    try {
      const head = Buffer.alloc(2)
      await handle.read(head, 0, 2, 0)
      return { bytes: (await handle.stat()).size, isZipped: head[0] === 0x1f && head[1] === 0x8b }
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw new ImportError(`${file} cannot be read (${codeOf(error)}).`)
  }
}

/** Returns the size of a file in bytes, for a progress bar. @throws ImportError */
export const importSize = async (file: string): Promise<number> => (await inspect(file)).bytes

/** Puts the first chunk of a text back in front of the others. */
async function* withFirst(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}

/**
 * Imports a file. Its metadata becomes visible to everyone on this instance.
 * @param onProgress called with the bytes of the file read so far, and the papers stored
 * @throws ImportError if the file cannot be read or has none of these formats
 */
export async function importPapers(
  {
    ledger,
    world,
    metadataIntake,
  }: { readonly ledger: Ledger; readonly world: World; readonly metadataIntake: MetadataIntake },
  file: string,
  { onProgress }: { readonly onProgress?: (bytes: number, papers: number) => void } = {},
): Promise<Imported> {
  const { isZipped } = await inspect(file)
  const source = createReadStream(file)
  const text: Readable = (isZipped ? source.pipe(createGunzip()) : source).setEncoding("utf8")
  source.on("error", (error) => text.destroy(error))
  let stored = 0
  let skipped = 0

  async function store(papers: readonly SourcePaper[]): Promise<void> {
    await ledger.transact(() => metadataIntake.store(papers, "import", isoTime(world.now())))
    stored += papers.length
    onProgress?.(source.bytesRead, stored)
  }

  async function importLines(chunks: AsyncIterable<string>): Promise<void> {
    let batch: SourcePaper[] = []
    try {
      for await (const lines of linesOf(chunks))
        for (const line of lines) {
          if (line.trim() === "") continue
          const paper = snapshotPaper(line)
          if (paper === null) skipped += 1
          else batch.push(paper)
          if (stored + batch.length === 0 && skipped >= BATCH)
            throw new ImportError(
              `${file} is neither arXiv's snapshot nor Crossref's data file: ` +
                `none of its first ${BATCH} lines is a paper.`,
            )
          if (batch.length < BATCH) continue
          await store(batch)
          batch = []
        }
    } catch (error) {
      if (!(error instanceof LineTooLong)) throw error
      if (batch.length > 0) await store(batch)
      throw new ImportError(
        `${error.message} ${stored === 0 ? "Nothing was imported." : `The ${stored} papers before it were imported.`}`,
      )
    }
    if (batch.length > 0) await store(batch)
  }

  /** Imports a response of an API. @param mismatch completes the message if it cannot be parsed */
  async function importResponse(
    chunks: AsyncIterable<string>,
    read: typeof atomPapers,
    mismatch: string,
  ): Promise<void> {
    let found: ReturnType<typeof atomPapers>
    try {
      found = read(await wholeText(chunks))
    } catch (error) {
      if (error instanceof ImportError) throw error
      throw new ImportError(`${file} is ${mismatch} (${error instanceof Error ? error.message : String(error)}).`)
    }
    skipped += found.others
    for (let start = 0; start < found.papers.length; start += BATCH)
      await store(found.papers.slice(start, start + BATCH))
  }

  try {
    const chunks = limitExpansion(text, file, () => source.bytesRead)
    const first = await chunks.next()
    const head = first.done ? "" : first.value.replace(/^\uFEFF/, "")
    const whole = withFirst(head, chunks)
    const mark = head.trimStart()[0]
    if (mark === "<") await importResponse(whole, atomPapers, "XML, but not an Atom answer of arXiv")
    else if (mark === "[" || RESPONSE.test(head))
      await importResponse(whole, crossrefPapers, "JSON, but not an answer of Crossref")
    else if (mark === "{") await importLines(whole)
    else
      throw new ImportError(
        `${file} is none of these: arXiv's snapshot, an Atom answer of its API, Crossref's data ` +
          "file, a JSON answer of its API.",
      )
  } catch (error) {
    const code = codeOf(error)
    if (code === "Z_DATA_ERROR" || code === "Z_BUF_ERROR" || code === "EISDIR")
      throw new ImportError(`${file} cannot be read (${code}).`)
    throw error
  } finally {
    source.destroy()
    text.destroy()
  }
  return { papers: stored, skipped }
}
