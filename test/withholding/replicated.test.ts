/**
 * Litestream reads the log of the data as long as it runs, so a service cannot clean the files beside it. It says so,
 * leaves the log to Litestream, and cleans the files as it starts next, while Litestream has released them.
 */
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { Browser, startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { startService } from "../../src/app/service.ts"
import { checkData } from "../../src/check/check.ts"
import { openReadConnection } from "../../src/ledger/storage/opening.ts"
import { isUnclean } from "../../src/ledger/storage/clearing.ts"
import { openLog } from "../../src/log.ts"
import { ask } from "../support/ask.ts"
import { action, message } from "../support/bodies.ts"
import { startStandIn } from "../support/litestream.ts"
import { temporaryFolder } from "../support/service.ts"

const SECRET = "zanzibarquartz"
const data = temporaryFolder()
const file = join(data, "research-room.db")
const { people, rooms, credentials, close } = await startResearchRoom({ data })
await close()
const { roomId, openingThreadId: threadId } = rooms.empty

const litestream = await startStandIn({ paths: [file] })
let log = ""
const serve = () =>
  startService({
    ...{ host: "127.0.0.1", port: 0, data, replicated: litestream.socket, threads: 0 },
    repositories: { folders: [], github: null },
    log: openLog("info", { to: { write: (text: string) => void (log += text) } }),
  })
let service = await serve()
// As Litestream does.
let reader: ReturnType<typeof openReadConnection> | undefined = openReadConnection(file)
const release = () => {
  reader?.close()
  reader = undefined
}
tap.teardown(async () => {
  release()
  await service.close()
  await litestream.close()
  rmSync(data, { recursive: true, force: true })
})

const holding = () =>
  readdirSync(data)
    .filter((name) => name.startsWith("research-room.db"))
    .filter((name) => readFileSync(join(data, name)).includes(SECRET))
/** Whether the data says that its files are clean. */
function isClean(): boolean {
  using db = openReadConnection(file)
  return !isUnclean(db)
}

test("beside Litestream the receipt, the form and the log say what is not cleaned, and when it will be", async (t) => {
  const { baseUrl } = service
  const { token } = credentials.member_all
  const posted = await ask(`${baseUrl}/api/agent/threads/${threadId}/messages`, { token, body: message(SECRET) })
  const { entryId } = (JSON.parse(posted.text) as { entry: { entryId: string } }).entry
  const ada = await Browser.signIn({ baseUrl }, people.owner)
  const of = { of: { entryId }, fields: ["/text"], reason: "secret", explanation: "Revoked." }
  const receipt = await ada.request("POST", `/api/rooms/${roomId}/withholdings`, action(of))
  t.match(await receipt.text(), /still being removed from the data files.*Litestream reads.*restart Litestream\./)
  for (const until = Date.now() + 60_000; !log.includes("may still hold") && Date.now() < until; ) await pause(20)
  t.match(log, /Litestream reads the log of the data as long as it runs, .*: restart Litestream\./)
  t.notOk(isClean())
  t.strictSame(litestream.turns, [], "Litestream is left alone meanwhile")
  const form = await ada.request("GET", `/do/withhold_content?roomId=${roomId}&/of/entryId=${entryId}`)
  t.match(await form.text(), /still being removed from the data files\. Litestream reads .* restart Litestream\./)
})

test("the next start cleans the files while Litestream has released them, and the one after it does not", async (t) => {
  release()
  await service.close()
  service = await serve()
  t.strictSame(litestream.turns, ["stopped", "started"])
  t.ok(isClean())
  t.strictSame(holding(), [])
  using view = openReadConnection(file)
  t.strictSame(checkData(view).problems, [])
  await service.close()
  service = await serve()
  t.equal(litestream.turns.length, 2)
})
