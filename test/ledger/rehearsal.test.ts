/**
 * `?rehearse=1`: every check runs, the work is done and undone, and the answer is the receipt that the write would get.
 */
import tap, { test } from "tap"
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"
import { type Answer, ask } from "../support/ask.ts"
import { action, type Body, freshId, hypothesis, message, thread } from "../support/bodies.ts"
import { outcomeOf, openLedger } from "../support/lab.ts"

const demo = await startDemo({ host: "127.0.0.1", port: 0, kept: process.env.TOLD_DEMO, log: openLog("silent") })
tap.teardown(() => demo.close())
const { db } = demo.instance
const { roomId, openingThreadId: threadId } = demo.rooms.empty
const token = demo.credentials.member_all.token

const tables = db
  .prepare<{ name: string }>(
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type <> 'virtual' AND name NOT LIKE 'sqlite_%'",
  )
  .all()
  .map(({ name }) => name)
/** Every row of every table, including the tables of the indexes. */
const everything = () => tables.map((table) => [table, db.prepare(`SELECT * FROM "${table}"`).all()])

const send = (path: string, body: Body, rehearse: boolean): Promise<Answer> =>
  ask(`${demo.baseUrl}/api/agent${path}${rehearse ? "?rehearse=1" : ""}`, { token, body })
const messages = `/threads/${threadId}/messages`
const writes: readonly [string, Body][] = [
  [messages, message()],
  ["/threads", thread(roomId, { message: "To begin with." })],
  ["/research/publish_hypothesis", action(hypothesis({ roomId, threadId }))],
  [
    "/research/propose_experiment",
    { schemaVersion: 3, requestId: freshId(), roomId, threadId, question: "Which?", scope: "Here.", hypotheses: [] },
  ],
]

// shows: skill: rehearsal
// shows: skill: rehearsed_ids
test("a rehearsal answers the receipt that would follow, and leaves not a byte behind", async (t) => {
  for (const [path, body] of writes) {
    await demo.instance.indexed()
    const before = everything()
    const rehearsed = await send(path, body, true)
    t.equal(rehearsed.status, 200)
    t.strictSame(rehearsed.body.rehearsed, true)
    t.strictSame(everything(), before, `${path}: every table is unchanged`)

    const real = await send(path, body, false)
    t.notHas(real.body, { replayed: true }, "the id was still fresh")
    t.notHas(real.body, { rehearsed: true })
    for (const same of ["operation", "roomId", "warnings"]) t.strictSame(real.body[same], rehearsed.body[same], same)
    t.strictSame(real.body.entry?.sequence, rehearsed.body.entry?.sequence, "the position it was promised")
    t.strictSame(real.body.activity?.sequence, rehearsed.body.activity?.sequence)
    t.strictSame(real.body.target?.label, rehearsed.body.target?.label, "and the label")
    t.not(real.body.target?.id, rehearsed.body.target?.id, "but the id was not reserved")
  }
})

test("what would be refused is refused in rehearsal too, by the same check", async (t) => {
  const faults: readonly [string, Body, string][] = [
    [messages, message(" "), "invalid_schema"],
    [messages, message("Hm?", { replyToEntryId: freshId() }), "unknown_reference"],
    ["/research/publish_hypothesis", action(hypothesis({ roomId, threadId: freshId() })), "room_unavailable"],
  ]
  for (const [path, body, code] of faults) t.strictSame((await send(path, body, true)).body.refusal, code)
  t.strictSame((await ask(`${demo.baseUrl}/api/agent${messages}?rehearse=1`, { body: message() })).status, 401)
  for (const query of ["rehearse=true", "rehearse=1&rehearse=1", "rehearse=", "dry=1", "rehearse=1&dry=1"]) {
    const refused = await ask(`${demo.baseUrl}/api/agent${messages}?${query}`, { token, body: message() })
    t.strictSame([refused.status, refused.body.refusal], [422, "invalid_parameter"], query)
  }
})

test("the rehearsal of a stored write is its replay", async (t) => {
  const body = message("Done.")
  const first = await send(messages, body, false)
  const rehearsed = await send(messages, body, true)
  t.match(rehearsed.body, { replayed: true, rehearsed: true, targetId: first.body.targetId })
  t.match((await send(messages, { ...body, text: "Else." }, true)).body, { refusal: "request_conflict" })
})

test("in a group, rehearsals do not affect the other writes and use up no numbers", async (t) => {
  const lab = await openLedger(t)
  const said = (text: string, rehearse = false) => ({
    actor: lab.grace,
    name: "post_message" as const,
    params: { threadId: lab.threadId },
    body: message(text),
    rehearse,
  })
  const sent = [said("one"), said("rehearsed", true), said("two"), said("rehearsed again", true), said("three")]
  const receipts = await Promise.all(sent.map((each) => lab.admit(each)))
  t.strictSame(
    receipts.map(({ entry }) => entry?.sequence),
    [1, 2, 2, 3, 3],
    "each answers as of its place in the group",
  )
  t.strictSame(
    receipts.map(({ rehearsed }) => rehearsed ?? false),
    [false, true, false, true, false],
  )
  const texts = lab.db
    .prepare<{ text: string }>(
      `SELECT h.content ->> '$.text' AS text
        FROM timeline_entries e
        JOIN journal h ON h.position = e.history_position
        WHERE e.thread = (SELECT place FROM places WHERE id = ?)
        ORDER BY e.sequence`,
    )
    .all(lab.threadId)
    .map(({ text }) => text)
  t.strictSame(texts, ["one", "two", "three"])
  for (const each of sent)
    t.equal(await outcomeOf(lab.admit({ ...each, rehearse: false })), each.rehearse ? "accepted" : "replayed")
})

test("a rehearsal wakes no waiting reader", async (t) => {
  const watermark = Number((await ask(`${demo.baseUrl}/api/research/rooms/${roomId}`)).body.activityWatermark)
  const waiting = ask(`${demo.baseUrl}/api/research/rooms/${roomId}/activity?after=${watermark}&wait=20`)
  await send(messages, message("Only tried."), true)
  const real = await send(messages, message("Meant."), false)
  const { body } = await waiting
  t.strictSame(body.items?.length, 1)
  t.strictSame(body.items?.[0]?.sequence, real.body.activity?.sequence)
  t.strictSame(body.items?.[0]?.target, real.body.target)
})
