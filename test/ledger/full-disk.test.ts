/**
 * A full disk: `PRAGMA max_page_count` lets the file grow no further. Every writer is then told that nothing was
 * stored, nothing is half done, reads continue, and writes succeed again once there is space.
 */
import tap, { test } from "tap"
import { startDemo } from "../../src/demo/demo.ts"
import { checkData } from "../../src/check/check.ts"
import { openLog } from "../../src/log.ts"
import { ask } from "../support/ask.ts"
import { action, type Body, hypothesis, message } from "../support/bodies.ts"

const house = await startDemo({ host: "127.0.0.1", port: 0, kept: process.env.TOLD_DEMO, log: openLog("silent") })
tap.teardown(() => house.close())
const { db } = house.instance
const { roomId, openingThreadId: threadId } = house.rooms.empty
const token = house.credentials.member_all.token

const messages = `${house.baseUrl}/api/agent/threads/${threadId}/messages`
const post = (body: Body) => ask(messages, { token, body })
const long = (n: number): Body => message(`${n} ${"word ".repeat(3_000)}`)

const pragma = (text: string): number =>
  Object.values(db.prepare<Record<string, number>>(`PRAGMA ${text}`).get() ?? {})[0] ?? 0
const mostPages = pragma("max_page_count")
const fill = () => pragma(`max_page_count = ${pragma("page_count")}`)
const makeSpace = () => pragma(`max_page_count = ${mostPages}`)

const tables = ["journal", "timeline_entries", "records", "counters", "room_heads", "thread_heads"]
const everything = () => tables.map((table) => db.prepare(`SELECT * FROM ${table}`).all())

// shows: 503 where the database or a reference check fails for now; the same may be sent again.
test("while the disk is full every write is refused as not stored, and nothing of it is kept", async (t) => {
  // Fills the remaining free pages of the file.
  while ((fill(), (await post(long(0))).status === 200)) makeSpace()
  makeSpace()
  const before = everything()
  fill()
  const bodies = Array.from({ length: 16 }, (_, n) => long(n))
  const answers = await Promise.all(bodies.map(post))
  for (const answer of answers) {
    t.equal(answer.status, 503)
    t.match(answer.body, {
      refusal: "temporarily_unavailable",
      committed: false,
      retryable: true,
      retryAfter: 2,
      issues: [],
    })
  }
  t.strictSame(everything(), before, "every table is unchanged")
  t.notOk(db.inTransaction)

  const read = await ask(`${house.baseUrl}/api/research/threads/${threadId}/timeline`)
  t.equal(read.status, 200, "reads continue")

  makeSpace()
  const again = await Promise.all(bodies.map(post))
  t.ok(
    again.every(({ status, body }) => status === 200 && body.replayed === undefined),
    "the same requests succeed once there is space",
  )
  const sequences = again.map(({ body }) => Number(body.entry?.sequence)).sort((a, b) => a - b)
  t.strictSame(
    sequences,
    Array.from({ length: 16 }, (_, n) => (sequences[0] ?? 0) + n),
    "without a gap",
  )
  t.strictSame(checkData(db).problems, [])
})

test("in a group that meets the full disk, no unstored write is reported as stored", async (t) => {
  for (let spare = 0; spare <= 24; spare += 4) {
    makeSpace()
    const limit = pragma("page_count") + spare
    pragma(`max_page_count = ${limit}`)
    const bodies = [...Array.from({ length: 8 }, (_, n) => long(n)), action(hypothesis({ roomId, threadId }))]
    const paths = bodies.map((body) =>
      "clientMessageId" in body ? messages : `${house.baseUrl}/api/agent/research/publish_hypothesis`,
    )
    const answers = await Promise.all(bodies.map((body, n) => ask(paths[n] as string, { token, body })))
    makeSpace()
    const replays = await Promise.all(bodies.map((body, n) => ask(paths[n] as string, { token, body })))
    answers.forEach(({ status, body }, n) => {
      t.ok(
        status === 200 || (status === 503 && String(body.committed) === "false"),
        `with ${spare} pages to spare: ${status}`,
      )
      t.equal(
        replays[n]?.text.includes('"replayed":true'),
        status === 200,
        "a retry finds a receipt exactly if one was given",
      )
    })
    t.strictSame(checkData(db).problems, [])
  }
})
