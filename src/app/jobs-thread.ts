/** A thread that works on what may be hostile: one piece of work at a time, killed with its process when it takes too much. */
import { isMainThread, parentPort } from "node:worker_threads"
import { hostJobs } from "../jobs/host.ts"
import type { FromThread, ToThread } from "../jobs/job.ts"
import { jobs, streams } from "./jobs-work.ts"

const say = (message: FromThread, moved: ArrayBuffer[] = []) => parentPort?.postMessage(message, moved)

/** Bytes that are handed over in one piece, at the least. */
const PIECE = 64 * 1024

type Named<T> = Readonly<Record<string, T | undefined>>

function known<T>(list: Named<T>, name: string): T {
  const found = list[name]
  if (found === undefined) throw new Error(`${name} is no work of this thread`)
  return found
}

let pieces: AsyncGenerator<Uint8Array> | undefined

/** Says a piece of some size, of however small ones it is made, or that there is none. */
async function piece(): Promise<void> {
  const made: Uint8Array[] = []
  let length = 0
  while (length < PIECE) {
    const { done, value } = (await pieces?.next()) ?? { done: true, value: undefined }
    if (done) break
    made.push(value)
    length += value.length
  }
  if (length === 0) return say({ kind: "end" })
  const bytes = new Uint8Array(length)
  let at = 0
  for (const one of made) {
    bytes.set(one, at)
    at += one.length
  }
  say({ kind: "piece", bytes }, [bytes.buffer])
}

async function work(message: ToThread): Promise<void> {
  try {
    if (message.kind === "job") {
      const made = await known(jobs as Named<(input: unknown) => unknown>, message.name)(message.input)
      const output = JSON.stringify(made)
      say(output.length > message.output ? { kind: "too_long" } : { kind: "done", output })
    } else {
      if (message.kind === "stream")
        pieces = known(streams as Named<(input: unknown) => AsyncGenerator<Uint8Array>>, message.name)(message.input)
      await piece()
    }
  } catch (error) {
    say({ kind: "fault", fault: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
}

// Outside of the executable this file is both: the process, and the thread in it.
if (isMainThread) hostJobs(Number(process.argv.at(-1)))
else {
  parentPort?.on("message", (message: ToThread) => void work(message))
  say({ kind: "ready" })
}
