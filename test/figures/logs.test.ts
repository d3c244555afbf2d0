/**
 * Logs of attempts: uploaded as they are printed, named by events, read by lines, cited by findings, exported, imported
 * and withheld.
 */
import { createHash, randomUUID } from "node:crypto"
import { Readable } from "node:stream"
import { deflateRawSync } from "node:zlib"
import { RefusedError } from "research-room/client"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { keepLog, logPage, shownLine, takeLog } from "../../src/attachments/log.ts"
import { limits } from "../../src/contract/limits.ts"
import { attachments, type Piece, type StoredLog } from "../../src/ledger/journal/attachments.ts"
import { openDatabase } from "../../src/ledger/storage/opening.ts"
import { realWorld } from "../../src/ledger/world.ts"
import { createInstance } from "../../src/app/compose/instance.ts"
import { maskingTokens } from "../../src/people/tokens.ts"
import { finding } from "../support/bodies.ts"
import { unpack } from "../research/added/unpacked.ts"
import { ask } from "../support/ask.ts"

const PATH = "/api/agent/research/logs"
const demo = await startResearchRoom()
t.teardown(() => demo.close())
const { baseUrl } = demo
const { roomId, openingThreadId: threadId } = demo.rooms.empty
const owner = demo.client("owner_all")
const { token } = demo.credentials.owner_all
const send = (raw: string | Uint8Array, type = "text/plain; charset=utf-8") =>
  ask(`${baseUrl}${PATH}`, { raw: new Uint8Array(Buffer.from(raw)), headers: { "content-type": type }, token })
const digestOf = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`

/** Says how a write was refused, with its first issue. */
async function refusalOf(write: Promise<unknown>): Promise<string> {
  try {
    await write
    return "accepted"
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    const [issue] = error.issues
    return `${error.refusal} ${issue?.path} ${issue?.message}`
  }
}

/** An attempt that has started, and reports events. */
async function started() {
  const { targetId: experimentId } = await owner.write("propose_experiment", {
    ...{ roomId, threadId, question: `Does it say so? ${randomUUID()}`, scope: "Here.", hypotheses: [] },
  })
  await owner.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const attemptId = randomUUID()
  const { url, commit } = demo.repositories.public
  let { result } = await owner.write("register_attempt", {
    ...{ attemptId, experimentId, intent: "exploratory", expectedRevision: 2, expectedStatus: "claimed" },
    ...{ repository: { url, commit }, argv: ["run"], configuration: {}, inputs: [] },
  })
  const report = async (event: "started" | "progress" | "succeeded" | "failed", more: object = {}) => {
    const receipt = await owner.write("report_attempt_event", {
      ...{ attemptId, expectedRevision: result.revision, expectedStatus: result.status, event },
      ...{ reportedAt: new Date().toISOString(), ...more },
    } as never)
    result = receipt.result as typeof result
    return receipt
  }
  await report("started")
  return { attemptId, experimentId, report }
}

const text = `${Array.from({ length: 100 }, (_, n) => `step ${n + 1} loss ${(1 / (n + 1)).toFixed(4)}`).join("\n")}\n`

t.test("a log is uploaded, named by an event, and read by lines", async (t) => {
  const { status, body } = await send(text)
  t.equal(status, 200)
  t.strictSame(body, { schemaVersion: 3, digest: digestOf(text), bytes: text.length, lines: 100, cut: null })
  const { attemptId, report } = await started()
  t.match(await ask(`${baseUrl}/api/research/attempts/${attemptId}/log`), {
    status: 404,
    body: { refusal: "unknown_log" },
  })
  await report("progress", { log: { digest: digestOf(text) } })
  const longer = `${text}done\n`
  await send(longer)
  await report("succeeded", { log: { digest: digestOf(longer) }, session: { digest: digestOf(text), format: "plain" } })

  const read = (query: object) => owner.read("attempt_log", { attemptId, ...query } as never) as Promise<unknown>
  t.match(await read({ tail: 2 }), {
    digest: digestOf(longer),
    total: 101,
    lines: [{ line: 100 }, { line: 101, text: "done" }],
    hasMore: false,
    earlier: [{ digest: digestOf(text), lines: 100 }],
  })
  t.match(await read({ from: 3, lines: 2 }), { lines: [{ line: 3 }, { line: 4 }], hasMore: true, nextFrom: 5 })
  t.match(await read({ grep: "LOSS 0.5" }), { lines: [{ line: 2, text: "step 2 loss 0.5000" }], hasMore: false })
  t.match(await read({ digest: digestOf(text) }), { total: 100, earlier: [] })
  const plain = await fetch(`${baseUrl}/api/research/attempts/${attemptId}/log?format=text&tail=1`)
  t.match(plain.headers.get("content-type"), "text/plain")
  t.equal(await plain.text(), "done\n")
  t.match(await owner.read("attempt", { attemptId }), {
    log: { digest: digestOf(longer), lines: 101 },
    session: { digest: digestOf(text), format: "plain" },
  })
  t.match(await (await fetch(`${baseUrl}/attempts/${attemptId}`)).text(), /The last 40 lines of 101[^]*101 {2}done/)
})

t.test(
  "tokens in a log are masked before it is stored, the sender's own too, wherever its bytes are cut",
  async (t) => {
    const other = demo.credentials.member_all.token
    const near = "rrc_tooshort and prerrc_"
    const before = "x".repeat(300_000)
    const whole = (one: string, two: string) =>
      `${before}TOKEN=${one}\n{"key":"${two}"} ${near}\nloss 0.5 \u2014 end ${one}`
    const due = whole("[masked]", "[masked]")
    const { status, body } = await send(whole(token, other))
    t.equal(status, 200)
    t.strictSame(body, {
      ...{ schemaVersion: 3, digest: digestOf(due), bytes: Buffer.byteLength(due), lines: 3, cut: null, masked: 3 },
    })
    const { attemptId, report } = await started()
    await report("succeeded", { log: { digest: digestOf(due) } })
    const read = await ask(`${baseUrl}/api/research/attempts/${attemptId}/log?from=2`)
    t.match(read.body, { lines: [{ text: `{"key":"[masked]"} ${near}` }, { text: "loss 0.5 \u2014 end [masked]" }] })

    const bytes = Buffer.from(`a\u00e9${token}\n${other}${other} \u{1f600}`)
    for (let size = 1; size <= 90; size += 1) {
      let masked = 0
      const found: Uint8Array[] = []
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      )
      for await (const chunk of maskingTokens(Readable.from(chunks), () => (masked += 1))) found.push(chunk)
      t.strictSame(
        [masked, Buffer.concat(found).toString()],
        [3, "a\u00e9[masked]\n[masked][masked] \u{1f600}"],
        `${size}`,
      )
    }
  },
)

t.test("a long log is masked as it arrives, and holds nobody up", async (t) => {
  const line = Buffer.from(`${`${token} `.repeat(1_500)}\n`)
  const chunk = Buffer.concat([line, Buffer.alloc(4_000, "a line of no interest\n")])
  const used = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  let [masked, longest, before] = [0, 0, used()]
  for await (const _ of maskingTokens(Readable.from(Array.from({ length: 100 }, () => chunk)), () => (masked += 1))) {
    longest = Math.max(longest, used() - before)
    await new Promise(setImmediate)
    before = used()
  }
  t.equal(masked, 150_000)
  t.ok(longest < 100, `one chunk takes ${longest.toFixed(1)} ms`)
})

t.test("evidence cites lines of a log, which must be there", async (t) => {
  await send(text)
  const { attemptId, experimentId, report } = await started()
  await report("succeeded", { log: { digest: digestOf(text) } })
  const cite = (lines: number[], digest = digestOf(text)) =>
    owner.write("publish_finding", {
      ...finding({ roomId, threadId }),
      evidence: [{ kind: "attempt_log", attemptId, digest, lines, explanation: "The loss it printed." }],
      provenance: { execution: { experimentId, attemptIds: [attemptId], baselineAttemptIds: [] }, papers: [] },
    } as never)
  t.match(await refusalOf(cite([99, 101])), /^unknown_reference \/evidence\/0\/lines .*in order, of the 100/)
  t.match(await refusalOf(cite([1, 2], digestOf("other"))), /no log that this attempt reported/)
  const { result } = await cite([2, 3])
  const page = await (await fetch(`${baseUrl}/records/${(result as { versionId: string }).versionId}`)).text()
  const [, address = ""] = /href="([^"]*)">\s*lines 2 to 3<\/a> of the log of/.exec(page) ?? []
  const cited = await fetch(`${baseUrl}${address.replaceAll("&amp;", "&")}`)
  t.equal(await cited.text(), "step 2 loss 0.5000\nstep 3 loss 0.3333\n", "the link leads to these lines alone")
  const unsent = report("progress", { late: true, log: { digest: digestOf("never sent") } })
  t.match(await refusalOf(unsent), /^unknown_reference \/log\/digest/)
})

t.test("what is no text in UTF-8 is refused, and who may not upload", async (t) => {
  t.match(await send("a\0b"), { status: 422, body: { error: /NUL/ } })
  t.match(await send(Buffer.from("loss", "utf16le")), { status: 422, body: { error: /NUL/ } })
  t.match(await send(Buffer.from([0x61, 0xff, 0xfe])), { status: 422, body: { error: /UTF-8/ } })
  t.match(await send(text, "application/json"), { status: 422, body: { error: /text\/plain/ } })
  t.match(await send(text, "text/plain; charset=utf-16"), { status: 422 })
  const weak = demo.credentials as unknown as Record<string, { token: string }>
  const reader = Object.entries(weak).find(([name]) => /post/.test(name))?.[1].token
  if (reader !== undefined) {
    const asked = { raw: new Uint8Array(Buffer.from(text)), headers: { "content-type": "text/plain" }, token: reader }
    t.match(await ask(`${baseUrl}${PATH}`, asked), { status: 403, body: { refusal: "permission_missing" } })
  }
})

t.test("a log is exported, and is gone once its digest is withheld", async (t) => {
  const own = `${text}only here ${randomUUID()}\n`
  await send(own)
  const { attemptId, report } = await started()
  const { activity } = await report("succeeded", { log: { digest: digestOf(own) } })
  const crate = async () =>
    unpack(Buffer.from(await (await fetch(`${baseUrl}/api/research/rooms/${roomId}/export`)).arrayBuffer()))
  const name = `logs/${digestOf(own).slice(7)}.txt`
  t.equal(Buffer.from((await crate()).files.get(name) ?? "").toString(), own)
  const fields = ["/log/digest"]
  const browser = await demo.browser("owner")
  await browser.write("withhold_content", {
    ...{
      roomId,
      of: { sequence: activity?.sequence ?? 0 },
      fields,
      reason: "personal_data",
      explanation: "It shows a name.",
    },
  } as never)
  t.match(await ask(`${baseUrl}/api/research/attempts/${attemptId}/log`), { status: 404 })
  t.notOk((await crate()).files.has(name))
  t.match(await owner.read("attempt", { attemptId }), { log: null })
})

t.test("a long log is stored in parts, whole or not at all", async (t) => {
  const db = openDatabase(":memory:")
  t.teardown(() => db.close())
  const parts = db.prepare<{ digest: string; part: number }>("SELECT digest, part FROM log_parts ORDER BY part_id")
  const rows = Array.from({ length: 20_000 }, (_, n) => createHash("sha256").update(`${n}`).digest("hex"))
  const taken = await takeLog(Readable.from([Buffer.from(`${rows.join("\n")}\n`)]))
  const { digest, log } = taken
  t.ok(taken.parts.length > 3)
  t.ok(taken.parts.every(({ length }) => length < limits.logPartBytes + limits.logPieceBytes))
  const at = (time: string) => `2026-01-01T${time}.000Z`

  const uploads = attachments(db)
  for (const part of [0, 1]) uploads.keepPart(taken, part)
  t.equal(uploads.logIndex(digest), undefined, "it is not there before its end")
  let asked = 0
  const instance = createInstance({ db, world: realWorld(), instanceId: "" })
  const refusing = keepLog(instance, { userId: "ada" }, taken, () => {
    asked += 1
    if (asked >= 3) throw new Error("no longer signed in")
  })
  await t.rejects(refusing, { message: "no longer signed in" })
  t.strictSame(parts.all(), [], "an upload that is refused on its way leaves nothing")
  for (const part of [0, 1]) uploads.keepPart(taken, part)
  const elsewhere = attachments(db)
  const other = await takeLog(Readable.from([Buffer.from(`other\n${rows.join("\n")}\n`)]))
  elsewhere.keepPart(other, 0)
  t.strictSame(parts.all(), [{ digest: other.digest, part: 0 }], "the next process forgets an upload that never ended")
  uploads.keepPart(taken, 3)
  uploads.keepLog(taken, "ada", at("10:00:00"))
  const page = () => logPage(log, (piece) => elsewhere.logPiece(digest, piece), { from: 10_000, lines: 2 }).lines
  t.match(page(), [{ text: rows[9_999] }, { text: rows[10_000] }], "what was lacking is stored with its end")
  const stored = parts.all().length
  elsewhere.keepLog(taken, "ada", at("11:00:00"))
  t.equal(parts.all().length, stored, "sent again it is stored once")

  const old = deflateRawSync(`${rows.join("\n")}\n`)
  const pieces = [{ line: 0, at: 0, size: old.length, continues: false }]
  const index = { bytes: log.bytes, lines: log.lines, cut: null, pieces }
  db.prepare("UPDATE attachments SET bytes = +?, log = +?").run(old, JSON.stringify(index))
  db.prepare("DELETE FROM log_parts").run()
  t.match(
    logPage(index, (piece) => elsewhere.logPiece(digest, piece), { from: 10_000, lines: 1 }).lines,
    [{ text: rows[9_999] }],
    "one that an earlier version deflated and stored in one piece is read as before",
  )
  elsewhere.keepPart(other, 0)
  elsewhere.keepLog(other, "ada", "2026-02-01T10:00:00.000Z")
  t.strictSame(
    [elsewhere.logIndex(digest), [...new Set(parts.all().map((each) => each.digest))]],
    [undefined, [other.digest]],
    "one that nothing names goes after a day",
  )
  elsewhere.keepLog(taken, "ada", "2026-04-01T10:00:00.000Z")
  t.strictSame([...new Set(parts.all().map((each) => each.digest))], [digest], "and its parts go with it")
})

/** A text that comes in pieces of any size. */
async function* inChunks(text: Buffer, size = 65_536) {
  for (let at = 0; at < text.length; at += size) yield text.subarray(at, at + size)
}
const reading =
  ({ parts, bytes }: StoredLog) =>
  ({ part, at, size }: Piece) =>
    (part === undefined ? bytes : (parts[part] ?? Buffer.alloc(0))).subarray(at, at + size)
const pageOf = async (whole: string, query: object) => {
  const taken = await takeLog(inChunks(Buffer.from(whole)))
  return { log: taken.log, ...logPage(taken.log, reading(taken), query) }
}

t.test("long logs keep their beginning and their end, and say what is left out", async (t) => {
  const line = (n: number) => `${String(n).padStart(9, "0")} ${"x".repeat(53)}`
  const count = 400_000
  const whole = Buffer.from(`${Array.from({ length: count }, (_, n) => line(n + 1)).join("\n")}\n`)
  const taken = await takeLog(inChunks(whole))
  const { log } = taken
  const read = reading(taken)
  t.ok(log.bytes <= 17_100_000 && log.bytes > 16_000_000, `${log.bytes}`)
  const { afterLine = 0, lines = 0 } = log.cut ?? {}
  t.equal(log.lines, count - lines + 1, "a line says so")
  t.match(logPage(log, read, { from: afterLine, lines: 3 }).lines, [
    { text: line(afterLine) },
    { text: new RegExp(`^… ${lines} lines .* were left out here …$`) },
    { text: line(afterLine + lines + 1) },
  ])
  const began = performance.now()
  t.equal(logPage(log, read, { tail: 1 }).lines[0]?.text, line(count))
  t.equal(logPage(log, read, { from: 200_000, lines: 100 }).lines.length, 100)
  t.ok(performance.now() - began < 200, "two pages")
  t.equal(logPage(log, read, { grep: line(7) }).lines.length, 1)
})

t.test("a line is found as a search finds it: whatever its accents, letter case and width", async (t) => {
  for (const grep of ["cafe ferme", "CAFÉ", "fermé", "Ｃafé"])
    t.match((await pageOf("step 1\nCafé fermé\nstep 3\n", { grep })).lines, [{ line: 2, text: "Café fermé" }], grep)
  t.same((await pageOf("и\n", { grep: "й" })).lines, [], "й is not и")
})

t.test("one line without an end is bounded, and every character is whole", async (t) => {
  const { log, lines } = await pageOf(`first\n${"ж".repeat(5_000_000)}\nlast\n`, {})
  t.equal(log.lines, 3)
  t.strictSame(
    lines.map(({ line, text: shown }) => [line, shown.length]),
    [
      [1, 5],
      [2, 2_001],
      [3, 4],
    ],
  )
})

t.test("any text is read as it is split by lines, whatever the pieces", async (t) => {
  for (const sizes of [[1], [262_143, 262_145, 3], [300_000, 1], [10, 600_000, 20]]) {
    const whole = sizes.map((size, n) => String(n).repeat(size)).join("\n")
    const { lines, log } = await pageOf(whole, {})
    t.strictSame(
      lines.map(({ text: shown }) => shown.slice(0, 5)),
      sizes.map((size, n) => String(n).repeat(Math.min(5, size))),
    )
    t.equal(log.lines, sizes.length)
  }
  t.strictSame((await pageOf("", {})).lines, [])
})

t.test("escape sequences, controls and marks of direction are not shown", async (t) => {
  t.equal(shownLine("\u001b[31mred\u001b[0m \u001b]0;title\u0007and \u202eback\u0008\u009b"), "red and back")
  t.equal(shownLine(" 10 %\r 50 %\r100 %"), "100 %")
  const began = performance.now()
  shownLine("\u001b]".repeat(100_000))
  shownLine("\u001b[0".repeat(100_000))
  t.ok(performance.now() - began < 1_000)
})
