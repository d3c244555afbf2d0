/**
 * How long writers wait while every delivery of a Room's webhooks hangs, beside the same writes with these webhooks
 * turned off.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { limits } from "../../src/contract/limits.ts"
import { copyData, readDemo, remove, repositoriesOf } from "./data/demo.ts"
import { freshId, post, writeShots } from "./load/shots.ts"
import type { Loaded } from "./load/load.ts"
import { ratio } from "./numbers.ts"
import { startServe } from "./process.ts"
import { progress } from "./progress.ts"
import { backwards, type Bench } from "./settings.ts"
import { messageText } from "./writes/recipes/discussion.ts"

/** Writes per second, at fixed times: about a third of what one connection can write. */
const RATE = 200
/** Milliseconds until the service has noticed which webhooks are on: it checks once a second. */
const SEEN = 1_500

/** A receiver that accepts every delivery and never answers. */
async function hanging() {
  let held = 0
  const server = createServer((request) => {
    held += 1
    request.once("close", () => (held -= 1))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held: () => held,
    end() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A request of the Room's owner, signed in as in a browser. @throws Error for anything but a 200 */
async function owner(
  baseUrl: string,
  { username, password }: { readonly username: string; readonly password: string },
) {
  let cookie = ""
  const asked = async (path: string, body: object) => {
    const headers = { origin: baseUrl, cookie, "content-type": "application/json" }
    const response = await fetch(`${baseUrl}${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    return response
  }
  const [session = ""] = (await asked("/api/session", { username, password })).headers.getSetCookie()
  cookie = session.split(";")[0] ?? ""
  return async (path: string, body: object) =>
    (await asked(path, body)).json() as Promise<{ readonly webhookId: string }>
}

export async function webhooks(bench: Bench): Promise<void> {
  const { scratch, demo, loader, report } = bench
  const { people, credentials, rooms } = readDemo(demo)
  const { roomId, openingThreadId } = rooms.empty
  const folder = copyData(demo, join(scratch, "webhooks"))
  const file = join(scratch, "messages-of-webhooks.json")
  const message = { schemaVersion: 3, clientMessageId: freshId, text: messageText }
  writeShots(file, [post(`/api/agent/threads/${openingThreadId}/messages`, credentials.owner_all.token, message)])

  const receiver = await hanging()
  const service = await startServe(folder, repositoriesOf(demo), "node", undefined, [
    "--webhook-networks",
    "127.0.0.0/8",
  ])
  const baseUrl = `http://127.0.0.1:${service.port}`
  const act = await owner(baseUrl, people.owner)
  const ids: string[] = []
  for (let index = 0; index < limits.roomWebhooks; index += 1)
    ids.push((await act(`/api/rooms/${roomId}/webhooks`, { url: `${receiver.url}/${index}` })).webhookId)
  const turn = async (how: "turn_on" | "turn_off") => {
    for (const id of ids) await act(`/api/webhooks/${id}`, { do: how })
    await new Promise((resolve) => setTimeout(resolve, SEEN))
  }

  const rounds = bench.rounds + 3
  const found: { readonly off: Loaded[]; readonly on: Loaded[] } = { off: [], on: [] }
  const shown = progress("webhooks", rounds)
  const load = { port: service.port, connections: 16, file, rate: RATE, count: RATE * Math.max(2, 5 * bench.seconds) }
  await loader.ask({ port: service.port, connections: 1, file, count: bench.warmUp })
  for (let round = 0; round < rounds; round += 1) {
    shown.step(`round ${round + 1}`)
    for (const side of backwards(round) ? (["on", "off"] as const) : (["off", "on"] as const)) {
      await turn(`turn_${side}`)
      if (receiver.held() !== (side === "on" ? ids.length : 0))
        throw new Error(`${receiver.held()} deliveries hang while webhooks are ${side}`)
      found[side].push(await loader.ask(load))
    }
  }
  shown.end()
  await service.end()
  receiver.end()
  remove(folder)

  const of = (side: keyof typeof found, what: "p50" | "p99") => found[side].map(({ write }) => write[what])
  report.table({
    title: `Writes while ${limits.roomWebhooks} receivers of the Room's webhooks hang; times in ms`,
    notes: [`${RATE} writes a second are due at fixed moments, and each one's time counts from its moment.`],
    columns: [
      { name: "p50", digits: 2 },
      { name: "p99", digits: 2 },
    ],
    rows: [
      { name: "webhooks off", cells: [of("off", "p50"), of("off", "p99")] },
      { name: "webhooks hang", cells: [of("on", "p50"), of("on", "p99")] },
      {
        name: "hang / off",
        cells: [ratio(of("on", "p50"), of("off", "p50")), ratio(of("on", "p99"), of("off", "p99"))],
      },
    ],
  })
  report.aimOf("p99 of a write while webhooks hang / while they are off", ratio(of("on", "p99"), of("off", "p99")), {
    atMost: 1.25,
  })
}
