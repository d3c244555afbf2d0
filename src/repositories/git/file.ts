/** Reads files of a repository a few bytes at a time, because a pack may be larger than the memory. */
import { type FileHandle, open } from "node:fs/promises"
import { codeOf } from "../../contract/faults.ts"

/** A file of the repository is not what git would have written. */
export class DamagedRepository extends Error {}

/** Whether an error means that the repository cannot be read, as opposed to a bug in this code. */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof DamagedRepository || (error instanceof Error && "syscall" in error)

export class StoredFile {
  readonly #handle: FileHandle
  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  /** Reads up to `length` bytes from `position`; fewer at the end of the file. */
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

  /** Reads exactly `length` bytes from `position`. @throws DamagedRepository if the file is shorter */
  async read(position: number, length: number): Promise<Buffer> {
    const bytes = await this.readUpTo(position, length)
    if (bytes.length < length) throw new DamagedRepository("a file ends too early")
    return bytes
  }

  async number32(position: number): Promise<number> {
    return (await this.read(position, 4)).readUInt32BE()
  }
}

/** Opens a file for `use` and returns its result; null if there is no such file. */
export async function withFile<T>(path: string, use: (file: StoredFile) => Promise<T>): Promise<T | null> {
  const handle = await unlessMissing(open(path), null)
  if (handle === null) return null
  try {
    return await use(new StoredFile(handle))
  } finally {
    await handle.close()
  }
}

/** Returns the result of `read`, or `otherwise` if the file or folder does not exist. */
export async function unlessMissing<T>(read: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read
  } catch (error) {
    if (codeOf(error) === "ENOENT") return otherwise
    throw error
  }
}
