/** A thread that works on what may be hostile: one piece of work at a time, killed with its process when it takes too much. */
import { isMainThread, parentPort } from "node:worker_threads"
import { hostJobs } from "../jobs/host.ts"
import type { FromThread, ToThread } from "../jobs/job.ts"
import { jobs, streams } from "./jobs-work.ts"

const say = (message: FromThread, moved: ArrayBuffer[] = []) => parentPort?.postMessage(message, moved)

type Named<T> = Readonly<Record<string, T | undefined>>

function known<T>(list: Named<T>, name: string): T {
  const found = list[name]
  if (found === undefined) throw new Error(`${name} is no work of this thread`)
  return found
}

let pieces: AsyncGenerator<Uint8Array> | undefined

async function piece(): Promise<void> {
  const { done, value } = (await pieces?.next()) ?? { done: true, value: undefined }
  if (done) return say({ kind: "end" })
  // A piece may be a part of memory that others share: what is handed over must stand alone.
  const bytes = new Uint8Array(value)
  say({ kind: "piece", bytes }, [bytes.buffer])
}

async function work(message: ToThread): Promise<void> {
  try {
    if (message.kind === "job") {
      const made = await known(jobs as Named<(input: never) => unknown>, message.name)(message.input as never)
      const output = JSON.stringify(made)
      say(output.length > message.output ? { kind: "too_long" } : { kind: "done", output })
    } else {
      if (message.kind === "stream")
        pieces = known(streams as Named<(input: never) => AsyncGenerator<Uint8Array>>, message.name)(message.input as never)
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
