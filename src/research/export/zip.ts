/** Writes files into a zip while it is sent, without holding a whole file in memory. */
import { createHash } from "node:crypto"
import { Readable } from "node:stream"
import { ZipFile } from "yazl"

/** A file whose text or bytes are made while it is read. */
export interface TextFile {
  readonly path: string
  readonly text: Iterable<string | Uint8Array>
  readonly onWritten?: (written: Written) => void
}

/** The size and digest of a written file. */
export interface Written {
  readonly bytes: number
  readonly sha256: string
}

/** The earliest time that a zip can hold, in milliseconds. An earlier one would end the process. */
const FIRST_TIME = Date.UTC(1980, 0, 2)

/** Characters of text in a chunk. */
const CHUNK = 64 * 1024

/** Yields the bytes of a text in chunks of even size. @param done called with the total size and digest */
async function* bytesOf(text: TextFile["text"], done: (written: Written) => void): AsyncGenerator<Buffer> {
  const hash = createHash("sha256")
  let bytes = 0
  let waiting: string[] = []
  let length = 0
  const counted = (part: Buffer) => {
    hash.update(part)
    bytes += part.length
    return part
  }
  const chunk = () => {
    const joined = Buffer.from(waiting.join(""))
    waiting = []
    length = 0
    return counted(joined)
  }
  for (const part of text) {
    if (typeof part !== "string") {
      yield chunk()
      yield counted(Buffer.from(part))
      continue
    }
    waiting.push(part)
    length += part.length
    if (length >= CHUNK) yield chunk()
  }
  yield chunk()
  done({ bytes, sha256: hash.digest("hex") })
}

/**
 * Yields the bytes of a zip of some files. Makes only what is read.
 * @param at the time of all files, so that the same files give the same bytes
 */
export async function* zipped(
  files: Iterable<TextFile> | AsyncIterable<TextFile>,
  at: Date,
): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile()
  const mtime = new Date(Math.max(at.getTime(), FIRST_TIME))
  const output = zip.outputStream
  if (!(output instanceof Readable)) throw new Error("the zip cannot be read")
  let current: Readable | undefined

  /** Resolves when the whole file has been written. */
  const write = ({ path, text }: TextFile) =>
    new Promise<Written>((resolve, reject) => {
      let written: Written | undefined
      zip.addReadStreamLazy(path, { mtime }, (open) => {
        current = Readable.from(
          bytesOf(text, (total) => (written = total)),
          { objectMode: false },
        )
        current.once("error", reject)
        current.once("close", () =>
          written === undefined ? reject(new Error(`${path} was not written to its end`)) : resolve(written),
        )
        open(null, current)
      })
    })

  async function writeAll(): Promise<void> {
    for await (const file of files) {
      const written = await write(file)
      file.onWritten?.(written)
    }
    zip.end()
  }

  const writing = writeAll().catch((error: Error) => output.destroy(error))
  try {
    const bytes: AsyncIterable<Uint8Array> = output
    yield* bytes
  } finally {
    current?.destroy()
    await writing
  }
}
