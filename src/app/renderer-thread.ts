/** The rendering thread: turns texts of other people into markup, where nobody waits for it but who asked to read them. */
import { parentPort } from "node:worker_threads"
import { rendered } from "../renderer/markdown.ts"
import type { Done, Order } from "../renderer/messages.ts"
import { restMemory } from "./memory.ts"

if (parentPort === null) throw new Error("The rendering thread is started by the service.")
const port = parentPort
port.on("message", ({ id, texts }: Order) => {
  const done: Done = { id, made: texts.map(({ text, kind }) => rendered(text, kind)) }
  port.postMessage(done)
})
restMemory()
