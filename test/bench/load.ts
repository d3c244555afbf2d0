/**
 * Makes load, in a process of its own. Each connection is one kept-alive socket with one request under way at a time.
 * The requests are raw bytes made beforehand, of which only the id is overwritten each time: beside general load generators and
 * node:http's agent this leaves most of the machine to the service.
 */
import { randomUUID } from "node:crypto"
import { connect } from "node:net"
import { percentile } from "./numbers.ts"
import { answering } from "./process.ts"

/** Stands in a request where each sending takes an id of its own. */
export const freshId = "00000000-0000-4000-8000-00000000f5e5"

export interface Load {
  readonly port: number
  readonly connections: number
  /** Seconds measured, and seconds before that, which do not count. */
  readonly seconds: number
  readonly warmUp: number
  /** Whole requests as they stand on the wire; each sending takes any one of them. */
  readonly requests: readonly string[]
}

export interface Loaded {
  readonly perSecond: number
  /** Milliseconds from sending to the last byte of the answer. */
  readonly p50: number
  readonly p99: number
}

interface Run {
  readonly from: number
  readonly until: number
  readonly latencies: number[]
}

/** How long an answer is altogether, once its head has come; 0 until then. @throws for an answer that is no 200 */
function lengthOf(received: Buffer): number {
  const head = received.indexOf("\r\n\r\n")
  if (head < 0) return 0
  const text = received.toString("latin1", 0, head)
  const length = /^content-length: ([0-9]+)$/im.exec(text)?.[1]
  if (!text.startsWith("HTTP/1.1 200") || length === undefined)
    throw new Error(`an answer that was not counted on: ${received.toString("utf8", 0, 600)}`)
  return head + 4 + Number(length)
}

/** One connection: sends, waits for the whole answer, notes the time it took, sends again. */
function connection(port: number, requests: readonly string[], { from, until, latencies }: Run): Promise<void> {
  const made = requests.map((request) => ({ bytes: Buffer.from(request), idAt: Buffer.from(request).indexOf(freshId) }))
  const socket = connect({ port, host: "127.0.0.1", noDelay: true })
  return new Promise((resolve, reject) => {
    let sentAt = 0
    let received = 0
    let expected = 0
    let begun: Buffer | null = null

    function send(): void {
      const next = made[made.length === 1 ? 0 : Math.floor(Math.random() * made.length)] as { bytes: Buffer; idAt: number }
      if (next.idAt >= 0) next.bytes.write(randomUUID(), next.idAt, "latin1")
      received = expected = 0
      begun = null
      sentAt = performance.now()
      socket.write(next.bytes)
    }

    function answered(): void {
      const now = performance.now()
      if (sentAt >= from && now <= until) latencies.push(now - sentAt)
      if (now < until) {
        send()
        return
      }
      socket.destroy()
      resolve()
    }

    socket.on("connect", send)
    socket.on("error", reject)
    socket.on("close", () => reject(new Error("the service closed a connection")))
    socket.on("data", (chunk: Buffer) => {
      received += chunk.length
      try {
        if (expected === 0) {
          begun = begun === null ? chunk : Buffer.concat([begun, chunk])
          expected = lengthOf(begun)
        }
        if (expected > 0 && received >= expected) answered()
      } catch (error) {
        socket.destroy()
        reject(error)
      }
    })
  })
}

answering(async ({ port, connections, seconds, warmUp, requests }: Load): Promise<Loaded> => {
  const from = performance.now() + warmUp * 1000
  const run: Run = { from, until: from + seconds * 1000, latencies: [] }
  await Promise.all(Array.from({ length: connections }, () => connection(port, requests, run)))
  const sorted = run.latencies.sort((a, b) => a - b)
  return { perSecond: sorted.length / seconds, p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) }
})
