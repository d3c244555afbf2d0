/**
 * Data of every schema version opens or is upgraded: it is whole, gives the answers of its own time, and accepts
 * writes.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import tap, { test } from "tap"
import { ResearchRoomClient } from "research-room/client"
import { Chain } from "../../src/client/activity.ts"
import { bringForward } from "../../src/app/compose/upgrade.ts"
import { checkData } from "../../src/check/check.ts"
import type { Db } from "../../src/ledger/storage/database.ts"
import { openDatabase } from "../../src/ledger/storage/opening.ts"
import { latestSchema } from "../../src/ledger/storage/schema.ts"
import { temporaryFolder } from "../support/service.ts"
import { type Answered, answerTo, asEarlier, sampledVersions, sampleOf, serveSample, unpack } from "./sample.ts"

const folder = temporaryFolder()
tap.teardown(() => rmSync(folder, { recursive: true, force: true }))
// Each release adds a version here: the time limit for the file grows with them.
tap.setTimeout((1 + sampledVersions().length) * 60_000)

/** Members that had another name when a sample was made. */
const renamed: Readonly<Record<string, string>> = { "/columns/name": "metric", asks: "question", namedAs: "role" }

/** Sentences that describe an entry or a next step to people: they may be improved. */
const TOLD = /^\/items\/\d+\/(?:summary|why)$|^\/sentence$/
/**
 * Members that say something else since: another commit of a repository is not other code, and a denominator counts the
 * attempts that a finding could have chosen.
 */
const REDEFINED =
  /evidenceTally\/otherCode$|independence\/code$|\/checked\/attempts$|\/execution\/denominator\/|\/blemishes\/unnamed$/

interface Checkpoint {
  readonly staleReasons: unknown
  readonly stale?: unknown
}

/** Intervals are worked out anew, and the functions behind them may differ in their last digits. */
const isNear = (before: unknown, now: unknown): boolean =>
  typeof before === "number" && typeof now === "number" && Math.abs(before - now) <= 1e-9 * Math.abs(before)

/** Members that answers no longer contain, or contain in another form, each by its path; members may be added. */
function lost(before: unknown, now: unknown, path = ""): string[] {
  if (typeof before !== "object" || before === null)
    return before === now || isNear(before, now) ? [] : [`${path}: ${JSON.stringify(before)} is ${JSON.stringify(now)}`]
  // A reproduction may repeat several effects now, so what it repeats is a list, and what counts is its verdict.
  if (path.endsWith("/reproduction/repeats") && Array.isArray(now) && now.length === 1 && "countsAs" in before) {
    const { countsAs: verdict, ...others } = before
    return lost({ ...others, verdict }, now[0], path)
  }
  if (typeof now !== "object" || now === null || Array.isArray(before) !== Array.isArray(now))
    return [`${path}: is ${JSON.stringify(now)}`]
  // New operations are added to the list in their own places.
  if (path === "/operations" && Array.isArray(before) && Array.isArray(now))
    return lost(byOperation(before), byOperation(now), "/operation")
  // What a checkpoint's author could know was a reason once: it stands in `knownThen` now.
  if ("staleReasons" in before && "staleReasons" in now && "knownThen" in now)
    return lost(withoutKnown(before, now.knownThen), withoutKnown(now, now.knownThen), path)
  if (Array.isArray(before) && before.length !== (now as unknown[]).length)
    return [`${path}: ${before.length} items are ${(now as unknown[]).length}`]
  return Object.entries(before).flatMap(([name, value]) => {
    const at = `${path}/${name}`
    const found = (now as Record<string, unknown>)[renamed[at] ?? renamed[name] ?? name]
    if (TOLD.test(at) && typeof found === "string" && found !== "") return []
    if (REDEFINED.test(at) && typeof found === typeof value) return []
    return lost(value, found, at)
  })
}

function withoutKnown({ staleReasons, stale: _stale, ...checkpoint }: Checkpoint, then: unknown) {
  const known = new Set((then as { versionId: string }[]).map(({ versionId }) => versionId))
  const reasons = staleReasons as { versionId: string; code: string }[]
  return {
    ...checkpoint,
    reasons: reasons.filter(({ versionId, code }) => !(code.startsWith("citation_") && known.has(versionId))),
  }
}

const byOperation = (listed: readonly { readonly operation: string }[]) =>
  Object.fromEntries(listed.map((each) => [each.operation, each]))

const shapeOf = (db: Db) =>
  db.prepare<{ name: string }>("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all()
function visit<T>(file: string, work: (db: Db) => T): T {
  bringForward(file)
  const db = openDatabase(file)
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

test("there is a sample of every version", (t) => {
  t.strictSame(
    sampledVersions(),
    Array.from({ length: latestSchema }, (_, index) => index + 1),
  )
  t.end()
})

test("changes and losses in an answer are noticed, additions are not", (t) => {
  t.strictSame(lost({ a: [1, { b: 2 }] }, { a: [1, { b: 2, c: 3 }], d: 4 }), [])
  t.strictSame(lost({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }), ["/a/1/b: 2 is 3"])
  t.strictSame(lost({ a: [1] }, { a: [1, 2] }), ["/a: 1 items are 2"])
  t.strictSame(lost({ a: null, b: {} }, { b: [] }), ["/a: null is undefined", "/b: is []"])
  t.end()
})

/** What is compared of answers that changed as a whole. */
function told({ path, status }: Answered, body: unknown): unknown {
  if (status !== 200) return body
  // Names are written in their parts now: the same papers stand under the same keys.
  if (/\/bibtex$/.test(path)) return [...String(body).matchAll(/^@\w+\{([^,]+),/gm)].map(([, key]) => key)
  // Start and progress of others' attempts are no news any more, so an inbox is shorter.
  if (/\/inbox(?:\?|$)/.test(path)) return { schemaVersion: (body as { schemaVersion: unknown }).schemaVersion }
  return body
}

/** What was accepted repeats the members of a checkpoint, and is given where it is asked for. */
const pathNow = (path: string): string => (/\/checkpoints\/[^/?]+$/.test(path) ? `${path}?include=content` : path)

const samples: readonly (readonly [name: string, version: number, put: (into: string) => string])[] = [
  ...sampledVersions().map(
    (version) => [`schema ${version}`, version, (into: string) => unpack(version, into)] as const,
  ),
  ["data of an earlier version", latestSchema, asEarlier],
]

for (const [name, version, put] of samples) {
  const own = join(folder, name.replaceAll(" ", "-"))

  test(`${name} is upgraded whole, and gives its old answers`, async (t) => {
    const data = join(own, "forward")
    const file = put(data)
    const { cast, answered } = sampleOf(version)
    t.ok(answered.length > 100, `${answered.length} answers were stored`)

    const service = await serveSample(data)
    t.teardown(() => service.close())
    const ask = ({ path, as }: Answered) => answerTo(service.port, pathNow(path), as, cast)
    for (const kept of answered) {
      const now = await ask(kept)
      // The sentences of a refusal are for people, and may be improved.
      const body = kept.body as Record<string, unknown>
      // What fits a brief's budget, and in which order, may be chosen better.
      const { room, thread, activityWatermark } = body
      const isBrief = /\/brief(?:\?|$)/.test(kept.path)
      const whole = isBrief ? { room, thread, activityWatermark } : body
      const said = kept.status === 200 ? told(kept, whole) : { refusal: body.refusal }
      const faults = [
        ...(now.status === kept.status ? [] : [`status ${kept.status} is ${now.status}`]),
        ...lost(said, told(kept, now.body)),
      ]
      t.strictSame(faults, [], kept.path)
    }
    t.equal(versionOf(file), latestSchema)
    visit(file, (db) => t.strictSame(checkData(db).problems, [], "check finds nothing"))
  })

  test(`${name} accepts writes, and the chain of digests continues where it was`, async (t) => {
    const data = join(own, "on")
    put(data)
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
    const taken = await agent.write("propose_experiment", {
      roomId,
      threadId,
      question: "Does it hold?",
      scope: "Here.",
      hypotheses: [],
    })
    t.equal(thread.activity?.sequence, (last?.sequence ?? 0) + 1)
    t.equal(taken.activity?.sequence, (last?.sequence ?? 0) + 3)

    const chain = new Chain(roomId, last ?? 0)
    for await (const entry of agent.items("room_activity", { roomId, after: chain.sequence })) chain.take(entry)
    t.equal(chain.digest, taken.activity?.digest, "the new entries are chained to the last old one")
    const kinds: string[] = []
    for await (const entry of agent.items("thread_timeline", { threadId, kinds: ["message", "propose_experiment"] }))
      kinds.push(entry.kind)
    t.strictSame(kinds.slice(-2), ["message", "propose_experiment"], "and are found by their kind")
    t.equal(
      (await agent.read("receipt", { operation: "post_message", clientMessageId: message.clientMessageId ?? "" }))
        .activity?.digest,
      message.activity?.digest,
    )
    await service.close()
    visit(join(data, "research-room.db"), (db) => t.strictSame(checkData(db).problems, []))
  })

  test(`${name} gets the schema of new data`, (t) => {
    const made = visit(join(own, "new", "new.db"), shapeOf)
    t.strictSame(visit(put(join(own, "shape")), shapeOf), made)
    t.end()
  })
}
