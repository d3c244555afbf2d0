/** A thread that works on input which may be hostile: one piece of work at a time, killed with its process when it takes too much. */
import { isMainThread } from "node:worker_threads"
import { Moved } from "../../channel/channel.ts"
import { toStarter } from "../../channel/thread.ts"
import { hostJobs } from "../../jobs/host.ts"
import type { Work } from "../../jobs/job.ts"
import { jobs, streams } from "./jobs-work.ts"

/** Bytes that are handed over in one piece, at the least. */
const PIECE = 64 * 1024

type Named<T> = Readonly<Record<string, T | undefined>>

function known<T>(list: Named<T>, name: string): T {
  const found = list[name]
  if (found === undefined) throw new Error(`This thread does no work named ${name}.`)
  return found
}

let pieces: AsyncGenerator<Uint8Array> | undefined

/** A piece of some size, of however small ones it is made; one without bytes hands over what there is. Null at the end. */
async function nextPiece(): Promise<Moved<Uint8Array<ArrayBuffer>> | null> {
  const made: Uint8Array[] = []
  let length = 0
  let isOver = false
  while (length < PIECE) {
    const { done, value } = (await pieces?.next()) ?? { done: true, value: undefined }
    isOver = done === true
    if (done || value.length === 0) break
    made.push(value)
    length += value.length
  }
  if (isOver && length === 0) return null
  const bytes = new Uint8Array(length)
  let at = 0
  for (const one of made) {
    bytes.set(one, at)
    at += one.length
  }
  return new Moved(bytes, [bytes.buffer])
}

// Outside of the executable this file is both: the process, and the thread in it.
if (isMainThread) hostJobs(Number(process.argv.at(-1)))
else
  toStarter<object, Work>({
    ready: () => {},
    async run(name, input, most) {
      const made = await known(jobs as Named<(input: unknown) => unknown>, name)(input)
      const output = JSON.stringify(made)
      return output.length > most ? null : output
    },
    async open(name, input) {
      pieces = known(streams as Named<(input: unknown) => AsyncGenerator<Uint8Array>>, name)(input)
      return nextPiece()
    },
    more: nextPiece,
  })
