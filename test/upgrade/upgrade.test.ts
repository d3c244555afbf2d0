/**
 * Data of every released schema version comes forward: it opens, is whole, answers what it answered in its own time, and
 * goes on. A step that fails leaves it as it was, and no older program touches it afterwards.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import tap, { test } from "tap"
import { ResearchRoomClient } from "research-room/client"
import { Chain } from "../../src/client/chain.ts"
import { bringForward } from "../../src/app/forward.ts"
import { checkData } from "../../src/check/check.ts"
import { type Db, openDatabase } from "../../src/ledger/database.ts"
import { migrations } from "../../src/ledger/schema.ts"
import { temporaryFolder } from "../support/service.ts"
import { type Answered, answerTo, sampledVersions, sampleOf, serveSample, unpack } from "./sample.ts"

const folder = temporaryFolder()
tap.teardown(() => rmSync(folder, { recursive: true, force: true }))
// Each release adds a version here: the time for the file grows with them.
tap.setTimeout(sampledVersions().length * 30_000)
const today = migrations.at(-1)?.to ?? 1

/** What an answer no longer says, or says otherwise, each by its path; members may be added. */
function lost(before: unknown, now: unknown, path = ""): string[] {
  if (typeof before !== "object" || before === null)
    return before === now ? [] : [`${path}: ${JSON.stringify(before)} is ${JSON.stringify(now)}`]
  if (typeof now !== "object" || now === null || Array.isArray(before) !== Array.isArray(now)) return [`${path}: is ${JSON.stringify(now)}`]
  if (Array.isArray(before) && before.length !== (now as unknown[]).length)
    return [`${path}: ${before.length} items are ${(now as unknown[]).length}`]
  return Object.entries(before).flatMap(([name, value]) => lost(value, (now as Record<string, unknown>)[name], `${path}/${name}`))
}

/** Faults that are none: what the protocol has changed since, each with why. */
const amended: readonly (readonly [path: RegExp, fault: RegExp, why: string])[] = [
  [/\/records\//, /^\/warnings: /, "a record no longer rests on what it contradicts, what its plan tests, or what replaced it"],
  [/\/access$/, /^\/operations: \d+ items are \d+$/, "there are more operations"],
  [/\/research-context$/, /^\/publications: \d+ items are \d+$/, "a hypothesis is said once, among the hypotheses"],
  [/\/search\?/, /^\/items: \d+ items are \d+$/, "what was said of plans, attempts, materials, links and checkpoints is found too"],
  [/\/search\?/, /^\/items\/\d+\/snippet: /, "a passage is cut where its words stand closest"],
  [/\/brief$/, /^\/omitted\/failures\/link: /, "what failed has a list of its own, that of attempts left out findings and retractions"],
  [/\/library\/(?:paper|annotations)$/, /^\/error: "A query parameter is not as/, "what is wrong with a query is said more plainly"],
]
const isAmended = (path: string, fault: string) => amended.some(([where, what]) => where.test(path) && what.test(fault))

const shapeOf = (db: Db) => db.prepare<{ name: string }>("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all()
function visit<T>(file: string, work: (db: Db) => T, steps = migrations): T {
  if (steps === migrations) bringForward(file)
  const db = openDatabase(file, steps)
  try {
    return work(db)
  } finally {
    db.close()
  }
}
function versionOf(file: string): unknown {
  const database = new Database(file, { readonly: true })
  try {
    return database.pragma("user_version", { simple: true })
  } finally {
    database.close()
  }
}

test("a sample is kept of every version before today's", (t) => {
  t.strictSame(
    sampledVersions().filter((version) => version < today),
    migrations.map(({ to }) => to).filter((version) => version < today),
  )
  t.end()
})

test("what was changed or lost in an answer is noticed, what was added is not", (t) => {
  t.strictSame(lost({ a: [1, { b: 2 }] }, { a: [1, { b: 2, c: 3 }], d: 4 }), [])
  t.strictSame(lost({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }), ["/a/1/b: 2 is 3"])
  t.strictSame(lost({ a: [1] }, { a: [1, 2] }), ["/a: 1 items are 2"])
  t.strictSame(lost({ a: null, b: {} }, { b: [] }), ["/a: null is undefined", "/b: is []"])
  t.end()
})

for (const version of sampledVersions()) {
  const name = `schema ${version}`

  test(`${name} comes forward whole, and answers what it answered`, async (t) => {
    const data = join(folder, `forward-${version}`)
    const file = unpack(version, data)
    t.equal(versionOf(file), version)
    const { cast, answered } = sampleOf(version)
    t.ok(answered.length > 100, `${answered.length} answers were kept`)

    const service = await serveSample(data)
    t.teardown(() => service.close())
    const ask = ({ path, as }: Answered) => answerTo(service.port, path, as, cast)
    for (const kept of answered) {
      const now = await ask(kept)
      const faults = [...(now.status === kept.status ? [] : [`status ${kept.status} is ${now.status}`]), ...lost(kept.body, now.body)]
      t.strictSame(
        faults.filter((fault) => !isAmended(kept.path, fault)),
        [],
        kept.path,
      )
    }
    t.equal(versionOf(file), today)
    visit(file, (db) => t.strictSame(checkData(db).problems, [], "check finds nothing"))
  })

  test(`${name} goes on: writes are taken, and the chain of digests continues where it was`, async (t) => {
    const data = join(folder, `on-${version}`)
    unpack(version, data)
    const { cast, answered } = sampleOf(version)
    const { roomId, openingThreadId: threadId } = cast.rooms.main
    const feed = answered
      .filter(({ path }) => path.startsWith(`/api/research/rooms/${roomId}/activity`))
      .flatMap(({ body }) => (body as { items: { sequence: number; digest: string }[] }).items)
    const last = feed.at(-1)

    const service = await serveSample(data)
    const baseUrl = `http://127.0.0.1:${service.port}`
    const agent = new ResearchRoomClient({ baseUrl, token: cast.credentials.main_member_all.token })
    const thread = await agent.write("create_thread", { roomId, title: "After the upgrade", message: "It goes on." })
    const message = await agent.write("post_message", { threadId, text: "Still here." })
    const taken = await agent.write("propose_experiment", { roomId, threadId, question: "Does it hold?", scope: "Here.", hypotheses: [] })
    t.equal(thread.activity?.sequence, (last?.sequence ?? 0) + 1)
    t.equal(taken.activity?.sequence, (last?.sequence ?? 0) + 3)

    const chain = new Chain(roomId, last ?? 0)
    for await (const entry of agent.items("room_activity", { roomId, after: chain.sequence })) chain.take(entry)
    t.equal(chain.digest, taken.activity?.digest, "the new entries rest on the last one that was kept")
    const kinds: string[] = []
    for await (const entry of agent.items("thread_timeline", { threadId, kinds: ["message", "propose_experiment"] })) kinds.push(entry.kind)
    t.strictSame(kinds.slice(-2), ["message", "propose_experiment"], "and are found by their kind")
    t.equal(
      (await agent.read("receipt", { operation: "post_message", clientMessageId: message.clientMessageId ?? "" })).activity?.digest,
      message.activity?.digest,
    )
    await service.close()
    visit(join(data, "research-room.db"), (db) => t.strictSame(checkData(db).problems, []))
  })

  test(`${name} comes out with the schema of new data`, (t) => {
    const made = visit(join(folder, `new-${version}.db`), shapeOf)
    t.strictSame(visit(unpack(version, join(folder, `shape-${version}`)), shapeOf), made)
    t.end()
  })

  test(`${name} stays as it is when the disk is full in the middle of the way`, (t) => {
    const file = unpack(version, join(folder, `full-${version}`))
    const before = visit(file, shapeOf, migrations.slice(0, version))
    const contents = (db: Db) => db.prepare("SELECT body FROM activity_entries ORDER BY room_id, sequence").all()
    const kept = visit(file, contents, migrations.slice(0, version))
    const [next, ...later] = migrations.slice(version)
    const filling = "PRAGMA max_page_count = 1; CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (zeroblob(10000000));"
    const steps = [...migrations.slice(0, version), { to: version + 1, sql: `${next?.sql ?? ""}; ${filling}` }, ...later]
    t.throws(() => openDatabase(file, steps), { name: "DataError", message: /^The disk that holds .* is full\. Nothing was changed\.$/ })
    t.equal(versionOf(file), version)
    t.strictSame(visit(file, shapeOf, migrations.slice(0, version)), before)
    t.strictSame(visit(file, contents, migrations.slice(0, version)), kept)
    t.strictSame(visit(file, contents), kept, "with space again it comes forward")
    t.equal(versionOf(file), today)
    t.end()
  })

  test(`${name}, once brought forward, is refused by a program of its own time`, { skip: version === today }, (t) => {
    const file = unpack(version, join(folder, `back-${version}`))
    visit(file, () => {})
    t.throws(() => openDatabase(file, migrations.slice(0, version)), {
      name: "DataError",
      message: new RegExp(
        `was written by a newer research-room \\(schema ${today}; this program knows up to ${version}\\)\\. Nothing was changed\\. Use the newer program\\.$`,
      ),
    })
    t.equal(versionOf(file), today)
    t.end()
  })
}
