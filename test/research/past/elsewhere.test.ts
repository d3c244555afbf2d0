/** Past reads of a mirrored Room and of an adopted one: as of an entry, they say what they said at the origin. */
import { ResearchRoomClient } from "research-room/client"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { pathTo } from "../../../src/contract/reads/index.ts"
import { elsewhere } from "../../support/elsewhere.ts"
import { passwordOf, startOwn } from "../../support/service.ts"
import { bytesOf } from "../added/unpacked.ts"

const there = await startResearchRoom()
t.teardown(() => there.close())
const { roomId } = there.rooms.main
const zip = Buffer.from(await bytesOf(await there.client("member_all").download("room_export", { roomId })))
const AT = 140

/** Reads an answer, without what depends on where it is read. */
async function told(baseUrl: string, path: string) {
  const response = await fetch(`${baseUrl}${path}${path.includes("?") ? "&" : "?"}at=${AT}`)
  const { generatedAt: _made, links: _links, ...answer } = (await response.json()) as Record<string, unknown>
  const text = JSON.stringify(answer).replaceAll(`@${new URL(there.baseUrl).host}`, "")
  return JSON.parse(text, (name, value: unknown) =>
    name === "origin" || name === "role" ? undefined : value,
  ) as Record<string, unknown>
}
const context = await new ResearchRoomClient({ baseUrl: there.baseUrl }).read("room_context", { roomId, at: AT })
const paths = [
  pathTo("room_links", { roomId }),
  pathTo("hypotheses", {}, { roomId }),
  ...context.hypotheses.map(({ versionId }) => pathTo("record_evidence", { versionId })),
  ...context.experiments.map(({ experimentId }) => pathTo("experiment_history", { experimentId })),
  ...context.conclusions.map(({ checkpointId }) => pathTo("checkpoint", { checkpointId })),
]

for (const owner of [undefined, "ada"])
  t.test(owner === undefined ? "As a mirror" : "Adopted since", async (t) => {
    const folder = t.testdir()
    const closed = elsewhere(t, folder)
    await closed.accounts.add("ada", passwordOf("ada"))
    await closed.import(zip, owner)
    closed.db.close()
    const here = await startOwn({ folder, keeps: true })
    t.teardown(() => here.close())
    const reader = new ResearchRoomClient({ baseUrl: here.baseUrl })
    const now = await reader.read("room", { roomId })
    const then = await reader.read("room", { roomId, at: AT })
    t.match(then, {
      asOf: { sequence: AT },
      activityWatermark: AT,
      origin: { baseUrl: there.baseUrl, throughSequence: AT },
    })
    t.equal(now.origin === null, owner !== undefined, "after adoption, it is this instance's own")
    for (const path of paths) t.strictSame(await told(here.baseUrl, path), await told(there.baseUrl, path), path)
    const newest = await reader.read("room", { roomId, at: now.activityWatermark })
    const { asOf: _asOf, ...same } = newest
    t.strictSame(same, now, "as of the newest entry it equals the present answer")
  })
