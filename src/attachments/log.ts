/**
 * Takes in a log as it arrives, stores it, and reads lines of it. It is kept in pieces that are compressed alone, so
 * that an upload holds neither the thread nor its whole text in memory, and a page of a long log is read from one or
 * two pieces.
 */
import { isUtf8 } from "node:buffer"
import { createHash } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import { promisify } from "node:util"
import { inflateRawSync, zstdCompress, zstdDecompress, zstdDecompressSync } from "node:zlib"
import type { Cut } from "../contract/answers/fields.ts"
import { folded } from "../contract/folding.ts"
import { limits } from "../contract/limits.ts"
import { Refusal } from "../contract/refusals.ts"
import type { UploadedLog } from "../contract/definitions/attachments.ts"
import type { Attachments, LogIndex, Piece, StoredLog } from "../ledger/journal/attachments.ts"
import { isoTime, type World } from "../ledger/world.ts"
import type { Ledger } from "../ledger/write/ledger.ts"

// A training log takes a fifth of the time that deflate would take, for 7 % more bytes.
const compress = promisify<Uint8Array, Buffer>(zstdCompress)
const expand = promisify<Uint8Array, Buffer>(zstdDecompress)
const HALF = limits.logBytes / 2
const NEWLINE = 10

/** The rest of a log that is refused is not read. */
const headers = { connection: "close" }
const invalid = (message: string) =>
  new Refusal("invalid_schema", `The log ${message}. Nothing was stored.`, { issues: [{ path: "", message }], headers })

/** Where a piece of at most `logPieceBytes` may end: after a line, or else between two characters. */
function endOfPiece(bytes: Buffer): number {
  const line = bytes.lastIndexOf(NEWLINE, limits.logPieceBytes - 1) + 1
  if (line > 0) return line
  let end = limits.logPieceBytes
  while (end > limits.logPieceBytes - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return end
}

function newlinesIn(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1
  return lines
}

interface Kept {
  readonly newlines: number
  readonly bytes: number
  readonly endsLine: boolean
  readonly packed: Buffer
}

async function packed(piece: Buffer): Promise<Kept> {
  const endsLine = piece.at(-1) === NEWLINE
  return { newlines: newlinesIn(piece), bytes: piece.length, endsLine, packed: await compress(piece) }
}

/**
 * Takes in a text as it arrives. Of one over `logBytes` the beginning and the end are kept, with a line between them
 * that says what was left out. @param hold called with the bytes in memory @param half bytes of the beginning and of
 * the end
 * @throws Refusal 422 for what is no text in UTF-8, 413 for what is over `logBodyBytes`
 */
export async function takeLog(
  chunks: AsyncIterable<Uint8Array>,
  hold: (bytes: number) => void = () => {},
  half = HALF,
): Promise<StoredLog> {
  const head: Kept[] = []
  const tail: Kept[] = []
  let [headBytes, tailBytes, held, bytes, line] = [0, 0, 0, 0, 0]
  const left = { lines: 0, bytes: 0 }
  const hash = createHash("sha256")

  async function keep(piece: Buffer): Promise<void> {
    if (piece.includes(0)) throw invalid(`holds a NUL after line ${line}: it is not text, or not in UTF-8`)
    if (!isUtf8(piece)) throw invalid(`is not in UTF-8 after line ${line}`)
    hash.update(piece)
    const kept = await packed(piece)
    line += kept.newlines
    held += kept.packed.length
    if (headBytes < half) {
      head.push(kept)
      headBytes += kept.bytes
      return
    }
    tail.push(kept)
    tailBytes += kept.bytes
    for (let first = tail[0]; first !== undefined && tailBytes > half; first = tail[0]) {
      tail.shift()
      tailBytes -= first.bytes
      left.bytes += first.bytes
      left.lines += first.newlines
      held -= first.packed.length
    }
  }

  // One buffer serves a whole upload: V8 counts the memory of each, and many made it collect garbage several times an
  // upload, for which everybody waited.
  const open = Buffer.allocUnsafeSlow(limits.logPieceBytes + 1)
  let filled = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > limits.logBodyBytes)
      throw new Refusal("request_too_large", `The log is over ${limits.logBodyBytes} bytes. Send its end alone.`, {
        headers,
      })
    hold(held + open.length)
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + open.length - filled)
      open.set(part, filled)
      filled += part.length
      at += part.length
      if (filled < open.length) continue
      const end = endOfPiece(open)
      await keep(open.subarray(0, end))
      open.copyWithin(0, end)
      filled -= end
    }
  }
  if (filled > 0) await keep(open.subarray(0, filled))
  if (left.bytes === 0) return stored(head.concat(tail), null, hash.digest("hex"))
  const afterLine = head.reduce((lines, { newlines }) => lines + newlines, 0)
  const before = head.at(-1)?.endsLine === true ? "" : "\n"
  const gap = await packed(Buffer.from(`${before}… ${left.lines} lines (${left.bytes} bytes) were left out here …\n`))
  const all = [...head, gap, ...tail]
  return stored(all, { afterLine, ...left }, await digestOf(all))
}

function stored(all: readonly Kept[], cut: Cut | null, digest: string): StoredLog {
  const pieces: (Piece & { readonly part: number })[] = []
  const parts: Buffer[] = []
  let open: Buffer[] = []
  let [at, line, bytes, continues] = [0, 0, 0, false]
  for (const { newlines, bytes: size, endsLine, packed: piece } of all) {
    if (at >= limits.logPartBytes) {
      parts.push(Buffer.concat(open))
      open = []
      at = 0
    }
    pieces.push({ line, part: parts.length, at, size: piece.length, continues })
    open.push(piece)
    at += piece.length
    line += newlines
    bytes += size
    continues = !endsLine
  }
  const isLast = ({ part }: { readonly part: number }) => part === parts.length
  const log: LogIndex = {
    ...{ bytes, lines: line + (continues ? 1 : 0), cut, packing: "zstd" },
    pieces: pieces.map((piece) => (isLast(piece) ? { ...piece, part: undefined } : piece)),
  }
  return { digest: `sha256:${digest}`, log, parts, bytes: Buffer.concat(open) }
}

/** The digest of what was kept. */
async function digestOf(all: readonly Kept[]): Promise<string> {
  const hash = createHash("sha256")
  for (const { packed: part } of all) hash.update(await expand(part))
  return hash.digest("hex")
}

/** What stores an upload: the queue of transactions, the table of attachments and the clock. */
export interface Storing {
  readonly ledger: Pick<Ledger, "transact">
  readonly tables: { readonly attachments: Attachments }
  readonly world: Pick<World, "now">
}

/** Milliseconds between two parts of a log: together they would hold the disk for as long as the whole. */
const BETWEEN_PARTS = 20

/**
 * Stores an uploaded log until an event of an attempt names it, a part at a time: nobody's write waits for all of it.
 * @param mustStillBe refuses an uploader whose credential or session ended while the log arrived
 */
export async function keepLog(
  { ledger, tables: { attachments }, world }: Storing,
  { userId }: { readonly userId: string },
  log: StoredLog,
  mustStillBe: () => void,
): Promise<Omit<UploadedLog, "schemaVersion">> {
  const { digest } = log
  try {
    if (attachments.logIndex(digest) === undefined)
      for (const part of log.parts.keys()) {
        await ledger.transact(() => {
          mustStillBe()
          attachments.keepPart(log, part)
        })
        await pause(BETWEEN_PARTS)
      }
    await ledger.transact(() => {
      mustStillBe()
      attachments.keepLog(log, userId, isoTime(world.now()))
    })
  } catch (error) {
    // Where that fails too, the first upload after the next start does it.
    await ledger.transact(() => attachments.dropParts(digest)).catch(() => undefined)
    throw error
  }
  const { bytes, lines, cut } = log.log
  return { digest, bytes, lines, cut }
}

/** Escape sequences of terminals, controls, and marks that turn the direction of a text. */
const UNSHOWN = new RegExp(
  "\\u001b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)?|[ -/]*[0-~])" +
    "|[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]",
  "gu",
)

/**
 * A line as it is shown: of what a progress bar overwrote, the last; without escape sequences; not longer than a read
 * shows.
 */
export function shownLine(raw: string): string {
  const text = raw.endsWith("\r") ? raw.slice(0, -1) : raw
  const clean = text.slice(text.lastIndexOf("\r") + 1).replaceAll(UNSHOWN, "")
  return clean.length > limits.logLine ? `${clean.slice(0, limits.logLine)}…` : clean
}

export interface Line {
  readonly line: number
  readonly text: string
}

/** The characters of a line that are looked at. */
const RAW = 4 * limits.logLine

/**
 * The lines of a log from one on, in order. @param read expands a piece @param needle only pieces with this lower-case
 * text are looked at
 */
function* linesFrom(
  { pieces }: LogIndex,
  read: (piece: Piece) => string,
  from: number,
  needle?: string,
): Generator<Line> {
  const start = pieces.findLastIndex((piece) => piece.line < from && !piece.continues)
  let open: string | null = null
  let line = 0
  for (const [index, piece] of [...pieces.entries()].slice(Math.max(0, start))) {
    if (!piece.continues && open !== null) {
      yield { line, text: shownLine(open) }
      open = null
    }
    if (open === null) line = piece.line + 1
    const next = pieces[index + 1]
    // The rest of a line that is longer than is shown.
    if (open !== null && open.length >= RAW && next?.continues === true && next.line === piece.line) continue
    const text = read(piece)
    if (needle !== undefined && open === null && next?.continues !== true && !folded(text).includes(needle)) continue
    let at = 0
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
      if (line >= from) yield { line, text: shownLine(`${open ?? ""}${text.slice(at, Math.min(end, at + RAW))}`) }
      open = null
      line += 1
      at = end + 1
    }
    if (at < text.length) open = `${open ?? ""}${text.slice(at, at + RAW)}`.slice(0, RAW)
  }
  if (open !== null && line >= from) yield { line, text: shownLine(open) }
}

export interface LogQuery {
  readonly from?: number | undefined
  readonly lines?: number | undefined
  readonly tail?: number | undefined
  readonly grep?: string | undefined
}

/** Expands pieces of a log, which earlier versions deflated. */
const expanding =
  ({ packing }: LogIndex, read: (piece: Piece) => Buffer) =>
  (piece: Piece): Buffer =>
    (packing === "zstd" ? zstdDecompressSync : inflateRawSync)(read(piece))

/** A page of a log. @param read returns a compressed piece */
export function logPage(log: LogIndex, read: (piece: Piece) => Buffer, { from, lines = 200, tail, grep }: LogQuery) {
  const needle = grep === undefined ? undefined : folded(grep)
  const expanded = expanding(log, read)
  const text = (piece: Piece) => expanded(piece).toString("utf8")
  const first = from ?? (tail === undefined || needle !== undefined ? 1 : Math.max(1, log.lines - tail + 1))
  const most = tail ?? lines
  const found: Line[] = []
  let nextFrom: number | null = null
  for (const each of linesFrom(log, text, first, needle)) {
    if (needle !== undefined && !folded(each.text).includes(needle)) continue
    if (found.length === most && !(needle !== undefined && tail !== undefined)) {
      nextFrom = each.line
      break
    }
    found.push(each)
    if (found.length > most) found.shift()
  }
  return { lines: found, hasMore: nextFrom !== null, nextFrom }
}

/** The text of a page. */
export const logText = (lines: readonly Line[]): string => lines.map(({ text }) => `${text}\n`).join("")

/** The whole text as kept, for an export. */
export function* wholeLog(log: LogIndex, read: (piece: Piece) => Buffer): Generator<Uint8Array> {
  const expanded = expanding(log, read)
  for (const piece of log.pieces) yield expanded(piece)
}
