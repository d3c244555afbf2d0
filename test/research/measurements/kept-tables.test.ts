/** A checkpoint rests on a table, which is kept as it was and tells which values have moved. */
import t from "tap"
import { type LabRoom, openLab, refusalOf } from "../record/lab.ts"
import { posting } from "../record/posting.ts"
import { arm, measuring, pairs } from "./measured.ts"

const lab = await openLab(t)
const { conclude } = posting(lab.reader)
const table = { metric: "error", by: ["arm"], against: "arm:baseline", over: "seed" }
const answer = "Shift."

const brief = async (room: LabRoom, query: string) =>
  (await fetch(`${lab.house.baseUrl}/api/research/rooms/${room.roomId}/brief?${query}`)).text()

t.test("a table is kept with its groups, and tells the one that moved", async (t) => {
  const room = await lab.room()
  const lines = await measuring(lab, room)
  await lines.attempt(pairs(-1))
  const other = { ...table, metric: "loss" }
  t.match((await refusalOf(conclude(room.ada, room.threadId, { table: other }))).issues, [
    { path: "/table", message: /is not reported here/ },
  ])
  const { result } = await conclude(room.ada, room.threadId, { answer, table })
  const read = async () => {
    const { table: kept } = await lab.reader.read("checkpoint", { checkpointId: result.checkpointId })
    if (kept === null) throw new Error("no table")
    return kept
  }
  const before = await read()
  t.match(before, { ...table, split: null, unit: null, comparisons: 1, isStale: false, moved: [] })
  t.match(before.groups[1], { key: { arm: "shift" }, n: 5, contrast: { pairs: 5, isDistinct: true } })
  t.match(await lab.reader.read("room_table", { roomId: room.roomId }), {
    from: { kind: "checkpoint", id: result.checkpointId },
    table: before,
  })

  const told = await brief(room, "format=markdown")
  t.match(told, "Shift.", "the brief tells the answer")
  t.match(told, "error against arm:baseline over seed: difference ± half of its 95 % interval")
  t.match(told, /\| shift \| −1\.000 ±0\.0\d+\* \|/, "and the table below it")
  t.match(JSON.parse(await brief(room, "budget=4000")), { stands: [{ says: "Shift.", table: /\| shift \|/ }] })
  const page = await (await fetch(`${lab.house.baseUrl}/checkpoints/${result.checkpointId}.md`)).text()
  t.match(page, /## The table it rests on\n\nerror against arm:baseline/, "and so does its document")

  await lines.attempt(arm("shift", [1, 2, 3, 4, 5]))
  const after = await read()
  t.same(after.groups, before.groups, "what was kept stays")
  t.match(after, { isStale: true, moved: [{ key: { arm: "shift" }, now: { n: 5 } }] })
  t.match(await brief(room, "format=markdown"), "1 of its values have moved since")
})

t.test("without a checkpoint, the Room has the table of its newest finding's metric and baseline", async (t) => {
  const room = await lab.room()
  t.match(await lab.reader.read("room_table", { roomId: room.roomId }), { from: null, table: null })
  t.notMatch(JSON.parse(await brief(room, "")), { table: /./ })
  const lines = await measuring(lab, room)
  const attemptId = await lines.attempt([...pairs(-1), ...arm("blur", [1, 2, 3, 4, 5])])
  const { result } = await lines.publish(room.ada, [attemptId])
  const { from, table } = await lab.reader.read("room_table", { roomId: room.roomId })
  t.match(from, { kind: "finding", id: result.versionId, label: "F1" })
  t.same(
    table?.groups.map(({ key }) => key.arm),
    ["baseline", "blur", "shift"],
    "with all that is compared with that baseline",
  )
  t.match(JSON.parse(await brief(room, "")), { table: /\| shift \|/ })
  const { text } = {
    text: await (await fetch(`${lab.house.baseUrl}/api/research/rooms/${room.roomId}/table?format=markdown`)).text(),
  }
  t.match(text, /\| blur \|/)
})

t.test("groups with one value of a setting stand in one column with those that it parts", async (t) => {
  const room = await lab.room()
  const lines = await measuring(lab, room)
  const updates = (count: number) => ({ argv: ["python", "train.py", "--updates", String(count)] })
  await lines.attempt([...pairs(-1), ...arm("blur", [1, 2, 3, 4, 5])], updates(5000))
  const { result } = await conclude(room.ada, room.threadId, { answer, table })
  const kept = async () => (await lab.reader.read("checkpoint", { checkpointId: result.checkpointId })).table
  t.match(await kept(), { isStale: false })
  await lines.attempt(pairs(-2), updates(1000))
  t.match(await kept(), { isStale: false, moved: [] }, "runs with another setting move nothing that was kept")
  const { result: renewed } = await conclude(room.ada, room.threadId, { answer, table })
  const text = await (await fetch(`${lab.house.baseUrl}/checkpoints/${renewed.checkpointId}.md`)).text()
  t.match(text, /^\| arm \| updates 1000 \| updates 5000 \|$/m, "two columns, not a third one without a setting")
  t.match(text, /^\| blur \| {2}\| −2\.\d+ /m)
})
