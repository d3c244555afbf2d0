/**
 * A file that is made once and sent to all who ask for it, to each at their own pace: its bytes go to a temporary file
 * without a name, so a slow reader keeps disk space, but not the process that makes them.
 */
import { randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Bytes that a reader takes at a time. */
const PIECE = 64 * 1024

/** The disk space of all spools together. */
export interface SpoolSpace {
  used: number
  readonly most: number
}

/** One reader's way through the file. */
export interface Reading {
  next(): Promise<IteratorResult<Uint8Array, undefined>>
  /** Gives up the rest, even while a call of `next` waits. */
  leave(): void
}

/** Opens a file that nobody finds by a name, and that is gone when this process ends. */
async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `research-room-export-${randomUUID()}`)
  const file = await open(path, "wx+", 0o600)
  rmSync(path, { force: true })
  return file
}

export class Spool {
  readonly #bytes: AsyncGenerator<Uint8Array>
  readonly #space: SpoolSpace
  readonly #onMade: () => void
  readonly #readers = new Set<{ at: number }>()
  #change = Promise.withResolvers<void>()
  #file: FileHandle | undefined
  /** Bytes in the file, and bytes made: what is not in the file is the newest piece, in memory. */
  #stored = 0
  #made = 0
  #newest: Uint8Array | undefined
  #end: { readonly error?: unknown } | undefined
  #hasBegun = false
  #isShared = true

  /** @param onMade called when it is made, or nobody wants it any more */
  constructor(bytes: AsyncGenerator<Uint8Array>, space: SpoolSpace, onMade: () => void) {
    this.#bytes = bytes
    this.#space = space
    this.#onMade = onMade
  }

  /** Whether further readers may join. */
  get isShared(): boolean {
    return this.#isShared
  }

  /** Whether its file can be closed. */
  get isIdle(): boolean {
    return this.#readers.size === 0 && this.#end !== undefined
  }

  /** Lets nobody join any more. The file is closed after its last reader. */
  unshare(): void {
    this.#isShared = false
    this.#closeIfOver()
  }

  /** Joins the readers, from the first byte on. The first one starts the making. */
  join(): Reading {
    const reader = { at: 0 }
    this.#readers.add(reader)
    if (!this.#hasBegun) void this.#make()
    this.#hasBegun = true
    return {
      next: () => this.#next(reader),
      leave: () => {
        this.#readers.delete(reader)
        this.#tell()
        this.#closeIfOver()
      },
    }
  }

  async #next(reader: { at: number }): Promise<IteratorResult<Uint8Array, undefined>> {
    while (this.#readers.has(reader)) {
      if (reader.at < this.#stored && this.#file !== undefined) {
        const length = Math.min(PIECE, this.#stored - reader.at)
        const { buffer, bytesRead } = await this.#file.read(Buffer.allocUnsafe(length), 0, length, reader.at)
        if (bytesRead === 0) throw new Error("the file of an export was cut short")
        reader.at += bytesRead
        this.#tell()
        return { done: false, value: buffer.subarray(0, bytesRead) }
      }
      if (reader.at < this.#made && this.#newest !== undefined) {
        reader.at = this.#made
        this.#tell()
        return { done: false, value: this.#newest }
      }
      if (this.#end !== undefined && "error" in this.#end) throw this.#end.error
      if (this.#end !== undefined) break
      await this.#change.promise
    }
    return { done: true, value: undefined }
  }

  /** Makes the file as fast as it can be stored, and otherwise as fast as its slowest reader takes it. */
  async #make(): Promise<void> {
    try {
      for await (const piece of this.#bytes) {
        if (this.#readers.size === 0) break
        // An empty piece means that work is still in progress.
        if (piece.length === 0) continue
        if (this.#newest !== undefined || !(await this.#isStored(piece))) {
          this.#isShared = false
          this.#newest = piece
        }
        this.#made += piece.length
        this.#tell()
        while (this.#newest !== undefined && [...this.#readers].some(({ at }) => at < this.#made))
          await this.#change.promise
      }
      this.#end = {}
      if (this.#readers.size === 0) this.#isShared = false
    } catch (error) {
      this.#end = { error }
      this.#isShared = false
    }
    this.#onMade()
    this.#tell()
    this.#closeIfOver()
  }

  /** Appends a piece to the file. @returns false if there is no space for it, or the folder cannot be written */
  async #isStored(piece: Uint8Array): Promise<boolean> {
    if (this.#space.used + piece.length > this.#space.most) return false
    this.#space.used += piece.length
    try {
      const file = (this.#file ??= await openUnnamed())
      for (let done = 0; done < piece.length; )
        done += (await file.write(piece, done, piece.length - done, this.#stored + done)).bytesWritten
      this.#stored += piece.length
      return true
    } catch {
      this.#space.used -= piece.length
      return false
    }
  }

  #tell(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }

  #closeIfOver(): void {
    if (this.#isShared || !this.isIdle || this.#file === undefined) return
    void this.#file.close()
    this.#file = undefined
    this.#space.used -= this.#stored
    this.#stored = 0
  }
}
