/** Where a Room has a thousand attempts, a reader thread is ready before anybody asks, and stays when it is idle. */
import { setTimeout as pause } from "node:timers/promises"
import type { Worker } from "node:worker_threads"
import { type Test, test } from "tap"
import { startService } from "../../src/app/service.ts"
import { databaseFile } from "../../src/ledger/storage/opening.ts"
import { openLog } from "../../src/log.ts"
import { largeRoom } from "../research/measurements/large-room.ts"
import { Filler } from "../research/record/filler.ts"
import { ask } from "../support/ask.ts"
import { folderFor } from "../support/service.ts"
import { onReady } from "../support/threads.ts"

const IDLE = 300
/** The threads that run, and the times of those that became ready. */
const running = new Set<Worker>()
let ready = 0
process.on("worker", (worker) => {
  running.add(worker)
  worker.once("exit", () => running.delete(worker))
})
onReady(() => void (ready += 1))

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(10)
}

/** A service whose only Room has some attempts. */
async function service(t: Test, attempts: number) {
  const data = folderFor(t)
  const settings = {
    ...{ host: "127.0.0.1", port: 0, data, threads: 1, times: { idle: IDLE } },
    ...{ repositories: { folders: [], github: null }, log: openLog("silent") },
  }
  const first = await startService(settings)
  await first.instance.accounts.add("ada", "a password of ada's")
  await first.close()
  const filler = new Filler(databaseFile(data))
  const roomId = await filler.fill(() => {
    const owner = filler.person("ada")
    const { roomId, openingThreadId: threadId } = filler.does(owner, "create_room", { title: "Large" }).result
    const repository = { url: "https://github.com/example/mlp", commit: "a".repeat(40) }
    const { report } = largeRoom(filler, owner, { roomId, threadId, repository })
    for (let index = 0; index < attempts; index += 1) report(index)
    return roomId
  })
  filler.close()
  ready = 0
  const { baseUrl, close } = await startService(settings)
  t.teardown(close)
  return `${baseUrl}/api/research/rooms/${roomId}/measurements?metric=error&by=arm,labels&over=seed`
}

test("a thousand attempts keep a thread ready", { timeout: 60_000 }, async (t) => {
  const table = await service(t, 1_000)
  await until(() => ready === 1)
  await pause(3 * IDLE)
  t.equal(running.size, 1, "it starts with the service, and stays")
  t.equal((await ask(table)).status, 200)
  t.equal(ready, 1, "and answers the first question")
})

test("fewer keep none", { timeout: 60_000 }, async (t) => {
  const table = await service(t, 999)
  t.equal(running.size, 0, "none starts with the service")
  t.equal((await ask(table)).status, 200)
  t.equal(ready, 1, "one starts for the first question")
  await until(() => running.size === 0)
  t.pass("and ends when it is idle")
})
