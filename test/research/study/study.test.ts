/** Three agents, one question: everything that the record says of their Room is so, on every door. */
import t from "tap"
import { openStudy } from "../../support/study.ts"

const study = await openStudy(t)
const { own, reader, roomId, checkpointId } = study

t.test("runs of 1,000 and of 5,000 updates, told by a flag alone, are cells of their own", async (t) => {
  const { from, table } = await reader.read("room_table", { roomId })
  t.match(from, { kind: "checkpoint", id: checkpointId })
  const cells = (arm: string) =>
    table?.groups
      .filter(({ key }) => key.arm === arm && key.labels === 400)
      .map(({ settings, contrast }) => [settings.updates, Number(contrast?.estimate.toFixed(4))])
  t.same(cells("shift"), [
    [1000, -0.0012],
    [5000, -0.0034],
  ])
  t.match(
    table?.groups.every(({ contrast }) => contrast === null || contrast.pairedAcross === null),
    true,
    "no pair is made across code or settings",
  )
})

t.test("the conclusion was not born stale: what its author knew is a note", async (t) => {
  const checkpoint = await reader.read("checkpoint", { checkpointId })
  t.match(checkpoint, { stale: false, staleReasons: [] })
  t.same(
    checkpoint.knownThen.map(({ label, status }) => `${label} ${status}`),
    ["F4 corrected", "F7 disputed"],
    "F5's correction is one of the wording and puts nothing in doubt",
  )
  const brief = await fetch(`${own.baseUrl}/api/research/rooms/${roomId}/brief?format=markdown`)
  t.match(await brief.text(), "known when it was written: F4 was already corrected then (L1).")
})
