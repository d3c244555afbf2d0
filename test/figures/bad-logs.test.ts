/**
 * Logs over HTTP as bad as programs print them: refused midway, without an end, one line of 100 MB, controls and marks
 * of direction.
 */
import { randomBytes, randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { takeLog } from "../../src/attachments/log.ts"
import { databaseFile } from "../../src/check/backup.ts"
import { limits } from "../../src/contract/limits.ts"
import { openReadConnection } from "../../src/ledger/storage/opening.ts"
import { temporaryFolder } from "../support/service.ts"
import { ask } from "../support/ask.ts"

const data = temporaryFolder()
const demo = await startResearchRoom({ data })
t.teardown(async () => {
  await demo.close()
  rmSync(data, { recursive: true, force: true })
})
const { baseUrl } = demo
const { roomId, openingThreadId: threadId } = demo.rooms.empty
const owner = demo.client("owner_all")
const { token } = demo.credentials.owner_all
const say = () => owner.write("post_message", { threadId, text: `Meanwhile ${randomUUID()}` })
const sendAs = (token: string, raw: string | ReadableStream<Uint8Array>) =>
  ask(`${baseUrl}/api/agent/research/logs`, { raw, headers: { "content-type": "text/plain" }, token })
const send = (raw: string | ReadableStream<Uint8Array>) => sendAs(token, raw)

/** A body of some pieces. @param before called before each piece, which waits for it */
function piecesOf(count: number, pieceOf: (at: number) => string, before: (at: number) => Promise<unknown>) {
  let at = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      await before(at)
      if (at === count) controller.close()
      else controller.enqueue(Buffer.from(pieceOf(at)))
      at += 1
    },
  })
}
const MIB = 1_048_576
/** Somebody writes while the body is sent, and is answered before it has ended. */
const writingAt = (place: number, answered: number[]) => async (at: number) => {
  if (at !== place) return
  await say()
  answered.push(at)
}

/** An attempt whose log is the one with this digest. */
async function reported(digest: string): Promise<string> {
  const { targetId: experimentId } = await owner.write("propose_experiment", {
    ...{ roomId, threadId, question: `What did it print? ${randomUUID()}`, scope: "Here.", hypotheses: [] },
  })
  await owner.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const attemptId = randomUUID()
  const { url, commit } = demo.repositories.public
  await owner.write("register_attempt", {
    ...{ attemptId, experimentId, intent: "exploratory", expectedRevision: 2, expectedStatus: "claimed" },
    ...{ repository: { url, commit }, argv: ["run"], configuration: {}, inputs: [] },
  })
  await owner.write("report_attempt_event", {
    ...{ attemptId, expectedRevision: 1, expectedStatus: "registered", event: "started", log: { digest } },
    reportedAt: new Date().toISOString(),
  } as never)
  return attemptId
}

t.test("a log that goes on after it was refused ends with its connection; others write meanwhile", async (t) => {
  const answered: number[] = []
  const pieceOf = (at: number) => (at === 4 ? "no text\0" : "one more line\n".repeat(MIB / 14))
  const { status, body } = await send(piecesOf(1_000, pieceOf, writingAt(2, answered)))
  t.match([status, body], [422, { refusal: "invalid_schema", error: /NUL[^]*Nothing was stored/ }])
  t.strictSame(answered, [2])
  await say()
})

t.test("a log without an end is refused at its limit", async (t) => {
  let sent = 0
  async function* endless() {
    const piece = Buffer.from("one more line\n".repeat(MIB / 14))
    for (; ; sent += piece.length) yield piece
  }
  await t.rejects(takeLog(endless()), { code: "request_too_large", message: /Send its end alone/ })
  t.ok(sent <= limits.logBodyBytes + MIB, `${sent} bytes`)
})

t.test("an agent that sends logs slowly leaves places to others", async (t) => {
  const end = Promise.withResolvers<void>()
  const slow = () => {
    const begun = Promise.withResolvers<void>()
    const isTaken = async (at: number) => (at === 0 ? undefined : (begun.resolve(), await end.promise))
    return { answer: send(piecesOf(2, (at) => `line ${at}\n`, isTaken)), begun: begun.promise }
  }
  const two = [slow(), slow()]
  await Promise.all(two.map(({ begun }) => begun))
  let third = await send("a third log\n")
  // The two may have been sent before they are taken in.
  for (let more = 100; more > 0 && third.status === 200; more -= 1) third = await send("a third log\n")
  t.match([third.status, third.body], [503, { refusal: "temporarily_unavailable", error: /logs of this caller/ }])
  t.equal((await sendAs(demo.credentials.member_all.token, "another's log\n")).status, 200)
  end.resolve()
  for (const { answer } of two) t.equal((await answer).status, 200)
  t.equal((await send("a third log\n")).status, 200)
})

t.test("a log that is being stored still has its place among the uploads", async (t) => {
  const end = Promise.withResolvers<void>()
  const slow = send(
    piecesOf(
      2,
      (at) => `line ${at}\n`,
      async (at) => (at === 0 ? undefined : await end.promise),
    ),
  )
  const long = send(Array.from({ length: 50_000 }, () => randomBytes(40).toString("hex")).join("\n"))
  const isStoring = () => {
    using view = openReadConnection(databaseFile(data))
    return view.prepare("SELECT 1 FROM log_parts").get() !== undefined
  }
  while (!isStoring()) await pause(5)
  t.match(await send("a third log\n"), { status: 503, body: { error: /logs of this caller/ } })
  t.equal((await long).status, 200)
  t.equal((await send("a third log\n")).status, 200)
  end.resolve()
  t.equal((await slow).status, 200)
})

t.test("one line of 100 MB keeps its beginning and its end, and shows the first characters", async (t) => {
  const answered: number[] = []
  const pieceOf = (at: number) => (at === 0 ? "first\n" : at === 101 ? "\nlast\n" : "ж".repeat(500_000))
  const { status, body } = await send(piecesOf(102, pieceOf, writingAt(50, answered)))
  t.match([status, body], [200, { cut: { bytes: Number } }])
  t.strictSame(answered, [50])
  const attemptId = await reported(String(body.digest))
  const { lines, total } = await owner.read("attempt_log", { attemptId })
  t.equal(total, lines.length)
  t.match(lines[0]?.text, /^first$/)
  t.match(lines[1]?.text, /^ж{2000}…$/)
  t.match(lines[2]?.text, /left out here/)
  t.match(lines.at(-1)?.text, /^last$/)
  t.ok(lines.every(({ text }) => text.length <= limits.logLine + 1))
  const page = await (await fetch(`${baseUrl}/attempts/${attemptId}`)).text()
  t.ok(page.length < 300_000, `${page.length} bytes of its page`)
})

t.test("controls, marks of direction and markup are shown by no answer and no page", async (t) => {
  const bad = "\u001b[31mred\u001b[0m \u001b]0;title\u0007and \u202eback\u2066 \u009b1m <script>alert(1)</script>\n"
  const { body } = await send(bad)
  const attemptId = await reported(String(body.digest))
  const answers = ["?format=json", "?format=text"].map(
    (query) => `${baseUrl}/api/research/attempts/${attemptId}/log${query}`,
  )
  for (const address of [...answers, `${baseUrl}/attempts/${attemptId}`]) {
    const text = await (await fetch(address)).text()
    t.match(text, /red and back {1,2}1m/, address)
    t.notMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u, address)
  }
  t.notMatch(await (await fetch(`${baseUrl}/attempts/${attemptId}`)).text(), "<script>alert(1)")
})
