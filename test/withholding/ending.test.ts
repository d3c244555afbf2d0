/** A service that ends amid its cleaning leaves no process and no file behind, and the next start completes it. */
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { Browser } from "research-room/testing"
import { startDemo } from "../../src/demo/demo.ts"
import { openReadConnection } from "../../src/ledger/storage/opening.ts"
import { isUnclean } from "../../src/ledger/storage/clearing.ts"
import { openLog } from "../../src/log.ts"
import { startService } from "../../src/app/service.ts"
import { ask } from "../support/ask.ts"
import { action, message } from "../support/bodies.ts"
import { untilClean } from "../support/clean.ts"
import { temporaryFolder } from "../support/service.ts"

const data = temporaryFolder()
const file = join(data, "research-room.db")
t.teardown(() => rmSync(data, { recursive: true }))
const settings = {
  repositories: { folders: [], github: null },
  host: "127.0.0.1",
  port: 0,
  data,
  threads: 0,
  log: openLog("silent"),
}
const replays = () => readdirSync(data).filter((name) => name.includes(".remade-"))

t.test("the search for withheld words ends with the service", async (t) => {
  const house = await startDemo({ ...settings, kept: process.env.TOLD_DEMO } as never)
  const { roomId, openingThreadId } = house.rooms.empty
  const { token } = house.credentials.member_all
  const said = await ask(`${house.baseUrl}/api/agent/threads/${openingThreadId}/messages`, {
    token,
    body: message("The key is umbrellagranite."),
  })
  const ada = await Browser.signIn({ baseUrl: house.baseUrl }, house.people.owner)
  const { entryId } = (JSON.parse(said.text) as { entry: { entryId: string } }).entry
  const withheld = await ada.request(
    "POST",
    `/api/rooms/${roomId}/withholdings`,
    action({ of: { entryId }, fields: ["/text"], reason: "secret", explanation: "Revoked since." }),
  )
  t.equal(withheld.status, 200)
  while (replays().length === 0) await pause(5)
  await house.close()
  t.same(replays(), [])
  using db = openReadConnection(file)
  t.equal(isUnclean(db), true)
})

t.test("the next start completes it", async (t) => {
  const service = await startService(settings as never)
  await untilClean(file)
  await service.close()
  t.same(replays(), [])
})
