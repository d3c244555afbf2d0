/**
 * Load at a fixed rate: each request is due at its own time, and its response time is counted from then, even if it had
 * to wait for those before it. So a stall counts for every request it delayed. autocannon cannot do this: it sends a
 * second's requests as fast as it can and rests for the remainder, and corrects by a fixed millisecond.
 */
import { Agent, request } from "node:http"
import type { Fired } from "./load.ts"
import type { Target } from "./saturating.ts"
import type { Shot } from "./shots.ts"

/** Sends one request and waits for the last byte of its answer. @throws Error for an answer other than 200 */
function send({ method, path, headers, body }: Shot, port: number, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) }
    const sent = request(
      { host: "127.0.0.1", port, agent, method, path, headers: { ...headers, ...length } },
      (answer) => {
        let refusal = ""
        answer.on("data", (chunk: Buffer) => {
          if (answer.statusCode !== 200) refusal += chunk.toString("utf8")
        })
        answer.on("end", () =>
          answer.statusCode === 200 ? resolve() : reject(new Error(`${method} ${path}: ${refusal.slice(0, 1_000)}`)),
        )
        answer.on("error", reject)
      },
    )
    sent.on("error", reject)
    sent.end(body)
  })
}

export async function paced(
  shots: readonly Shot[],
  { port, connections, rate }: Target & { readonly rate: number },
): Promise<Fired> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const took: { kind: Shot["kind"]; milliseconds: number }[] = []
  const begunAt = performance.now()
  const due = (index: number) => begunAt + (index * 1000) / rate
  const all: Promise<void>[] = []
  for (let index = 0; index < shots.length; ) {
    while (index < shots.length && due(index) <= performance.now()) {
      const [shot, at] = [shots[index] as Shot, due(index)]
      all.push(
        send(shot, port, agent).then(() => void took.push({ kind: shot.kind, milliseconds: performance.now() - at })),
      )
      index += 1
    }
    // Waiting more precisely would take processor time from the service; up to a millisecond is counted as the
    // service's.
    await new Promise((resolve) => setTimeout(resolve, Math.max(1, due(index) - performance.now())))
  }
  await Promise.all(all)
  agent.destroy()
  return { seconds: (performance.now() - begunAt) / 1000, took }
}
