/**
 * A record is shown whole: each text that its author wrote stands on its page and in its document. A new field of a
 * record that neither shows fails here.
 */
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { writeEverything } from "../withholding/everything.ts"

t.test("every text of a hypothesis, a finding and a cited claim is on its page and in its document", async (t) => {
  const house = await startResearchRoom()
  t.teardown(() => house.close())
  const { owner, member } = house.people
  const { roomId, markers } = await writeEverything(house, await house.browser(owner), await house.browser(member))
  const records = (await house.client("main_member_all").read("publications", { roomId })).items
  const written = markers.filter(
    ({ operation, place }) => operation.startsWith("publish_") && !place.startsWith("/client"),
  )
  t.ok(written.length > 30, `${written.length} texts`)
  for (const [what, end] of [
    ["pages", ""],
    ["documents", ".md"],
  ] as const) {
    const addresses = records.map(({ versionId }) => `${house.baseUrl}/records/${versionId}${end}`)
    const shown = await Promise.all(addresses.map(async (address) => (await fetch(address)).text()))
    const missing = written.filter(({ marker }) => !shown.some((text) => text.includes(marker)))
    t.strictSame(
      missing.map(({ operation, place }) => `${operation} ${place}`),
      [],
      what,
    )
  }
})
