/**
 * A finding shows the weaknesses of its attempts: departures from the plan, exploratory runs, late reports, and
 * attempts it does not name.
 */
import t from "tap"
import { finding } from "../../support/bodies.ts"
import { openLab } from "../../support/lab.ts"
import { Work } from "./work.ts"

const lab = await openLab(t)
const room = await lab.room()
const work = await Work.begin(lab, room)
const planId = await work.plan({
  protocol: { summary: "Run it.", steps: [], arms: [], entrypoint: { argv: ["run", "--seed", "1"] } },
})
const departing = await work.attempt("succeeded", undefined, planId)
const exploratory = await work.attempt()
await work.attempt("failed")
await work.attempt("succeeded")
const publish = async (attemptIds: readonly string[]) =>
  (
    await room.ada.write(
      "publish_finding",
      finding(room, { provenance: { papers: [], execution: work.execution([...attemptIds], [], planId) } }),
    )
  ).result.versionId
const blemishesOf = async (versionId: string) => (await lab.reader.read("record", { versionId })).blemishes
const told = async (versionId: string) =>
  (await lab.reader.read("room_brief", { roomId: room.roomId, budget: 64_000 })).findings.find(
    (found) => found.versionId === versionId,
  )

t.test("blemishes are counted from the attempts that a finding names, as those stand now", async (t) => {
  const versionId = await publish([departing, exploratory])
  t.strictSame(await blemishesOf(versionId), { attempts: 2, departing: 1, exploratory: 1, late: 0, unnamed: 2 })
  await work.tell(exploratory, "progress", { late: true, metrics: [{ name: "loss", value: 0.5 }] })
  t.strictSame(await blemishesOf(versionId), { attempts: 2, departing: 1, exploratory: 1, late: 1, unnamed: 2 })
  const sentence =
    "1 of 2 attempts departs from its plan, 1 of 2 attempts was exploratory, 1 of 2 attempts reported late, " +
    "2 attempts of its experiment are not named"
  t.match(await told(versionId), { blemishes: sentence, by: "ada", agent: /^ada's agent/ })
  for (const path of [`/records/${versionId}`, `/records/${versionId}.md`, `/rooms/${room.roomId}.md`])
    t.match(await (await fetch(`${lab.house.baseUrl}${path}`)).text(), sentence, path)
})

t.test("a finding without attempts has no blemishes, and neither does one with clean attempts", async (t) => {
  const wordless = (await room.ada.write("publish_finding", finding(room, {}, "It is so."))).result.versionId
  t.equal(await blemishesOf(wordless), null)
  t.match(await told(wordless), { blemishes: null })
  const clean = await Work.begin(lab, room)
  const plan = await clean.plan()
  const execution = clean.execution([await clean.attempt("succeeded", undefined, plan)], [], plan)
  const { versionId } = (
    await room.ada.write("publish_finding", finding(room, { provenance: { papers: [], execution } }, "It holds."))
  ).result
  t.strictSame(await blemishesOf(versionId), { attempts: 1, departing: 0, exploratory: 0, late: 0, unnamed: 0 })
  t.match(await told(versionId), { blemishes: null })
})
