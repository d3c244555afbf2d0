/** What changed in a Room is told newest first, also where more changed than is looked through. */
import t from "tap"
import { limits } from "../../../src/contract/limits.ts"
import { finding } from "../../support/bodies.ts"
import { openLab } from "../../support/lab.ts"

const lab = await openLab(t)
const room = await lab.room()
const publish = async (wording: string) => (await room.ada.write("publish_finding", finding(room, {}, wording))).result
const correct = (versionId: string, said: string) =>
  room.ada.write("assert_correction", {
    ...{ targetVersionId: versionId, explanation: `Counted again: ${said}`, correction: `It lowers it by ${said}.` },
  })

t.test("the newest change is told first, though an older record was corrected hundreds of times", async (t) => {
  const [old, young] = [await publish("It lowers it by 0."), await publish("It holds everywhere.")]
  const MANY = limits.changedSight + 10
  for (let n = 1; n <= MANY; n += 1) await correct(old.versionId, String(n))
  const told = async () => {
    const { changed, moreChanged } = await lab.reader.read("room", { roomId: room.roomId })
    return { first: changed.slice(0, 2).map(({ label, now }) => [label, now]), count: changed.length + moreChanged }
  }
  t.same(await told(), {
    first: [
      ["F1", `It lowers it by ${MANY}.`],
      ["F1", `It lowers it by ${MANY - 1}.`],
    ],
    count: limits.changedSight,
  })
  await correct(young.versionId, "7")
  t.same((await told()).first[0], ["F2", "It lowers it by 7."], "a change of a younger record comes before them")
  for (let n = 0; n < limits.changedSight; n += 1) await publish(`Something else, ${n}.`)
  t.same((await told()).first[0], ["F2", "It lowers it by 7."])
  await correct(old.versionId, "a third")
  t.same(
    (await told()).first[0],
    ["F1", "It lowers it by a third."],
    "so does one of a record older than the newest 200",
  )
})
