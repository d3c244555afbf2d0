/**
 * How many files of src one write over HTTP runs: those in which a function is called between the request and its
 * answer. The numbers may only fall. 20 for a message and 60 for a finding were wanted; the finding has no effects and
 * rests on nothing, and one that does runs what these are about, too. A message runs more than 20, since a file holds
 * one whole thing: the server, the route, the caller, the body and its limits, the check by the contract, the checks,
 * the queue and the recording of the ledger, each part of the journal, the files of the data, and its own domain.
 */
import { Session } from "node:inspector/promises"
import t from "tap"
import { operationNamed } from "../../src/contract/operations/index.ts"
import { finding } from "../support/bodies.ts"
import { startOwn } from "../support/service.ts"

/** 39 and 54 were counted; a timer that fires meanwhile runs others. */
const most = { post_message: 41, publish_finding: 56 } as const
/** What has nothing to do with these writes: no claim or lease, no reply, nothing withheld, a short log. */
const idle = [
  "app/serving/log-copying.ts",
  "ledger/replay/remake.ts",
  "research/claims/claims.ts",
  "research/links/operations.ts",
  "research/measurements/effects.ts",
]

t.test("a write runs few files", async (t) => {
  const own = await startOwn()
  t.teardown(() => own.close())
  const ada = await own.setUp()
  const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "Files" })).result
  const { result } = await ada.write("issue_credential", {
    ...{ roomId, label: "runner", permissions: ["post_thread", "publish_records"] },
  })
  const publishing = operationNamed("publish_finding")?.path ?? ""
  async function send(path: string, body: object): Promise<void> {
    const response = await fetch(`${own.baseUrl}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${result.token}`, "content-type": "application/json" },
      body: JSON.stringify({ schemaVersion: 3, ...body }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
  }
  const writes = {
    post_message: () =>
      send(`/api/agent/threads/${threadId}/messages`, { clientMessageId: crypto.randomUUID(), text: "So it is." }),
    publish_finding: () =>
      send(publishing, {
        ...{ requestId: crypto.randomUUID(), ...finding({ roomId, threadId }, {}, "It is so.") },
      }),
  }
  const session = new Session()
  session.connect()
  t.teardown(() => session.disconnect())
  await session.post("Profiler.enable")
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
  for (const [name, write] of Object.entries(writes)) {
    await write()
    // What follows the first write in its own time is no part of the second.
    await new Promise((quiet) => setTimeout(quiet, 500))
    await session.post("Profiler.takePreciseCoverage")
    await write()
    const { result: scripts } = await session.post("Profiler.takePreciseCoverage")
    const files = scripts.flatMap(({ url, functions }) =>
      /\/src\/.*\.ts$/.test(url) && functions.some(({ ranges: [range] }) => (range?.count ?? 0) > 0)
        ? [url.slice(url.indexOf("/src/") + 5)]
        : [],
    )
    t.comment(`${name} runs ${files.length} files: ${files.sort().join(" ")}`)
    t.ok(files.length <= most[name as keyof typeof most], `${name}: ${files.length} files`)
    t.strictSame(
      files.filter((file) => idle.includes(file)),
      [],
      `${name} runs no step that follows other writes`,
    )
  }
})
