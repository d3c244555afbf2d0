/** The program in a crate proves it whole offline, and finds every change. */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { firstPreviousDigest } from "../../../src/contract/reads/activity.ts"
import { anyShapes } from "../../../src/contract/nouns/withholding.ts"
import { objectList } from "../../../src/contract/objects/objects.ts"
import { operations } from "../../../src/contract/operations/index.ts"
import { kindsIn, refersIn } from "../../../src/contract/schema/parts.ts"
import { onlySaid } from "../../../src/contract/unproved.ts"
import { schemaVersions } from "../../../src/contract/service.ts"
import { acceptedFolders, HISTORY } from "../../../src/research/export/parts.ts"
import { folderFor } from "../../support/service.ts"
import { bytesOf, unpack } from "./unpacked.ts"

const room = await startResearchRoom()
t.teardown(() => room.close())
const { main } = room.rooms
const crate = unpack(await bytesOf(await room.client("member_all").download("room_export", { roomId: main.roomId })))
const folder = folderFor(t)
crate.writeTo(folder)

interface Verdict {
  readonly status: number
  readonly said: string
}
/** Runs the program on the folder. */
const verdict = (): Promise<Verdict> =>
  promisify(execFile)("python3", [join(folder, "verify.py")], { env: { PATH: process.env.PATH } }).then(
    ({ stdout }) => ({ status: 0, said: stdout }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      status: code,
      said: `${stderr}${stdout}`,
    }),
  )

/** Replaces files of the folder while `work` runs. */
async function changed<T>(files: Readonly<Record<string, string | null>>, work: () => Promise<T>): Promise<T> {
  const write = (path: string, text: string | null | undefined) =>
    text == null ? rmSync(join(folder, path), { force: true }) : writeFileSync(join(folder, path), text)
  for (const [path, text] of Object.entries(files)) write(path, text)
  const done = await work()
  for (const path of Object.keys(files)) write(path, crate.files.get(path))
  return done
}
const text = (path: string) => crate.files.get(path) as string
const sha256 = (bytes: string) => createHash("sha256").update(bytes).digest("hex")
const METADATA = "ro-crate-metadata.json"
/** A forger who knows that files have digests recomputes them. */
const forged = (path: string, content: string) => ({
  [path]: content,
  [METADATA]: text(METADATA).replace(sha256(text(path)), sha256(content)),
})

// shows: Added: the Room as an RO-Crate 1.2 with its feed.
t.test("It proves it whole offline", async (t) => {
  const { status, said } = await verdict()
  const entries = crate.lines("activity.jsonl").length
  t.equal(status, 0, said)
  t.ok(said.startsWith(`${entries} entries chained, ${entries} writes, `))
  t.match(
    said,
    /, [0-9]+ contents and [0-9]+ files are what their digests say\. The last digest is sha256:[0-9a-f]{64}\n/,
  )
  t.match(said, /\nStated, not proved: people's names .*\nProved only by an instance that imports the crate: .*\n$/)
})

t.test("What it knows of the records is what the contract says", async (t) => {
  const program = text("verify.py")
  t.equal(program, readFileSync("src/research/export/verify.py", "utf8"), "it is a file of the source as it stands")
  const known = JSON.parse(/^KNOWN = (\{$.*?^\})$/ms.exec(program)?.[1] ?? "")
  // Content is also held outside of the history if the operation makes an exported object, or changes one whose every
  // content is exported.
  const shown = operations.filter(({ target, body }) => {
    const exported = objectList.find(({ kind }) => kind === target)?.exported ?? null
    const isChange = refersIn(body).some(
      ({ refers }) => refers.isSubject && kindsIn(refers).some((kind) => kind === target),
    )
    return exported === "every" || (exported === "made" && !isChange)
  })
  t.strictSame(known, {
    folders: acceptedFolders,
    history: HISTORY,
    schemaVersion: schemaVersions.research,
    first: firstPreviousDigest,
    shown: shown.map(({ name }) => name),
    anything: anyShapes(operations),
    onlySaid: known.onlySaid,
  })
  t.equal(known.onlySaid.join(" "), onlySaid)
})

t.test("Every file that was changed or removed is reported", async (t) => {
  const listed = crate.graph
    .filter((entity) => entity["@type"] === "File" && !entity["@id"].startsWith("#"))
    .map((entity) => entity["@id"])
  t.ok(["activity.jsonl", "history.jsonl", "verify.py", "metrics.csv"].every((path) => listed.includes(path)))
  // Changed by a comment, so that the program still runs.
  const added = (path: string) => (path.endsWith(".py") ? "#" : " ")
  const spoilt = await changed(Object.fromEntries(listed.map((path) => [path, `${text(path)}${added(path)}`])), verdict)
  t.equal(spoilt.status, 1)
  for (const path of listed) t.ok(spoilt.said.includes(`${path} is not what was exported\n`), path)
  const taken = listed.filter((path) => !path.startsWith("verify"))
  const gone = await changed(Object.fromEntries(taken.map((path) => [path, null])), verdict)
  t.equal(gone.status, 1)
  for (const path of taken) t.ok(gone.said.includes(`${path} is missing\n`), path)
  t.notOk(gone.said.includes("verify.py"), "unchanged files are not reported")
})

t.test("Every changed line of the history is reported by its number, whatever the metadata says", async (t) => {
  const lines = text("history.jsonl").trimEnd().split("\n")
  // In turn: the body, the author, the time and the operation are changed.
  const ways: readonly (readonly [RegExp, string])[] = [
    [/"body":\{/, '"body":{"added":1,'],
    [/"username":"[a-z]/, '"username":"x'],
    [/"at":"20/, '"at":"19'],
    [/"operation":"/, '"operation":"un'],
  ]
  for (const first of ways.keys()) {
    const other = lines.map((line, index) =>
      line.replace(...(ways[(first + index) % ways.length] as readonly [RegExp, string])),
    )
    const { status, said } = await changed(forged("history.jsonl", `${other.join("\n")}\n`), verdict)
    t.equal(status, 1)
    const due = lines.map((_, index) => `the history does not hold the write that activity ${index + 1} accepted\n`)
    t.equal(said, `${due.join("")}${lines.length} faults\n`)
  }
})

t.test("Each kind of change is reported as what it is", async (t) => {
  const told = async (files: Readonly<Record<string, string>>, because: RegExp) => {
    const { status, said } = await changed(files, verdict)
    t.equal(status, 1)
    t.match(said, because)
  }
  const without = (path: string, line: number) =>
    text(path)
      .split("\n")
      .filter((_, index) => index !== line)
      .join("\n")
  const spoilt = (path: string, from: string, to: string) => forged(path, text(path).replace(from, to))
  await told(spoilt("activity.jsonl", '"grace"', '"mallory"'), /activity [0-9]+ does not have the digest it names/)
  await told(
    forged("activity.jsonl", without("activity.jsonl", 20)),
    /activity 21 does not follow from the one before it/,
  )
  await told(
    spoilt("records/H1.json", "at least 0.08", "at least 0.80"),
    /the content that activity [0-9]+ accepted is not here/,
  )
  const timeline = [...crate.files.keys()].find((path) => path.startsWith("timelines/001")) as string
  await told(
    spoilt(timeline, "I lose the bet", "I win the bet"),
    /the content that activity [0-9]+ accepted is not here/,
  )
  await told({ "metrics.csv": text("metrics.csv").replace("NaN", "1.0") }, /metrics\.csv is not what was exported/)
  await told(
    forged("history.jsonl", without("history.jsonl", 20)),
    /the history does not hold the write that activity 21 accepted/,
  )
  await told(
    forged("history.jsonl", `${text("history.jsonl")}{"sequence":0}\n`),
    /the history continues after the feed ends/,
  )
  await told(
    forged("history.jsonl", text("history.jsonl").slice(0, -200)),
    /history\.jsonl line [0-9]+ is not a JSON object/,
  )
  await told(forged("history.jsonl", ""), /the history does not hold the write that activity 1 accepted/)
})
