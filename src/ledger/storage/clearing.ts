/**
 * Overwrites with zeros what the pages of a data file hold beside their rows. SQLite moves rows between pages and
 * leaves copies of them behind, also with `secure_delete`: a word that is withheld later, in its new place, would stay.
 * No statement reaches these bytes, so they are written in the file, past the log.
 *
 * That is safe while the log is empty and this process holds the lock of writers. Nobody else writes the file then, all
 * who read a page read it there, and before and after they find the same rows. The layout of pages is that of
 * https://www.sqlite.org/fileformat2.html. What stays are gaps of up to three bytes.
 */
import { closeSync, fdatasync, fstatSync, openSync, readSync, writeSync } from "node:fs"
import { promisify } from "node:util"
import { type Db, isBusy } from "./database.ts"

/** Kinds of page that hold rows; of a row that does not fit, the rest is in a chain of other pages. */
const [INDEX_BRANCH, TABLE_BRANCH, INDEX_LEAF, TABLE_LEAF] = [2, 5, 10, 13]
const [LEAF_HEADER, BRANCH_HEADER] = [8, 12]
/** Places in the header of such a page. */
const [FIRST_BLOCK, CELLS, CONTENT] = [1, 3, 5]
/** Places in the header of the file. */
const [PAGE_SIZE, RESERVED, FIRST_TRUNK, AUTO_VACUUM] = [16, 20, 32, 52]
/** The page after that of the schema, which has no words of anybody. */
const FIRST = 2
/** A page of a chain begins with the number of the next one, so below this it does not look like one with rows. */
const MOST_PAGES = 2 ** 25
/** Free pages: those that name others, and the others. */
const [TRUNK, FREE] = [1, 2]
const ZEROS = Buffer.alloc(65_536)

const damaged = (page: number) => new Error(`page ${page} of the data is not as SQLite leaves it`)

export class Clearing {
  readonly #handle: number
  readonly #size: number
  readonly #page: Buffer
  readonly #rest: Buffer
  #count = 0
  /** All pages before this one are cleared. */
  #next = FIRST
  /** Those that were written since: SQLite may have moved rows there from pages that are not cleared yet. */
  readonly #written = new Set<number>()
  /** By number, whether a page is free. */
  #free = new Uint8Array()

  /** @param handle the data file, for reading and writing @param size of its pages, in bytes */
  constructor(handle: number, size: number) {
    this.#handle = handle
    this.#size = size
    this.#page = Buffer.alloc(size)
    this.#rest = Buffer.alloc(size)
  }

  /** Whether all pages are cleared. */
  get isDone(): boolean {
    return this.#count > 0 && this.#next > this.#count
  }

  /** Notes the pages that are in the log, before they are copied from there. */
  note(pagesOfLog: () => Iterable<number>): void {
    if (this.#next > FIRST) for (const page of pagesOfLog()) this.#written.add(page)
  }

  /** Begins again, when pages were written that nobody noted. */
  startAgain(): void {
    this.#next = FIRST
    this.#written.clear()
  }

  /**
   * Clears pages for some milliseconds, at least one. The log is empty, and the caller holds the lock of writers and no
   * page in memory.
   */
  piece(milliseconds: number): void {
    const wasFree = this.#free
    this.#look()
    const toRepeat = [...this.#written].filter((page) => page < this.#next)
    for (let page = FIRST; page < this.#next; page += 1)
      if (this.#free[page] !== 0 && (wasFree[page] ?? 0) === 0) toRepeat.push(page)
    for (const page of toRepeat) this.#clear(page)
    this.#written.clear()
    for (const until = performance.now() + milliseconds; this.#next <= this.#count; ) {
      this.#clear(this.#next)
      this.#next += 1
      if (performance.now() >= until) return
    }
  }

  /** Waits until the disk has what was written. */
  synced(): Promise<void> {
    return promisify(fdatasync)(this.#handle)
  }

  /** Counts the pages, and finds those that are free. */
  #look(): void {
    this.#count = Math.floor(fstatSync(this.#handle).size / this.#size)
    const head = this.#read(1, this.#page)
    if (head[RESERVED] !== 0 || head.readUInt32BE(AUTO_VACUUM) !== 0 || this.#count >= MOST_PAGES) throw damaged(1)
    this.#free = new Uint8Array(this.#count + 1)
    for (let trunk = head.readUInt32BE(FIRST_TRUNK); trunk !== 0; ) {
      const page = this.#read(trunk, this.#page)
      this.#isFree(trunk, TRUNK)
      for (let leaf = page.readUInt32BE(4); leaf > 0; leaf -= 1) this.#isFree(page.readUInt32BE(4 + 4 * leaf), FREE)
      trunk = page.readUInt32BE(0)
    }
  }

  #isFree(page: number, kind: number): void {
    if (page < FIRST || page > this.#count || this.#free[page] !== 0) throw damaged(page)
    this.#free[page] = kind
  }

  #clear(number: number): void {
    if (number > this.#count) return
    const page = this.#read(number, this.#page)
    const kind = this.#free[number]
    const isChanged =
      kind === FREE
        ? clear(page, 0, this.#size)
        : kind === TRUNK
          ? clear(page, 8 + 4 * page.readUInt32BE(4), this.#size)
          : clearBesideRows(page, number)
    if (isChanged) this.#write(number, page)
    if (kind === 0) for (const { first, bytes } of rests(page)) this.#clearAfter(first, bytes)
  }

  /** Clears what the last page of a chain holds after the end of its row. */
  #clearAfter(first: number, bytes: number): void {
    let number = first
    for (; bytes > this.#size - 4; bytes -= this.#size - 4) number = this.#read(number, this.#rest, 4).readUInt32BE(0)
    const page = this.#read(number, this.#rest)
    if (this.#free[number] !== 0 || page.readUInt32BE(0) !== 0) throw damaged(number)
    if (clear(page, 4 + bytes, this.#size)) this.#write(number, page)
  }

  #read(number: number, into: Buffer, bytes = this.#size): Buffer {
    if (number < 1 || number > this.#count) throw damaged(number)
    if (readSync(this.#handle, into, 0, bytes, (number - 1) * this.#size) < bytes) throw damaged(number)
    return into
  }

  #write(number: number, page: Buffer): void {
    writeSync(this.#handle, page, 0, this.#size, (number - 1) * this.#size)
  }
}

/** The size of the pages, in bytes. Its two bytes in the header have no room for the largest, which stands as 1. */
function sizeOf(head: Buffer): number {
  const size = head.readUInt16BE(PAGE_SIZE)
  return size === 1 ? 65_536 : size
}

/** Clears a data file at once that no process has open, and whose log is empty. */
export async function clearAlone(file: string): Promise<void> {
  const handle = openSync(file, "r+")
  try {
    const head = Buffer.alloc(PAGE_SIZE + 2)
    readSync(handle, head, 0, head.length, 0)
    const clearing = new Clearing(handle, sizeOf(head))
    while (!clearing.isDone) clearing.piece(Number.POSITIVE_INFINITY)
    await clearing.synced()
  } finally {
    closeSync(handle)
  }
}

/** @returns whether the bytes were anything but zeros */
function clear(page: Buffer, from: number, to: number): boolean {
  if (from >= to || page.compare(ZEROS, 0, to - from, from, to) === 0) return false
  page.fill(0, from, to)
  return true
}

const headerOf = (page: Buffer): number =>
  page[0] === INDEX_BRANCH || page[0] === TABLE_BRANCH ? BRANCH_HEADER : LEAF_HEADER
const holdsRows = (page: Buffer): boolean => [INDEX_BRANCH, TABLE_BRANCH, INDEX_LEAF, TABLE_LEAF].includes(page[0] ?? 0)

/** Clears a page that holds rows between its header and its rows, and in its free blocks. */
function clearBesideRows(page: Buffer, number: number): boolean {
  if (!holdsRows(page)) return false
  const from = headerOf(page) + 2 * page.readUInt16BE(CELLS)
  const to = page.readUInt16BE(CONTENT) || 65_536
  if (from > to || to > page.length) throw damaged(number)
  let isChanged = clear(page, from, to)
  for (let [block, least] = [page.readUInt16BE(FIRST_BLOCK), to]; block !== 0; ) {
    if (block < least || block + 4 > page.length) throw damaged(number)
    const [next, size] = [page.readUInt16BE(block), page.readUInt16BE(block + 2)]
    if (size < 4 || block + size > page.length) throw damaged(number)
    isChanged = clear(page, block + 4, block + size) || isChanged
    ;[block, least] = [next, block + size]
  }
  return isChanged
}

/** Finds the rows of a page that do not fit: the first page of the rest, and its bytes. */
function* rests(page: Buffer): Generator<{ readonly first: number; readonly bytes: number }> {
  if (!holdsRows(page) || page[0] === TABLE_BRANCH) return
  const size = page.length
  const isTable = page[0] === TABLE_LEAF
  const most = isTable ? size - 35 : Math.floor(((size - 12) * 64) / 255) - 23
  const least = Math.floor(((size - 12) * 32) / 255) - 23
  const [header, child] = [headerOf(page), page[0] === INDEX_BRANCH ? 4 : 0]
  for (let cell = page.readUInt16BE(CELLS) - 1; cell >= 0; cell -= 1) {
    const at = page.readUInt16BE(header + 2 * cell) + child
    const [bytes, afterBytes] = numberAt(page, at)
    if (bytes <= most) continue
    const begin = isTable ? numberAt(page, afterBytes)[1] : afterBytes
    const fitting = least + ((bytes - least) % (size - 4))
    const here = fitting <= most ? fitting : least
    yield { first: page.readUInt32BE(begin + here), bytes: bytes - here }
  }
}

/** Reads a number of one to nine bytes. @returns it, and the place after it */
function numberAt(page: Buffer, at: number): readonly [number, number] {
  let value = 0
  for (let end = at; end < at + 8; end += 1) {
    const byte = page.readUInt8(end)
    value = value * 128 + (byte & 127)
    if (byte < 128) return [value, end + 1]
  }
  return [value * 256 + page.readUInt8(at + 8), at + 9]
}

// Notes whether the files may still hold withheld content, and empties the log, which may hold it too.

/** Whether the tables, unused pages or the log may still hold withheld content. */
export const isUnclean = (db: Db): boolean =>
  db.prepare("SELECT 1 FROM instance WHERE unclean <> 0").get() !== undefined

/**
 * Notes, within a transaction, that the files may hold withheld content. As a write, it also makes every other
 * connection forget the pages that it has in memory.
 */
export const writeUnclean = (db: Db): void => db.exec("UPDATE instance SET unclean = 1")

/** Notes that the files no longer hold withheld content. */
export const writeClean = (db: Db): void => db.exec("UPDATE instance SET unclean = 0")

/** Checkpoints the log and empties it. @returns false if another connection reads from it */
export const isLogEmptied = (db: Db): boolean =>
  db.prepare<{ busy: number }>("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0

/** The same without waiting for the other connection. */
export function isLogEmptiedNow(db: Db): boolean {
  const patience = db.prepare<{ timeout: number }>("PRAGMA busy_timeout").get()?.timeout ?? 0
  try {
    db.exec("PRAGMA busy_timeout = 0")
    return isLogEmptied(db)
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  } finally {
    db.exec(`PRAGMA busy_timeout = ${patience}`)
  }
}

/**
 * Drops one of the rows with which an earlier version overwrote free pages, if its cleaning was interrupted.
 * @returns whether there was one
 */
export const dropWiping = (db: Db): boolean =>
  db.prepare("DELETE FROM wiping WHERE row = (SELECT max(row) FROM wiping)").run() > 0
