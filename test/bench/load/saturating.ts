/**
 * Load as fast as answers come, from autocannon: each connection sends its next request when the last one is answered.
 * The requests are built in advance, so that nothing is built while it runs.
 */
import autocannon from "autocannon"
import type { Fired } from "./load.ts"
import type { Shot } from "./shots.ts"

export interface Target {
  readonly port: number
  readonly connections: number
  readonly seconds?: number
}

/** Milliseconds between two checks of autocannon whether it is done. */
const LOOK = 20
const LONGEST = 3_600

/** A property of a client that its types do not declare: the parser's own view of each answer. */
interface Watched {
  on(event: "headers", listener: (head: { readonly statusCode: number }) => void): void
  on(event: "body", listener: (chunk: Buffer) => void): void
}

/** @throws Error for an answer other than 200, with its text */
export async function saturating(shots: readonly Shot[], { port, connections, seconds }: Target): Promise<Fired> {
  const took: { kind: Shot["kind"]; milliseconds: number }[] = []
  const next = new Map<autocannon.Client, { readonly own: readonly Shot[]; answered: number }>()
  let begunAt = 0
  let endedAt = 0
  let refusal = ""
  let made = 0

  function setupClient(client: autocannon.Client): void {
    const index = made++
    const own = shots.filter((_, at) => at % connections === index)
    next.set(client, { own, answered: 0 })
    client.setRequests(own.map(({ kind: _, ...request }) => ({ ...request })))
    const watched = client as unknown as Watched
    let failed = false
    watched.on("headers", ({ statusCode }) => (failed = statusCode !== 200))
    watched.on("body", (chunk) => {
      if (failed && refusal === "") refusal = chunk.toString("utf8").slice(-1_000)
    })
  }

  const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>()
  const amount = seconds === undefined ? { amount: shots.length, duration: LONGEST } : { duration: seconds }
  const options = { url: `http://127.0.0.1:${port}`, connections, sampleInt: LOOK, setupClient, ...amount }
  const instance = autocannon(options, (error: Error | null, result) =>
    error === null ? resolve(result) : reject(error),
  )
  instance.on("response", (client, _status, _bytes, milliseconds) => {
    endedAt = performance.now()
    if (begunAt === 0) begunAt = endedAt - milliseconds
    const mine = next.get(client) as { own: readonly Shot[]; answered: number }
    const shot = mine.own[mine.answered++]
    if (shot === undefined) {
      // Another round of the same requests would be answered from their receipts.
      reject(new Error(`a connection sent more than the ${mine.own.length} requests prepared for it`))
      return
    }
    took.push({ kind: shot.kind, milliseconds })
  })
  const { non2xx, errors } = await promise
  if (non2xx > 0 || errors > 0)
    throw new Error(`${non2xx} requests were refused and ${errors} failed; the first: ${refusal}`)
  return { seconds: (endedAt - begunAt) / 1000, took }
}
