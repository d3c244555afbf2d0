/**
 * A dispute may concern a part of a record. The record is then doubted in that part, and every representation says
 * which.
 */
import t from "tap"
import type { WriteInput } from "research-room/client"
import { hypothesis } from "../../support/bodies.ts"
import { openLab, refusalOf } from "../../support/lab.ts"

const lab = await openLab(t)
const room = await lab.room()
const body = hypothesis(room)
const { wording } = body.assertion
const { result } = await room.ada.write("publish_hypothesis", body)
const dispute = (more: Partial<WriteInput<"assert_dispute">>) =>
  room.grace.write("assert_dispute", {
    targetVersionId: result.versionId,
    explanation: "Only here is it wrong.",
    ...more,
  })
const words = wording.split(" ").slice(0, 2).join(" ")
const shown = async (path: string, accept: string) =>
  (await fetch(`${lab.house.baseUrl}${path}`, { headers: { accept } })).text()

t.test("a part that does not occur in the record is refused, with its path", async (t) => {
  for (const part of ["/nowhere", "/assertion/roles/99", "words that it does not hold", "xscope", "/scope/deeper"]) {
    const refusal = await refusalOf(dispute({ part }))
    t.match([refusal.status, refusal.refusal, refusal.issues?.[0]?.path], [422, "unknown_reference", "/part"], part)
  }
  t.match(await refusalOf(dispute({ part: " " })), { status: 422, refusal: "invalid_schema" })
  t.match((await lab.record(result)).status, "current")
})

t.test(
  "the record says which parts are disputed, in JSON, on pages, in Markdown, in the brief and in the feed",
  async (t) => {
    const { result: first } = await dispute({ part: "/scope" })
    const { result: second } = await dispute({ part: words })
    t.match(await refusalOf(dispute({ part: words })), { refusal: "link_exists" }, "the same part again")
    const record = await lab.record(result)
    t.equal(record.status, "disputed")
    t.strictSame(
      record.notices.map(({ part }) => part),
      ["/scope", words],
    )
    const link = await lab.reader.read("link", { linkId: second.linkId })
    t.match(link, { content: { part: words } })
    t.match((await lab.reader.read("room_brief", { roomId: room.roomId })).disputes, [{ part: words }])
    const at = `/records/${result.versionId}`
    t.match(await shown(at, "text/html"), `“${words}”`)
    t.match(await shown(at, "text/markdown"), `disputes it in “${words}”`)
    t.match(await shown(`/links/${first.linkId}`, "text/html"), /Disputed part:<\/strong> <?[^]{0,80}scope/)
    t.match(await shown(`/api/research/rooms/${room.roomId}/brief?format=markdown`, "text/markdown"), `in “${words}”`)
    const { items } = await lab.reader.read("room_activity", { roomId: room.roomId, include: ["summary"] })
    t.match(items.at(-1)?.summary, `in “${words}”`)
  },
)
