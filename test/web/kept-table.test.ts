/** A table kept with a conclusion: written by Python and by the form, read on every door, copied in every form. */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import t from "tap"
import { overHttp } from "../mcp/agent.ts"
import { hasPython } from "../research/measurements/doors/doors.ts"
import { arm, measuring } from "../research/measurements/measured.ts"
import { finding } from "../support/bodies.ts"
import { openLab } from "../support/lab.ts"
import { launch } from "./browser.ts"
import { built } from "./built.ts"
import { signInAs } from "./pages.ts"
import { Typist } from "./typist.ts"
import { watched } from "./watched.ts"

t.setTimeout(180_000)
built()
const lab = await openLab(t)
const { baseUrl } = lab.house
const room = await lab.room("Does the shift lower the error?")
const { roomId, threadId } = room
const lines = await measuring(lab, room)
const at = (labels: number) => ({ unit: "fraction", split: "test", dimensions: { labels } })
const attemptId = await lines.attempt(
  [50, 400].flatMap((labels) => [
    ...arm("baseline", [0.21, 0.2, 0.22, 0.19], at(labels)),
    ...arm("shift", [0.18, 0.172, 0.191, 0.158], at(labels)),
    ...arm("dropout", [0.211, 0.199, 0.222, 0.189], at(labels)),
  ]),
)
const browser = await launch()
t.teardown(() => browser.close())
const text = async (path: string) => (await fetch(baseUrl + path)).text()
const tableOf = async (checkpointId: string) => (await lab.reader.read("checkpoint", { checkpointId })).table
const answer = "Shifting lowers the error by three points; dropout does not."

const PROGRAM = `import json, os
from research_room import Room

asked = json.loads(os.environ["ASKED"])
room = Room(asked["baseUrl"], asked["token"])
finding = room.publish_finding(
    room_id=asked["roomId"], thread_id=asked["threadId"], kind=asked["kind"], **asked["finding"]
)
read = room.get_thread_context(thread_id=asked["threadId"])["thread"]["timelineWatermark"]
made = room.post_research_checkpoint(
    thread_id=asked["threadId"],
    expected_watermark=read,
    covers_through=read,
    state="concluded",
    synthesis="Four seeds, two sizes.",
    conclusion="Shift the digits.",
    answer=asked["answer"],
    table={"metric": "error", "split": "test", "by": ["arm", "labels"], "over": "seed", "against": "arm:baseline"},
    open_questions=[],
    citations=[finding["result"]["versionId"]],
)
kept = room.get_checkpoint(checkpoint_id=made["result"]["checkpointId"])["table"]
effects = room.get_record(version_id=finding["result"]["versionId"])["effects"]
print(json.dumps({"checkpointId": made["result"]["checkpointId"], "table": kept, "effects": effects}))
`

let byPython = ""
t.test("the Python client writes a finding with effects and a conclusion with its table, and reads them", async (t) => {
  if (!(await hasPython())) return t.comment("there is no Python on this machine")
  const folder = mkdtempSync(join(tmpdir(), "research-room-kept-"))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, "research_room.py"), await text("/research_room.py"))
  const { token } = await lab.credential("ada", roomId, { label: "py" })
  const effects = [50, 400].map((labels) => ({ ...lines.shift, split: "test", where: { labels } }))
  const { kind, roomId: _room, threadId: _thread, ...said } = finding(room)
  const body = { ...said, effects, provenance: { execution: lines.work.execution([attemptId]), papers: [] } }
  const asked = { baseUrl, token, threadId, answer, roomId, kind, finding: body }
  const env = { ...process.env, ASKED: JSON.stringify(asked), RESEARCH_ROOM_SPOOL: join(folder, "spool") }
  const words = ["-W", "error::DeprecationWarning", "-c", PROGRAM]
  const { stdout } = await promisify(execFile)(process.env.REACH_PYTHON ?? "python3", words, { cwd: folder, env })
  const told = JSON.parse(stdout) as { checkpointId: string; table: object; effects: object[] }
  byPython = told.checkpointId
  t.same(told.table, await tableOf(byPython), "as every other reader is told")
  t.equal(told.effects.length, 2)
  t.match(told.effects, [{ where: { labels: 50 }, pairs: 4, isStale: false }, { where: { labels: 400 } }])
})

t.test("the form writes the same table, and offers no place for a pasted one", async (t) => {
  const { page, context, troubles } = await watched(browser, baseUrl, {}, [422])
  await signInAs(page, baseUrl, lab.house.people.owner)
  await page.goto(`${baseUrl}/do/post_research_checkpoint?threadId=${threadId}`)
  const typist = new Typist(page)
  await typist.write("Where do things stand?", "Four seeds, two sizes.")
  await typist.write("Is the question settled?", "yes")
  await typist.write("The conclusion, in a sentence or two", "Shift the digits.")
  await typist.write("The answer in two sentences", answer)
  await typist.unfold("The table it rests on")
  t.equal(await page.getByRole("button", { name: "Read the table" }).count(), 0)
  t.equal(await page.locator("input[type=file][accept*=csv]").count(), 0)
  await typist.write("Metric", "error")
  await typist.write("Rows and columns", "arm\nlabels")
  await typist.write("Split", "test")
  await typist.write("Repeated over", "seed")
  await typist.write("Compared with", "arm:none")
  await typist.send("Post the checkpoint")
  await page
    .getByText(/against names no group; arm is one of baseline, dropout, shift/)
    .first()
    .waitFor()
  await page.getByLabel("Compared with").fill("arm:baseline")
  await Promise.all([
    page.waitForURL(/checkpoints|threads/),
    page.getByRole("button", { name: "Post the checkpoint" }).click(),
  ])
  const { checkpoint } = await lab.reader.read("thread_research_context", { threadId })
  const { table: byForm } = await lab.reader.read("checkpoint", { checkpointId: checkpoint?.checkpointId ?? "" })
  t.match(byForm, { metric: "error", split: "test", by: ["arm", "labels"], over: "seed", against: "arm:baseline" })
  t.equal(byForm?.groups.length, 6)
  if (byPython !== "") t.same(byForm, await tableOf(byPython), "the same as through Python")
  t.same(troubles(), [])
  await context.close()
})

t.test("each door tells the table, and the page gives it as Markdown, CSV, SVG and PNG", async (t) => {
  const { checkpoint } = await lab.reader.read("thread_research_context", { threadId })
  const checkpointId = checkpoint?.checkpointId ?? ""
  const kept = await tableOf(checkpointId)
  t.same((await lab.reader.read("room_table", { roomId })).table, kept)
  const line = /\| shift \| .*−2\.98 ±0\.2\d*\*? .*\|/
  t.match(await text(`/checkpoints/${checkpointId}.md`), line, "its document")
  t.match(await text(`/api/research/rooms/${roomId}/table?format=markdown`), line, "the table alone")
  t.match(await text(`/api/research/rooms/${roomId}/brief?format=markdown`), line, "the brief")
  const agent = await overHttp(baseUrl, (await lab.credential("ada", roomId, { permissions: ["post_thread"] })).token)
  const told = await agent.call("read", { name: "checkpoint", parameters: { checkpointId } })
  t.match(told.text, /error/, told.text.slice(0, 200))
  await agent.close()

  const { page, context, troubles } = await watched(browser, baseUrl, {
    permissions: ["clipboard-read", "clipboard-write"],
  })
  await page.goto(`${baseUrl}/checkpoints/${checkpointId}`)
  await page.getByRole("link", { name: "Markdown", exact: true }).click()
  await page.locator(".copies .copied").waitFor()
  const markdown = String(await page.evaluate("navigator.clipboard.readText()"))
  t.match(markdown, /\| arm \| labels 50 \| labels 400 \|/)
  t.match(markdown, /\| shift \| \*\*−2\.97/)
  const path = (await page.getByRole("link", { name: "CSV", exact: true }).getAttribute("href")) ?? ""
  t.equal((await text(path)).split("\r\n").length, 1 + 6 + 1, "a line for each cell")
  t.match(await text(path.replace("csv", "svg")), /<svg xmlns[\s\S]*−2\.97/)
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "PNG", exact: true }).click(),
  ])
  t.equal(
    readFileSync(await saved.path())
      .subarray(1, 4)
      .toString(),
    "PNG",
  )
  t.same(troubles(), [])
  await context.close()
})
