/**
 * A thread that processes input which may be hostile: one job at a time. Its process is killed if a job exceeds its
 * limits.
 */
import { isMainThread } from "node:worker_threads"
import { Moved, toStarter } from "../../channel/channel.ts"
import { present } from "../../contract/typed.ts"
import { hostJobs, type Work } from "../../jobs/job.ts"
import type { ExportFormat, FileOrder } from "../../research/export/exports.ts"
import type { ImageOrder } from "../../attachments/image.ts"
import type { DifferencesOrder } from "../serving/keep-clean.ts"
import type { PastFileOrder } from "../past/pasts.ts"

/** The jobs, by name. Their modules are loaded on first use. */
const jobs = {
  atom: async (xml: string) => (await import("../../library/papers/sources.ts")).atomPapers(xml),
  differences: async (order: DifferencesOrder) => (await import("../serving/keep-clean.ts")).findDifferences(order),
  copying: async (file: string) => (await import("../serving/log-copying.ts")).copyLogOf(file),
  image: async (order: ImageOrder) => (await import("../../attachments/image.ts")).readImage(order),
  past: async (order: PastFileOrder) => (await import("../past/pasts.ts")).makeFile(order),
  papers: async (texts: readonly string[]) => (await import("../../library/pasted.ts")).readTexts(texts),
  crossref: async (json: string) => (await import("../../library/papers/sources.ts")).crossrefPapers(json),
}

/** Exports a Room in a format. */
const exporting = (format: ExportFormat) =>
  async function* ({ file, roomId, source }: FileOrder) {
    const { openReadConnection } = await import("../../ledger/storage/opening.ts")
    const { filesOn } = await import("../compose/domains.ts")
    yield* filesOn(() => openReadConnection(file))(roomId, source, format)
  }

const streams = { crate: exporting("crate"), sqlite: exporting("sqlite") }

/** The minimum size of a piece in bytes, except for the last one. */
const PIECE = 64 * 1024

type Named<T> = Readonly<Record<string, T | undefined>>

let pieces: AsyncGenerator<Uint8Array> | undefined

/** Collects the next piece from smaller chunks. An empty chunk flushes what is there. @returns null at the end */
async function nextPiece(): Promise<Moved<Uint8Array<ArrayBuffer>> | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  while (length < PIECE) {
    const { done, value } = (await pieces?.next()) ?? { done: true, value: undefined }
    if (done && length === 0) return null
    if (done || value.length === 0) break
    chunks.push(value)
    length += value.length
  }
  const bytes = new Uint8Array(Buffer.concat(chunks, length))
  return new Moved(bytes, [bytes.buffer])
}

// Outside the executable, this file is both the process and its thread.
if (isMainThread) hostJobs(Number(process.argv.at(-1)))
else
  toStarter<object, Work>({
    ready: () => {},
    async run(name, input, most) {
      const result = await present((jobs as Named<(input: unknown) => unknown>)[name])(input)
      const output = JSON.stringify(result)
      return output.length > most ? null : output
    },
    async open(name, input) {
      pieces = present((streams as Named<(input: unknown) => AsyncGenerator<Uint8Array>>)[name])(input)
      return nextPiece()
    },
    more: nextPiece,
  })
