/**
 * Logs of 16 MiB: how long a page of one takes, and how long writers wait beside an upload of one.
 */
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { limits } from "../../src/contract/limits.ts"
import { type OperationName, operationOf } from "../../src/contract/operations/index.ts"
import { copyData, readDemo, remove, repositoriesOf } from "./data/demo.ts"
import type { Loaded } from "./load/load.ts"
import { freshId, get, post, writeShots } from "./load/shots.ts"
import type { Upload, Uploaded } from "./load/uploads.ts"
import { ratio } from "./numbers.ts"
import { Helper, startServe } from "./process.ts"
import { progress } from "./progress.ts"
import { backwards, type Bench } from "./settings.ts"
import { messageText } from "./writes/recipes/discussion.ts"

/** Writes per second, at fixed times. */
const RATE = 100
const PAGES = 200

export async function logs(bench: Bench): Promise<void> {
  const { scratch, demo, loader, reader, report } = bench
  const { credentials, rooms, repositories } = readDemo(demo)
  const { roomId, openingThreadId: threadId } = rooms.empty
  const { token } = credentials.owner_all
  const folder = copyData(demo, join(scratch, "logs"))
  const service = await startServe(folder, repositoriesOf(demo), "node")
  const baseUrl = `http://127.0.0.1:${service.port}`
  const send = async <Answer>(path: string, body: string, method = "POST") => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const response = await fetch(`${baseUrl}${path}`, { method, headers, body })
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    return response.json() as Promise<Answer>
  }
  const uploader = new Helper<Upload, Uploaded>("load/uploads.ts")
  const upload = () => uploader.ask({ port: service.port, token })

  const { digest, lines } = await upload()
  const attemptId = randomUUID()
  const { url, commit } = repositories.public
  const reportedAt = new Date().toISOString()
  let experimentId = ""
  const write = async (name: OperationName, body: object) => {
    const { method, path } = operationOf(name)
    const ids: Readonly<Record<string, string>> = { threadId, experimentId, attemptId }
    const filled = path.replace(/\{(\w+)\}/g, (_, id: string) => ids[id] ?? "")
    const { target } = await send<{ target: { id: string } }>(
      filled,
      JSON.stringify({ schemaVersion: 3, requestId: randomUUID(), ...body }),
      method,
    )
    return target.id
  }
  experimentId = await write("propose_experiment", {
    ...{ roomId, threadId, question: "How long is it?", scope: "Here.", hypotheses: [] },
  })
  await write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  await write("register_attempt", {
    ...{ attemptId, experimentId, intent: "exploratory", expectedRevision: 2, expectedStatus: "claimed" },
    ...{ repository: { url, commit }, argv: ["run"], configuration: {}, inputs: [] },
  })
  await write("report_attempt_event", {
    ...{ attemptId, expectedRevision: 1, expectedStatus: "registered", event: "started", reportedAt },
  })
  await write("report_attempt_event", {
    ...{ attemptId, expectedRevision: 2, expectedStatus: "started", event: "progress", reportedAt, log: { digest } },
  })

  const pages = join(scratch, "pages-of-a-log.json")
  const at = (part: number) => 1 + Math.floor(part * (lines - 200))
  writeShots(
    pages,
    Array.from({ length: PAGES }, (_, n) =>
      get(`/api/research/attempts/${attemptId}/log?from=${at(((n * 7_919) % PAGES) / PAGES)}&lines=200`),
    ),
  )
  const messages = join(scratch, "messages-beside-a-log.json")
  const message = { schemaVersion: 3, clientMessageId: freshId, text: messageText }
  writeShots(messages, [post(`/api/agent/threads/${threadId}/messages`, token, message)])

  const rounds = bench.rounds + 2
  const page: Loaded[] = []
  const found: { readonly alone: Loaded[]; readonly beside: Loaded[] } = { alone: [], beside: [] }
  const uploads: number[] = []
  const shown = progress("logs", rounds)
  const count = RATE * Math.max(3, 5 * bench.seconds)
  const load = { port: service.port, connections: 8, file: messages, rate: RATE, count }
  await loader.ask({ port: service.port, connections: 1, file: messages, count: bench.warmUp })
  for (let round = 0; round < rounds; round += 1) {
    shown.step(`round ${round + 1}`)
    page.push(await reader.ask({ port: service.port, connections: 1, file: pages, count: PAGES }))
    for (const side of backwards(round) ? (["beside", "alone"] as const) : (["alone", "beside"] as const)) {
      let isOver = false
      const sending = (async () => {
        while (side === "beside" && !isOver) {
          uploads.push((await upload()).seconds)
        }
      })()
      found[side].push(await loader.ask(load))
      isOver = true
      await sending
    }
  }
  shown.end()
  await uploader.end()
  await service.end()
  remove(folder)

  const of = (side: keyof typeof found, what: "p50" | "p99") => found[side].map(({ write: each }) => each[what])
  const ofPage = (what: "p50" | "p99") => page.map(({ read }) => read[what])
  report.table({
    title: `Logs of ${limits.logBytes / 1_048_576} MiB and ${lines} lines; times in ms`,
    notes: [
      `${RATE} writes a second are due at fixed moments, and each one's time counts from its moment.`,
      `An upload took ${(uploads.reduce((total, each) => total + each, 0) / uploads.length).toFixed(1)} s.`,
    ],
    columns: [
      { name: "p50", digits: 2 },
      { name: "p99", digits: 2 },
    ],
    rows: [
      { name: "a page of 200 lines", cells: [ofPage("p50"), ofPage("p99")] },
      { name: "a write alone", cells: [of("alone", "p50"), of("alone", "p99")] },
      { name: "a write beside an upload", cells: [of("beside", "p50"), of("beside", "p99")] },
      {
        name: "beside / alone",
        cells: [ratio(of("beside", "p50"), of("alone", "p50")), ratio(of("beside", "p99"), of("alone", "p99"))],
      },
    ],
  })
  report.aimOf("ms of a page of a log of 16 MiB", ofPage("p50"), { atMost: 20 })
  report.aimOf("p99 of a write beside an upload of 16 MiB / alone", ratio(of("beside", "p99"), of("alone", "p99")), {
    atMost: 2,
  })
}
