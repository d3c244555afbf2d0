/** Every accepted text is found: each text field of each operation's body, by a word that occurs nowhere else. */
import { startResearchRoom } from "research-room/testing"
import { test } from "tap"
import { ResearchRoomClient } from "research-room/client"
import { held } from "../../support/contract.ts"
import { writeEverything } from "../../withholding/everything.ts"

// shows: skill: search
test("a word of any text field of any operation finds the object it was written in", async (t) => {
  const house = await startResearchRoom()
  t.teardown(() => house.close())
  const { owner, member } = house.people
  const [ada, grace] = [await house.browser(owner), await house.browser(member)]
  const { roomId, markers } = await writeEverything(house, ada, grace)
  const reader = new ResearchRoomClient({ baseUrl: house.baseUrl, fetch: held, retries: 0 })
  // The text of the last message was withheld. An agent's description of itself is not content.
  const withheld = markers.findLast(({ operation, place }) => operation === "post_message" && place === "/text")
  const said = markers.filter((each) => each !== withheld && !each.place.startsWith("/client"))
  t.ok(said.length > 150, `${said.length} fields`)
  const missed: string[] = []
  for (const { operation, place, marker } of said) {
    const { items } = await reader.read("search", { query: marker, roomId })
    if (!items.some(({ snippet, title }) => snippet.includes(marker) || String(title).includes(marker)))
      missed.push(`${operation} ${place}`)
  }
  t.strictSame([...new Set(missed)].sort(), [])
})
