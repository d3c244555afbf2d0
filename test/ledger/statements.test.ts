import tap, { test } from "tap"
import { message } from "../support/bodies.ts"
import { appOf, openLedger } from "../support/lab.ts"
import { RecordingDb } from "../support/recording-db.ts"

const lab = await openLedger(tap)
const { token } = await lab.agent("ada")
const db = new RecordingDb(lab.connection())
const app = appOf(lab.beside(db, true))

const post = async () => {
  const response = await app.request(`http://here/api/agent/threads/${lab.threadId}/messages`, {
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
