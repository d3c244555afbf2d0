/**
 * Texts are indexed after their write is answered. Nobody notices: authors find their texts at once, a killed service
 * catches up, and a search gives the same answer as an index built at once.
 */
import { copyFileSync, existsSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import tap, { test } from "tap"
import { ResearchRoomClient } from "research-room/client"
import type { Receipt } from "../../../src/contract/answers/receipts.ts"
import type { Operation } from "../../../src/contract/definitions/operation.ts"
import { type OperationName, operationNamed } from "../../../src/contract/operations/index.ts"
import { createInstance } from "../../../src/app/compose/instance.ts"
import { checkData } from "../../../src/check/check.ts"
import type { Demo } from "../../bench/data/demo.ts"
import { openReadConnection, openDatabase } from "../../../src/ledger/storage/opening.ts"
import { realWorld } from "../../../src/ledger/world.ts"
import { action, type Body, freshId, hypothesis } from "../../support/bodies.ts"
import { held } from "../../support/contract.ts"
import { openLedger } from "../../support/lab.ts"
import { endAll, newPlace, type Running, start } from "../../support/program.ts"

const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})
const file = join(place.folder, "data/research-room.db")
const program = ["--conditions=research-room-source", join(import.meta.dirname, "../../../src/main.ts")]
const begin = (...args: string[]) =>
  start(process.execPath, [...program, ...args, "--port", "0", "--data", "data"], place)

/** The demo's data, as a kill leaves it. */
const first = begin("demo", "--json")
const [line] = await first.printed(/^\{.*\}$/m)
const demo = JSON.parse(line) as Demo
first.signal("SIGKILL")
await first.ended()
const { roomId, openingThreadId: threadId } = demo.rooms.empty

async function served(): Promise<{ service: Running; agent: ResearchRoomClient }> {
  const service = begin("serve")
  const [, baseUrl = ""] = await service.printed(/ at (http\S+)\n/)
  return { service, agent: new ResearchRoomClient({ baseUrl, token: demo.credentials.owner_all.token, fetch: held }) }
}

/** Answers queries from an index built at once, on a copy of the data. */
function atOnce(queries: readonly string[]) {
  const copy = join(place.folder, `copy-${freshId()}.db`)
  for (const suffix of ["", "-wal"]) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix)
  const db = openDatabase(copy)
  const { tables } = createInstance({ db, world: realWorld(), instanceId: "" })
  tables.search.reindex()
  const found = queries.map((query) => tables.search.find(query, {}, 0, 50))
  db.close()
  return found
}

const words = ["warm-up", "cooling", "stability", "H1", "rate", "ramp", "étage", "0f3c9a1", "quantisation"] as const
const said = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 })
const write = fc.record({ kind: fc.constantFrom("message", "hypothesis", "experiment", "thread"), said })
const round = fc.record({
  writes: fc.array(write, { minLength: 1, maxLength: 12 }),
  queries: fc.array(said, { minLength: 1, maxLength: 3 }),
  ends: fc.constantFrom("goes on", "killed at once", "killed after a search"),
})

async function send(
  agent: ResearchRoomClient,
  { kind, said: texts }: { kind: string; said: readonly string[] },
): Promise<string> {
  const marker = `x${freshId().replaceAll("-", "").slice(0, 12)}`
  const text = `${texts.join(" ")} ${marker}`
  if (kind === "message") await agent.write("post_message", { threadId, text })
  else if (kind === "thread") await agent.write("create_thread", { roomId, title: text, allowDuplicate: true })
  else if (kind === "experiment")
    await agent.write("propose_experiment", { roomId, threadId, question: "Is it so?", hypotheses: [], scope: text })
  else await agent.write("publish_hypothesis", { ...hypothesis({ roomId, threadId }), scope: text })
  return marker
}

test("new texts are found at once, even after kills, just as an index built at once finds them", {
  timeout: 240_000,
}, async (t) => {
  let { service, agent } = await served()
  const markers: string[] = []
  // The effects of a finding are not from the index: the read adds them.
  const find = async (query: string) =>
    (await agent.read("search", { query, limit: 50 })).items.map(({ effects: _added, ...item }) => item)
  await fc.assert(
    fc.asyncProperty(round, async ({ writes, queries, ends }) => {
      markers.push(...(await Promise.all(writes.map((each) => send(agent, each)))))
      if (ends === "killed at once") {
        service.signal("SIGKILL")
        await service.ended()
        ;({ service, agent } = await served())
      }
      for (const marker of markers.slice(-writes.length))
        if ((await find(marker)).length !== 1) throw new Error(`${marker} is not found`)
      const asked = queries.map((each) => each.join(" "))
      const answered = await Promise.all(asked.map(find))
      const due = atOnce(asked)
      if (JSON.stringify(answered) !== JSON.stringify(due)) {
        const ids = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id)
        t.strictSame(answered.map(ids), due.map(ids), "the same, in the same order")
        t.strictSame(answered, due)
        throw new Error(`${asked.join("; ")} is answered differently`)
      }
      // The data is still being written, so texts that are not indexed yet are no fault.
      await Promise.all(writes.map((each) => send(agent, each)))
      const db = openReadConnection(file)
      const { problems } = checkData(db)
      db.close()
      if (problems.length > 0) throw new Error(problems.join("\n"))
      if (ends !== "killed after a search") return
      await find("rate")
      service.signal("SIGKILL")
      await service.ended()
      ;({ service, agent } = await served())
    }),
    { numRuns: 6, endOnFailure: true },
  )
  for (const marker of markers) if ((await find(marker)).length !== 1) t.fail(`${marker} is not found any more`)
  service.signal("SIGTERM")
  t.match(await service.ended(), { code: 0 }, service.err)
  const db = openDatabase(file)
  const { tables } = createInstance({ db, world: realWorld(), instanceId: "" })
  t.equal(tables.search.done(), tables.search.due(), "a clean shutdown leaves nothing to index")
  t.strictSame(checkData(db).problems, [])
  db.close()
})

test("without an index, in a copy that another process writes, everything is found by reading it", async (t) => {
  const lab = await openLedger(t)
  const { db, roomId, threadId, ada, clock } = lab
  const world = realWorld(clock.read)
  const { ledger, tables } = createInstance({ db, world, instanceId: "", indexesLater: true })
  const admit = async (name: OperationName, body: Body, params: Record<string, string> = {}) =>
    JSON.parse(
      await ledger.admit({ operation: operationNamed(name) as Operation, actor: ada, params, body }),
    ) as Receipt
  const indexed = tables.search.done()
  const message = await admit(
    "post_message",
    { schemaVersion: 3, clientMessageId: freshId(), text: "An étage of ramps." },
    { threadId },
  )
  const concepts = { lowers: { label: "linear ramp", definition: "It rises evenly." } }
  const record = await admit("publish_hypothesis", { ...action(hypothesis({ roomId, threadId })), concepts })
  t.equal(tables.search.done(), indexed, "nothing was indexed")
  const idsOf = (query: string, within = {}) => tables.search.find(query, within, 0, 10).map(({ id }) => id)
  const queries: readonly (readonly [string, object, string])[] = [
    ["etage", {}, message.targetId],
    ['"étage of ramps"', { roomId }, message.targetId],
    ["eta", { kinds: ["message"] }, message.targetId],
    ["H1", {}, record.targetId],
    [record.targetId, {}, record.targetId],
    ["evenly", { status: "current" }, record.targetId],
  ]
  for (const [query, within, id] of queries) t.strictSame(idsOf(query, within), [id], query)
  for (const within of [
    { kinds: ["finding"] },
    { roomId: freshId() },
    { authorId: freshId() },
    { since: "2999-01-01T00:00:00.000Z" },
  ])
    t.strictSame(idsOf("etage", within), [], JSON.stringify(within))
  t.strictSame(tables.concepts.page("steep ramp", undefined, 10).found, [])
  t.match(tables.concepts.page("linear ramp", undefined, 10).found, [{ versionId: record.targetId, key: "lowers" }])
  const [one, other] = [tables.search.find("ramp", {}, 0, 1), tables.search.find("ramp", {}, 1, 1)]
  t.strictSame([...one, ...other].map(({ id }) => id).sort(), idsOf("ramp").sort(), "in pages too")
  const before = queries.map(([query, within]) => tables.search.find(query, within, 0, 10))
  db.exec("BEGIN")
  tables.search.index()
  db.exec("COMMIT")
  t.strictSame(
    queries.map(([query, within]) => tables.search.find(query, within, 0, 10)),
    before,
    "and the index answers the same",
  )
})
