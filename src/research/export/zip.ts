/** Writes files into a zip while it is sent: one after the other, none of them ever whole in memory. */
import { createHash } from "node:crypto"
import { Readable } from "node:stream"
import { ZipFile } from "yazl"

/** A file as its text, or its bytes, are made. */
export interface TextFile {
  readonly path: string
  readonly text: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>
}

/** What was written of a file. */
export interface Written {
  readonly bytes: number
  readonly sha256: string
}

/** The earliest time that a zip can hold, in milliseconds. What it cannot hold ends the process that writes it. */
const FIRST_TIME = Date.UTC(1980, 0, 2)

/** Bytes that are handed on in one piece. */
const PIECE = 64 * 1024

/** The bytes of a text in pieces of some size, however it was made; `done` is told what they came to. */
async function* bytesOf(text: TextFile["text"], done: (written: Written) => void): AsyncGenerator<Buffer> {
  const hash = createHash("sha256")
  let bytes = 0
  let waiting: string[] = []
  let length = 0
  const counted = (made: Buffer) => {
    hash.update(made)
    bytes += made.length
    return made
  }
  const piece = () => {
    const made = Buffer.from(waiting.join(""))
    waiting = []
    length = 0
    return counted(made)
  }
  for await (const part of text) {
    if (typeof part !== "string") {
      yield piece()
      yield counted(Buffer.from(part))
      continue
    }
    waiting.push(part)
    length += part.length
    if (length >= PIECE) yield piece()
  }
  yield piece()
  done({ bytes, sha256: hash.digest("hex") })
}

/**
 * The bytes of a zip of some files. What is not read is not made.
 * @param files may tell a later file what was written of those before it
 * @param at the time that all of them carry, so that the same files give the same bytes
 */
export async function* zipped(files: AsyncGenerator<TextFile, void, Written | undefined>, at: Date): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile()
  const mtime = new Date(Math.max(at.getTime(), FIRST_TIME))
  const output = zip.outputStream
  if (!(output instanceof Readable)) throw new Error("the zip cannot be read")
  let current: Readable | undefined

  /** Resolves once the whole file went in. */
  const write = ({ path, text }: TextFile) =>
    new Promise<Written>((resolve, reject) => {
      let written: Written | undefined
      zip.addReadStreamLazy(path, { mtime }, (open) => {
        current = Readable.from(
          bytesOf(text, (told) => (written = told)),
          { objectMode: false },
        )
        current.once("error", reject)
        current.once("close", () => (written === undefined ? reject(new Error(`${path} was not written to its end`)) : resolve(written)))
        open(null, current)
      })
    })

  async function writeAll(): Promise<void> {
    let written: Written | undefined
    for (;;) {
      const next = await files.next(written)
      if (next.done) break
      written = await write(next.value)
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
    await files.return()
  }
}
