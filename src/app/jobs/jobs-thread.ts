/** A thread that processes input which may be hostile: one job at a time. Its process is killed if a job exceeds its limits. */
import { isMainThread } from "node:worker_threads"
import { Moved } from "../../channel/channel.ts"
import { toStarter } from "../../channel/thread.ts"
import { hostJobs } from "../../jobs/host.ts"
import type { Work } from "../../jobs/job.ts"
import type { FileOrder } from "../../research/export/process.ts"
import type { ImageOrder } from "../../figures/image.ts"
import type { readAnswer } from "../mirrors/origin-answers.ts"
import type { PastFileOrder } from "../past/past-process.ts"

/** The jobs, by name. Their modules are loaded on first use. */
const jobs = {
  answer: async (given: Parameters<typeof readAnswer>[0]) => (await import("../mirrors/origin-answers.ts")).readAnswer(given),
  atom: async (xml: string) => (await import("../../library/papers/atom.ts")).atomPapers(xml),
  image: async (order: ImageOrder) => (await import("../../figures/image.ts")).readImage(order),
  past: async (order: PastFileOrder) => (await import("../past/past-process.ts")).makeFile(order),
  papers: async (texts: readonly string[]) => (await import("../../library/pasted.ts")).readTexts(texts),
  crossref: async (json: string) => (await import("../../library/papers/crossref-work.ts")).crossrefPapers(json),
}

const streams = {
  async *crate({ file, roomId, source }: FileOrder) {
    const [{ crate }, { openReadConnection }] = await Promise.all([
      import("../../research/export/crate.ts"),
      import("../../ledger/storage/opening.ts"),
    ])
    yield* crate(() => openReadConnection(file), roomId, source)
  },
  async *sqlite({ file, roomId, source }: FileOrder) {
    const [{ roomFile }, { openReadConnection }] = await Promise.all([
      import("../../research/export/sqlite-file.ts"),
      import("../../ledger/storage/opening.ts"),
    ])
    yield* roomFile(() => openReadConnection(file), roomId, source)
  },
}

/** The minimum size of a piece in bytes, except for the last one. */
const PIECE = 64 * 1024

type Named<T> = Readonly<Record<string, T | undefined>>

function known<T>(list: Named<T>, name: string): T {
  const work = list[name]
  if (work === undefined) throw new Error(`There is no job named ${name}.`)
  return work
}

let pieces: AsyncGenerator<Uint8Array> | undefined

/** Collects the next piece from smaller chunks. An empty chunk flushes what is there. @returns null at the end */
async function nextPiece(): Promise<Moved<Uint8Array<ArrayBuffer>> | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  let isOver = false
  while (length < PIECE) {
    const { done, value } = (await pieces?.next()) ?? { done: true, value: undefined }
    isOver = done === true
    if (done || value.length === 0) break
    chunks.push(value)
    length += value.length
  }
  if (isOver && length === 0) return null
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return new Moved(bytes, [bytes.buffer])
}

// Outside the executable, this file is both the process and its thread.
if (isMainThread) hostJobs(Number(process.argv.at(-1)))
else
  toStarter<object, Work>({
    ready: () => {},
    async run(name, input, most) {
      const result = await known(jobs as Named<(input: unknown) => unknown>, name)(input)
      const output = JSON.stringify(result)
      return output.length > most ? null : output
    },
    async open(name, input) {
      pieces = known(streams as Named<(input: unknown) => AsyncGenerator<Uint8Array>>, name)(input)
      return nextPiece()
    },
    more: nextPiece,
  })
