/** A table that a checkpoint rests on is kept as it was, and tells which values have moved. */
import t from "tap"
import { stored } from "../../../src/contract/json.ts"
import type { StoredTable } from "../../../src/research/measurements/kept-tables.ts"
import { Filler } from "../record/filler.ts"
import { openLab } from "../record/lab.ts"
import { arm, measuring, pairs } from "./measured.ts"

const lab = await openLab(t)
const room = await lab.room()
const lines = await measuring(lab, room)
await lines.attempt(pairs(-1))
const filler = new Filler(lab.file)
t.teardown(() => filler.close())
const tables = filler.instance.tables.keptTables
const { roomId } = room

t.test("a table is kept with its groups, and tells the one that moved", async (t) => {
  const question = { metric: "error", by: ["arm"], against: "arm:baseline" }
  t.same(tables.faults(roomId, question), [])
  t.match(tables.faults(roomId, { ...question, metric: "loss" }), [{ path: "/table", message: /is not reported here/ }])
  const kept = stored<{ question: typeof question }>(tables.kept(roomId, question)) as unknown as StoredTable
  const before = tables.shown(roomId, kept)
  t.match(before, { ...question, isStale: false, moved: [] })
  t.match(before.groups[1], { key: { arm: "shift" }, n: 5, contrast: { pairs: 5, isDistinct: true } })
  await lines.attempt([...arm("shift", [1, 2, 3, 4, 5])])
  const after = tables.shown(roomId, kept)
  t.same(after.groups, before.groups, "what was kept stays")
  t.match(after, { isStale: true, moved: [{ key: { arm: "shift" }, now: { n: 5 } }] })
})
