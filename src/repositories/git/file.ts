/** Files of a repository, read a few bytes at a time: a pack may be larger than the memory. */
import { type FileHandle, open } from "node:fs/promises"

/** Thrown when a file of a repository is not what git would have written. */
export class DamagedRepository extends Error {}

/** Whether `error` tells of a repository that cannot be read, rather than of a mistake in this code. */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof DamagedRepository || (error instanceof Error && "syscall" in error)

export class StoredFile {
  readonly #handle: FileHandle
  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  /** Up to `length` bytes from `position`; fewer where the file ends. */
  async readUpTo(position: number, length: number): Promise<Buffer> {
    const buffer = Buffer.alloc(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await this.#handle.read(buffer, filled, length - filled, position + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return buffer.subarray(0, filled)
  }

  /** Exactly `length` bytes from `position`. @throws DamagedRepository when the file ends before */
  async read(position: number, length: number): Promise<Buffer> {
    const bytes = await this.readUpTo(position, length)
    if (bytes.length < length) throw new DamagedRepository("a file ends too early")
    return bytes
  }

  async number32(position: number): Promise<number> {
    return (await this.read(position, 4)).readUInt32BE()
  }
}

/** What `use` makes of the file at `path`, or null when there is no such file. */
export async function withFile<T>(path: string, use: (file: StoredFile) => Promise<T>): Promise<T | null> {
  let handle: FileHandle
  try {
    handle = await open(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
  try {
    return await use(new StoredFile(handle))
  } finally {
    await handle.close()
  }
}

/** What `read` finds, or `otherwise` when the file or folder it reads does not exist. */
export async function unlessMissing<T>(read: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read
  } catch (error) {
    if (isMissing(error)) return otherwise
    throw error
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT"
