/** A Room's links, filtered. */
import t from "tap"
import { correct, dispute, retract } from "./assertions.ts"
import { finding, nobody } from "../../support/bodies.ts"
import { everyItem, openLab, refusedAs } from "../../support/lab.ts"

const lab = await openLab(t)
const { reader, userIds, house } = lab

// shows: Links are filtered by kind, target and author of the target.
t.test("a Room's links by kind, target and author of the target, in every combination", async (t) => {
  const own = await lab.room()
  const byGrace = (await own.grace.write("publish_finding", finding(own))).result
  const byMary = (await own.mary.write("publish_finding", finding(own))).result
  const also = (await own.mary.write("publish_finding", finding(own))).result
  const targets = [
    [byGrace, userIds.grace],
    [byMary, userIds.mary],
    [also, userIds.mary],
  ] as const
  const made: { linkId: string; kind: string; target: string; author: string }[] = []
  for (const [{ versionId }, author] of targets) {
    for (const [kind, write] of [
      ["corrects", correct],
      ["disputes", dispute],
      ["retracts", retract],
    ] as const) {
      made.push({ linkId: (await write(own.ada, versionId)).result.linkId, kind, target: versionId, author })
    }
  }
  const options = <T>(values: readonly T[]) => [undefined, ...values]
  for (const kind of options(["corrects", "disputes", "retracts", "supersedes"] as const)) {
    for (const targetVersionId of options([byGrace.versionId, byMary.versionId, also.versionId])) {
      for (const targetAuthorId of options([userIds.grace, userIds.mary, userIds.ada])) {
        const filters = {
          ...(kind && { kind }),
          ...(targetVersionId && { targetVersionId }),
          ...(targetAuthorId && { targetAuthorId }),
        }
        const found = await everyItem(reader.items("room_links", { roomId: own.roomId, limit: 4, ...filters }))
        const expected = made.filter(
          (link) =>
            (kind ?? link.kind) === link.kind &&
            (targetVersionId ?? link.target) === link.target &&
            (targetAuthorId ?? link.author) === link.author,
        )
        t.strictSame(
          found.map(({ linkId }) => linkId),
          expected.map(({ linkId }) => linkId),
          JSON.stringify(filters),
        )
      }
    }
  }
  const elsewhere = { roomId: house.rooms.empty.roomId, targetVersionId: byGrace.versionId }
  t.strictSame((await reader.read("room_links", elsewhere)).items, [], "of another Room, though the target has links")
  t.equal(
    await refusedAs(reader.read("room_links", { roomId: own.roomId, kind: "praises" as never })),
    "422 invalid_parameter /kind",
  )
  t.equal(
    await refusedAs(reader.read("room_links", { roomId: own.roomId, after: "L1" })),
    "422 invalid_parameter /after",
  )
  t.equal(await refusedAs(reader.read("room_links", { roomId: nobody })), "404 room_unavailable")
  t.equal((await reader.read("room_links", { roomId: house.rooms.empty.roomId })).items.length, 0)
})
