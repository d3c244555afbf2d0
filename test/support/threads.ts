/** The threads that the test's own process starts, and their tasks. */
import { createRequire, syncBuiltinESMExports } from "node:module"
import type { Worker } from "node:worker_threads"
import { Reader } from "../../src/app/threads/reader.ts"
import { RenderingNote } from "../../src/renderer/renderer.ts"

type Message = readonly (readonly [id: number, ...rest: unknown[]])[]

/** Calls `ready` for each thread that has answered: a reading thread that can read. */
export function onReady(ready: (worker: Worker) => void): void {
  process.on("worker", (worker) => {
    const heard = (message: Message) => {
      if (!message.some(([id]) => id < 0)) return
      worker.off("message", heard)
      ready(worker)
    }
    worker.on("message", heard)
  })
}

/** Calls `given` for each task before a reading thread gets it. */
export function onTask(given: (reader: Reader) => void): void {
  const { take } = Reader.prototype
  Reader.prototype.take = function (task) {
    given(this)
    take.call(this, task)
  }
}

/**
 * The counters of the reading threads, in which each rendered text is counted. Each is found soon after its thread has
 * started.
 */
export function notesOfReaders(): ReadonlySet<RenderingNote> {
  const found = new Set<RenderingNote>()
  const { read } = RenderingNote.prototype
  RenderingNote.prototype.read = function () {
    found.add(this)
    return read.call(this)
  }
  return found
}

/** From now on, loads a file into each thread before its program. */
export function preload(file: string): void {
  const threads: { Worker: typeof Worker } = createRequire(import.meta.url)("node:worker_threads")
  const Plain = threads.Worker
  threads.Worker = class extends Plain {
    constructor(...[code, options]: ConstructorParameters<typeof Plain>) {
      super(code, { ...options, execArgv: [...process.execArgv, "--import", new URL(file, import.meta.url).href] })
    }
  }
  syncBuiltinESMExports()
}
