/** Past reads over HTTP: what existed, counted and was concluded at an entry of a Room. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { pathTo } from "../../../src/contract/reads/index.ts"
import { hypothesis } from "../../support/bodies.ts"
import { held } from "../../support/contract.ts"
import { startOwn, temporaryFolder } from "../../support/service.ts"

const data = join(temporaryFolder(), "data")
const room = await startResearchRoom({ data })
t.teardown(() => room.close())
const { roomId, openingThreadId: threadId } = room.rooms.empty
const grace = room.client("member_all", { fetch: held })
const ada = room.client("owner_all", { fetch: held })
const reader = grace

interface Refused {
  readonly refusal: string
  readonly error: string
  readonly current: { readonly watermark?: number } | null
}
async function refused(path: string): Promise<Refused & { readonly status: number }> {
  const response = await fetch(`${room.baseUrl}${path}`)
  return { status: response.status, ...((await response.json()) as Refused) }
}

const claim = await grace.write("publish_hypothesis", hypothesis({ roomId, threadId }))
const versionId = claim.targetId
const concluded = await ada.write("post_research_checkpoint", {
  threadId,
  expectedWatermark: claim.entry?.sequence ?? 0,
  coversThrough: claim.entry?.sequence ?? 0,
  state: "concluded",
  synthesis: "One claim stands.",
  conclusion: "Warm-up helps.",
  openQuestions: [],
  citations: [versionId],
})
const then = concluded.activity?.sequence ?? 0
const dispute = await ada.write("assert_dispute", {
  targetVersionId: versionId,
  explanation: "The seeds were not the same.",
})
const now = dispute.activity?.sequence ?? 0

// shows: Added: with at, reads answer as of an earlier entry of the Room's activity.
// shows: skill: at
t.test("A claim that is disputed now was not disputed when the Thread was concluded", async (t) => {
  const today = await reader.read("record", { versionId })
  t.equal(today.status, "disputed")
  t.notOk("asOf" in today, "a present answer has no asOf")
  const before = await reader.read("record", { versionId, at: then })
  t.equal(before.status, "current")
  t.strictSame(before.notices, [])
  t.strictSame(before.asOf, { sequence: then, acceptedAt: concluded.acceptedAt })

  const context = await reader.read("room_context", { roomId, at: then })
  t.equal(context.activityWatermark, then)
  t.equal(context.conclusion?.stale, false)
  t.equal((await reader.read("room_context", { roomId })).conclusion?.stale, true)
  const { selected, stale } = await reader.read("checkpoint", { checkpointId: concluded.targetId, at: then })
  t.strictSame({ selected, stale }, { selected: true, stale: false })
  t.equal((await reader.read("record_evidence", { versionId, at: then })).items.length, 0)
  t.equal((await reader.read("record_evidence", { versionId })).items.length, 1)
  t.equal((await reader.read("room_links", { roomId, at: then })).items.length, 0)
})

t.test("As of the newest entry, the answer is the present one", async (t) => {
  for (const path of [
    pathTo("room_context", { roomId }),
    pathTo("room", { roomId }),
    pathTo("record", { versionId }),
    pathTo("record_evidence", { versionId }),
    pathTo("hypotheses", {}, { roomId }),
  ]) {
    const ask = async (more: string) => {
      const response = await held(`${room.baseUrl}${path}${more}`, {})
      const { generatedAt: _made, links: _links, ...answer } = (await response.json()) as Record<string, unknown>
      return answer
    }
    const { asOf, ...answer } = await ask(`${path.includes("?") ? "&" : "?"}at=${now}`)
    t.match(asOf, { sequence: now, acceptedAt: dispute.acceptedAt })
    t.strictSame(answer, await ask(""), path)
  }
})

t.test("A brief keeps its budget, and every format says which moment it shows", async (t) => {
  for (const budget of [2_000, 8_000]) {
    const path = pathTo("room_brief", { roomId: room.rooms.main.roomId }, { budget: String(budget), at: "60" })
    for (const format of ["json", "markdown"]) {
      const text = await (await fetch(`${room.baseUrl}${path}&format=${format}`)).text()
      t.ok(Buffer.byteLength(text) <= budget, `${Buffer.byteLength(text)} bytes of ${budget} as ${format}`)
      t.match(text, format === "json" ? '"asOf":{"sequence":60,' : /^As of entry 60, 2\d{3}-/)
    }
  }
})

t.test("Objects that had not been written are absent, and the next page stays at the same moment", async (t) => {
  const first = await refused(pathTo("record", { versionId }, { at: "1" }))
  t.match(first, { status: 404, refusal: "unknown_record" })
  const { items, hasMore, links } = await reader.read("attempts", { roomId: room.rooms.main.roomId, limit: 2, at: 120 })
  t.strictSame([items.length, hasMore], [2, true])
  t.match(links.next, /at=120/)
})

t.test("An invalid moment is refused, with a message", async (t) => {
  const ahead = await refused(pathTo("room_brief", { roomId }, { at: String(now + 1) }))
  t.match(ahead, { status: 422, refusal: "invalid_parameter", current: { watermark: now } })
  for (const at of ["0", "-1", "1.5", "", "newest", "1e3", "01"])
    t.match(
      await refused(`${pathTo("room_brief", { roomId })}?at=${at}`),
      { status: 422, refusal: "invalid_parameter" },
      at,
    )
  t.match(await refused(`${pathTo("experiments")}?at=1`), { status: 422, error: /roomId/ })
  t.match(await refused(`${pathTo("search", {}, { query: "loss" })}&at=1`), { status: 422 }, "search has no past")
  const nobody = "0198f3a0-dead-4ead-8ead-00000000dead"
  t.match(await refused(pathTo("record", { versionId: nobody }, { at: "1" })), {
    status: 404,
    refusal: "unknown_record",
  })
  t.match(await refused(pathTo("room", { roomId: nobody }, { at: "1" })), { status: 404, refusal: "room_unavailable" })
})

t.test("Past databases are beside the data while it is served, and deleted when the service ends", async (t) => {
  t.ok(readdirSync(join(data, "past")).length > 0)
  await room.close()
  t.notOk(existsSync(join(data, "past")))
})

t.test("What a killed service left of them is deleted at the next start", async (t) => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, "past"))
  writeFileSync(join(folder, "past", "7.db"), "half of a moment")
  const own = await startOwn({ folder })
  t.teardown(() => own.close())
  t.notOk(existsSync(join(folder, "past")))
})
