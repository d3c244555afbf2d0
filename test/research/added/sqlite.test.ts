/**
 * A Room as one SQLite file, opened with Node's own engine: its views hold what is served, and every column is
 * described.
 */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { promisify } from "node:util"
import t from "tap"
import { openReadConnection } from "../../../src/ledger/storage/opening.ts"
import { filesOn } from "../../../src/app/compose/domains.ts"
import { views } from "../../../src/research/export/sqlite-file.ts"
import { freshId, hypothesis } from "../../support/bodies.ts"
import { folderFor } from "../../support/service.ts"
import { openLab, refusalOf } from "../../support/lab.ts"
import { arm, measuring, pairs } from "../measurements/measured.ts"

const lab = await openLab(t)
const room = await lab.room()
const { roomId } = room
const place = folderFor(t)
const measured = await measuring(lab, room)

/** Downloads the Room and opens it. */
async function opened(name: string) {
  const response = await fetch(`${lab.house.baseUrl}/api/research/rooms/${roomId}/room.sqlite`)
  const bytes = Buffer.from(await response.arrayBuffer())
  writeFileSync(join(place, name), bytes)
  const file = new DatabaseSync(join(place, name), { readOnly: true })
  return {
    response,
    bytes,
    all: (sql: string) =>
      file
        .prepare(sql)
        .all()
        .map((row) => ({ ...row })),
  }
}

const first = await measured.attempt([
  ...pairs(-1),
  ...arm("broken", [0]).map((point) => ({ ...point, value: "NaN" as const })),
])
const { result } = await measured.publish(room.ada, [first])

t.test("every value, effect and record is in it as it is served", async (t) => {
  const { all, response } = await opened("room.sqlite")
  const { activityWatermark } = await lab.reader.read("room", { roomId })
  const lastDigest =
    (await lab.reader.read("room_activity", { roomId, after: activityWatermark - 1 })).items.at(-1)?.digest ?? ""
  t.equal(response.headers.get("content-type"), "application/vnd.sqlite3")
  t.match(
    response.headers.get("content-disposition"),
    `-${activityWatermark}-${lastDigest.slice(7, 19)}.sqlite"`,
    "it is named after the last entry's digest",
  )
  t.strictSame(all("SELECT value FROM about WHERE name = 'digest'"), [{ value: lastDigest }])
  t.strictSame(all("SELECT count(*) AS entries, max(sequence) AS last FROM entries"), [
    { entries: activityWatermark, last: activityWatermark },
  ])
  for (const { body, content_digest } of all("SELECT body, content_digest FROM entries"))
    t.equal(
      `sha256:${createHash("sha256").update(String(body)).digest("hex")}`,
      content_digest,
      "its digest covers what was accepted",
    )

  const [effect] = (await lab.record(result)).effects
  t.strictSame(all("SELECT version_id, estimate, low, high, pairs, sentence FROM effects"), [
    {
      version_id: result.versionId,
      ...{
        estimate: effect?.estimate,
        low: effect?.low,
        high: effect?.high,
        pairs: effect?.pairs,
        sentence: effect?.sentence,
      },
    },
  ])
  t.strictSame(
    all(
      `SELECT avg(iif(dimensions ->> 'arm' = 'shift', value, NULL)) - avg(iif(dimensions ->> 'arm' = 'baseline', value,
        NULL)) AS difference FROM measurements`,
    ).map(({ difference }) => Number(difference).toFixed(9)),
    [Number(effect?.estimate).toFixed(9)],
    "recomputing in SQL gives the same difference",
  )
  t.strictSame(all("SELECT value, not_finite FROM measurements WHERE dimensions ->> 'arm' = 'broken'"), [
    { value: null, not_finite: "NaN" },
  ])

  const table = (await lab.reader.read("attempts", { roomId })).items.map(({ label, status }) => ({ label, status }))
  t.strictSame(all("SELECT label, status FROM attempts ORDER BY attempt_id"), table)
  const served = await lab.reader.read("record", { versionId: result.versionId })
  t.strictSame(all("SELECT label, status, outcome, author FROM findings"), [
    { label: served.label, status: "current", outcome: served.outcome, author: served.author.username },
  ])
})

t.test("each column of each view is described, and no others", async (t) => {
  const { all } = await opened("described.sqlite")
  for (const [name, view] of Object.entries(views)) {
    const columns = all(`SELECT name FROM pragma_table_info('${name}')`).map(({ name }) => name)
    const described = all(`SELECT column_name FROM columns WHERE view_name = '${name}' AND column_name <> ''`)
    t.strictSame(
      described.map(({ column_name }) => column_name),
      columns,
      name,
    )
    t.strictSame(columns, Object.keys(view.columns))
    t.equal(all(`SELECT about FROM columns WHERE view_name = '${name}' AND column_name = ''`).length, 1)
  }
  t.strictSame(all("PRAGMA integrity_check"), [{ integrity_check: "ok" }])
})

t.test("the view of evidence shows what is agreed, disputed and reproduced", async (t) => {
  const found = (await room.ada.write("publish_hypothesis", hypothesis(room))).result
  await measured.reproduce(room.grace, { attemptId: first }, pairs(-1.1), {
    verdict: "reproduces",
    explanation: "The same difference.",
  })
  const { all } = await opened("evidence.sqlite")
  t.ok(all("SELECT version_id FROM hypotheses").some(({ version_id }) => version_id === found.versionId))
  const served = (await lab.reader.read("record_evidence", { versionId: result.versionId })).items
  t.ok(served.length > 0)
  t.strictSame(
    all(
      `SELECT source, verdict, by_label, author, independent, comparison
        FROM evidence
        WHERE version_id = '${result.versionId}'`,
    ),
    served.map(({ source, verdict, by, author, independent, comparison = null }) => ({
      ...{ source, verdict, by_label: by.label, author: author.username, independent: independent ? 1 : 0, comparison },
    })),
  )
})

t.test("the same state of a Room gives the same bytes, over HTTP and from the command line", async (t) => {
  const [one, other] = [await opened("one.sqlite"), await opened("other.sqlite")]
  t.equal(Buffer.compare(one.bytes, other.bytes), 0)
  const program = join(import.meta.dirname, "../../../src/main.ts")
  const file = join(place, "from-the-command.sqlite")
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [program, "export", ...args], { cwd: place, env: {} })
  const data = dirname(lab.file)
  const { stdout } = await run(roomId, "--sqlite", "--data", data, "--output", file, "--base-url", lab.house.baseUrl)
  t.match(stdout, /holds the Room as an SQLite file, [0-9]+ bytes\. Its view "columns" describes the other views\.\n$/)
  t.equal(Buffer.compare(readFileSync(file), one.bytes), 0)
  await room.ada.write("post_message", { threadId: room.threadId, text: "One more." })
  t.not(Buffer.compare((await opened("later.sqlite")).bytes, one.bytes), 0, "another state gives other bytes")
})

t.test("withheld text is in no byte of it", async (t) => {
  const secret = "rrc_thisWasAToken"
  await room.ada.write("post_message", { threadId: room.threadId, text: `My key is ${secret}.` })
  const { activityWatermark: sequence } = await lab.reader.read("room", { roomId })
  t.ok((await opened("before.sqlite")).bytes.includes(secret))
  const what = { roomId, of: { sequence }, fields: ["/text"], reason: "secret" as const, explanation: "Revoked." }
  await lab.ada.write("withhold_content", what)
  const { bytes, all } = await opened("after.sqlite")
  t.notOk(bytes.includes(secret))
  t.equal(all("SELECT body ->> '$.text.withheld.reason' AS reason FROM entries WHERE reason IS NOT NULL").length, 1)
  await lab.ada.write("withhold_content", { ...what, of: { sequence: 1 }, fields: ["/title"] })
  const untitled = await opened("untitled.sqlite")
  t.strictSame(
    untitled.all("SELECT value FROM about WHERE name = 'title'"),
    [{ value: "[withheld]" }],
    "nor of the Room's title",
  )
})

t.test("an export that cannot be made is refused, and nothing is left behind", async (t) => {
  t.match(await refusalOf(lab.reader.download("room_sqlite", { roomId: freshId() })), { refusal: "room_unavailable" })
  const before = process.env.TMPDIR
  const restored = () => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
  t.teardown(restored)
  const source = { baseUrl: lab.house.baseUrl, softwareVersion: "1.0.0", instanceId: freshId() }
  const made = () => Array.fromAsync(filesOn(() => openReadConnection(lab.file))(roomId, source, "sqlite"))
  process.env.TMPDIR = join(place, "nowhere")
  await t.rejects(made(), {
    code: "temporarily_unavailable",
    message: /the folder for temporary files is missing or full/,
  })
  process.env.TMPDIR = place
  t.ok(Buffer.concat(await made()).length > 0)
  t.strictSame(
    readdirSync(place).filter((name) => name.startsWith("research-room-export")),
    [],
  )
  t.notOk(existsSync(join(place, "nowhere")))
})
