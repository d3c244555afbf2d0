/** A token slips into a message; the Room's owner takes it out of sight, and everybody can see that something was. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { checkData } from "../../src/check/check.ts"
import { openAside } from "../../src/ledger/database.ts"
import { ask } from "../support/ask.ts"
import { action, message } from "../support/bodies.ts"
import { castOf } from "../support/cast.ts"
import { temporaryFolder } from "../support/service.ts"

const data = temporaryFolder()
const house = await startResearchRoom({ data })
tap.teardown(() => house.close())
const cast = await castOf(house)

const SECRET = "hf_kT9sQ2mV7xLpB4nR8wZ1cD6y"
const read = async (path: string) => (await ask(`${house.baseUrl}/api/research${path}`)).body as never as Record<string, never>
const withhold = (who: "ada" | "grace" | "mary" | "nobody", roomId: string, more: object) =>
  cast.at(who, "POST", `/api/rooms/${roomId}/withholdings`, action({ reason: "secret", explanation: "A token, revoked since.", ...more }))

test("a message that holds a token", async (t) => {
  const { roomId, threadId } = await cast.room()
  const body = { threadId, ...message(`The token is ${SECRET}.`) }
  const { entry } = await cast.grace.write("post_message", body as never)
  const entryId = entry?.entryId ?? ""
  const before = await read(`/threads/${threadId}/timeline?after=0`)
  const answer = await withhold("ada", roomId, { of: { entryId }, fields: ["/text"] })
  t.equal(answer.status, 200, JSON.stringify(answer.body))
  t.match(answer.body.result, { fields: ["/text"], reason: "secret", mayStillHold: /Backups made before now/ })

  const after = await read(`/threads/${threadId}/timeline?after=0`)
  t.match((after.items as unknown as object[])[0], {
    entryId,
    message: { text: { withheld: { by: { username: "ada" }, reason: "secret" } } },
  })
  t.notMatch(JSON.stringify(after), SECRET)
  t.match(JSON.stringify(before), SECRET)
  for (const path of [
    `/rooms/${roomId}/activity?include=summary,content,write`,
    `/search?query=${SECRET}`,
    `/threads/${threadId}/messages`,
    `/rooms/${roomId}/brief`,
  ]) {
    const found = JSON.stringify(await read(path))
    t.notMatch(found, new RegExp(`(?<!query=)${SECRET}`), path)
  }
  t.match(await read(`/rooms/${roomId}/activity?kinds=content_withheld`), {
    items: [{ kind: "content_withheld", actor: { username: "ada" } }],
  })
  const again = await cast.grace.write("post_message", body as never)
  t.match(again, { replayed: true, entry: { entryId } }, "a retry of what was sent is still known")
  for (const name of ["research-room.db", "research-room.db-wal", "research-room.db-shm"])
    t.notOk(readFileSync(join(data, name)).includes(SECRET), name)
  const aside = openAside(join(data, "research-room.db"))
  t.strictSame(checkData(aside).problems, [], "and all of it follows from the history as before")
  aside.close()
})
