/** How many statements one posted message runs, from the door to the commit. */
import { join } from "node:path"
import tap, { test } from "tap"
import { createInstance } from "../../src/app/compose/instance.ts"
import { createApp } from "../../src/app/serving/surface.ts"
import { openDatabase } from "../../src/ledger/storage/opening.ts"
import { realWorld } from "../../src/ledger/world.ts"
import { openLog } from "../../src/log.ts"
import { freshId, message } from "../support/bodies.ts"
import { openRoom } from "../support/house.ts"
import { RecordingDb } from "../support/recording-db.ts"

const house = await openRoom()
const { token } = await house.credential(house.ada)
const file = openDatabase(join(house.folder, "research-room.db"))
const db = new RecordingDb(file)
const instance = createInstance({
  db,
  world: realWorld(house.clock.read),
  instanceId: freshId(),
  indexesLater: true,
})
const app = createApp({ instance, baseUrl: "http://here", softwareVersion: "0", log: openLog("silent") })
tap.teardown(() => {
  file.close()
  house.close()
})

const post = async () => {
  const response = await app.request(`http://here/api/agent/threads/${house.threadId}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", host: "here" },
    body: JSON.stringify(message("Another message.")),
  })
  return response.status
}

test("a posted message runs nine statements from BEGIN to COMMIT, and none at the door", async (t) => {
  // The first of a credential notes its use and looks its writer up.
  for (let count = 0; count < 3; count += 1) t.equal(await post(), 200)
  const steps = await db.during(async () => t.equal(await post(), 200))
  const ran = steps.map(({ statement }) => db.sql[statement]?.replaceAll(/\s+/g, " ").slice(0, 60))
  t.ok(ran.length <= 9, `${ran.length} statements`)
  t.strictSame([ran[0], ran[1], ran.at(-1)], ["BEGIN IMMEDIATE", "PRAGMA data_version", "COMMIT"])
  t.comment(ran.join("\n"))
})
