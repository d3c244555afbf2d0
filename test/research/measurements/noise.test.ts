/**
 * What the same code with the same settings differs by from run to run stands beside a table, an effect and a board,
 * and a difference that is smaller says so, in answers and on pages.
 */
import t from "tap"
import { openLab } from "../../support/lab.ts"
import { posting } from "../record/posting.ts"
import { arm, measuring } from "./measured.ts"

t.test("noise", async (t) => {
  const lab = await openLab(t)
  const room = await lab.room("Noise")
  const measured = await measuring(lab, room)
  const { experimentId, shift } = measured
  const attemptId = await measured.attempt([
    ...arm("baseline", [5.1, 5.5, 5.3]),
    ...arm("shift", [5.15, 5.52, 5.38]),
    ...arm("mixup", [3.1, 3.5, 3.3]),
  ])
  const page = async (path: string) => (await fetch(`${lab.house.baseUrl}${path}`)).text()
  // Each arm's variance is 0.04, 0.0343 and 0.04; the noise is the root of their mean.
  const sd = Math.sqrt((0.04 + 0.103_4 / 3 + 0.04) / 3)
  const query = { metric: "error", by: ["arm"], over: "seed", against: "arm:baseline" }
  const table = await lab.reader.read("experiment_measurements", { experimentId, ...query })
  t.match(table.noise, { n: 9, over: "seeds", from: ["A1"] })
  t.ok(Math.abs((table.noise?.sd ?? 0) - sd) < 1e-3, `${table.noise?.sd} is ${sd}`)
  t.strictSame(
    table.groups.map(({ key, contrast }) => [key.arm, contrast?.belowNoise ?? null]),
    [
      ["baseline", null],
      ["mixup", false],
      ["shift", true],
    ],
  )
  const text = await lab.reader.text("experiment_measurements", { experimentId, ...query, format: "markdown" })
  t.match(text, /Noise from run to run: sd 0\.20 over seeds \(n 9\)/)

  const { result } = await measured.publish(room.ada, [attemptId], [shift, { ...shift, of: { arm: "mixup" } }])
  const { effects } = await lab.reader.read("record", { versionId: result.versionId })
  t.strictSame(
    effects.map(({ belowNoise }) => belowNoise),
    [true, false],
  )
  t.match(effects[0]?.sentence, /smaller than the noise/)
  t.match(await page(`/records/${result.versionId}`), /smaller than the noise/)
  const shown = new URLSearchParams({ metric: "error", by: "arm", over: "seed", against: "arm:baseline" })
  t.match(await page(`/rooms/${room.roomId}/table?${shown}`), /Noise from run to run: sd 0\.20 over seeds \(n 9\)/)
  t.match(await page(`/rooms/${room.roomId}/table?${shown}`), /smaller than the noise from run to run/)

  // A table that a conclusion rests on keeps it, wherever that table is told.
  const { conclude } = posting(lab.reader)
  const kept = { metric: "error", by: ["arm"], over: "seed", against: "arm:baseline" }
  const told = /\| shift \| 0\.050 ±\S+≈ \|/
  const noise = /noise from run to run: sd 0\.20 over seeds \(n 9\)/i
  const { checkpointId } = (await conclude(room.ada, room.threadId, { answer: "Mixup.", table: kept })).result
  t.match((await lab.reader.read("checkpoint", { checkpointId })).table?.noise, table.noise)
  t.match((await lab.reader.read("room_table", { roomId: room.roomId })).table?.noise, table.noise)
  for (const path of [`/checkpoints/${checkpointId}.md`, `/api/research/rooms/${room.roomId}/brief?format=markdown`]) {
    t.match(await page(path), told, path)
    t.match(await page(path), noise, path)
    t.match(await page(path), "≈ smaller than the noise", path)
  }
  for (const path of [`/checkpoints/${checkpointId}`, `/rooms/${room.roomId}`]) t.match(await page(path), noise, path)
  shown.set("format", "markdown")
  t.match(await page(`/rooms/${room.roomId}/table?${shown}`), noise)
})
