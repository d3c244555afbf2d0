/**
 * Runs the story of the Python client on Pyodide, so that it runs on every machine: CPython as WebAssembly, without
 * sockets or threads. It runs in a thread that blocks while this thread sends its requests.
 */
import { Worker } from "node:worker_threads"
import t from "tap"
import { storyPlace } from "./python/place.ts"

interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: Uint8Array<ArrayBuffer> | null
}

/**
 * Bytes shared with the waiting thread: a flag, the length of the answer, and the answer as status, headers and body.
 */
const SIZE = 8 << 20

async function answer({ method, url, headers, body }: Asked, shared: SharedArrayBuffer): Promise<void> {
  const flag = new Int32Array(shared, 0, 2)
  const response = await fetch(url, { method, headers, body, redirect: "manual" })
  const head = JSON.stringify({ status: response.status, headers: Object.fromEntries(response.headers) })
  const whole = Buffer.concat([Buffer.from(`${head}\n`), Buffer.from(await response.arrayBuffer())])
  new Uint8Array(shared, 8).set(whole)
  flag[1] = whole.length
  Atomics.store(flag, 0, 1)
  Atomics.notify(flag, 0)
}

t.test("a story of use, on Pyodide", async (t) => {
  const { folder, given, close } = await storyPlace()
  t.teardown(close)
  const shared = new SharedArrayBuffer(SIZE)
  const worker = new Worker(new URL("./python/pyodide-thread.ts", import.meta.url), {
    workerData: { folder, given, shared },
  })
  let text = ""
  const ended = new Promise<void>((resolve, reject) => {
    worker.on("error", reject)
    worker.on("message", (message: { line: string } | { asked: Asked } | { ended: string }) => {
      if ("line" in message) text += `${message.line}\n`
      else if ("asked" in message) void answer(message.asked, shared)
      else resolve()
    })
  })
  await ended
  await worker.terminate()
  for (const [, what = ""] of text.matchAll(/^shown: (.*)$/gm)) t.pass(what)
  t.match(text, /\nthe story ends\n$/, "all of it", { text: text.slice(-3_000) })
})
