/** What a process remembers between two writes: it never outlives what another process, or a failed group, did. */
import { join } from "node:path"
import tap, { test } from "tap"
import { createInstance } from "../../src/app/compose/instance.ts"
import { createApp } from "../../src/app/serving/surface.ts"
import { openDatabase } from "../../src/ledger/storage/opening.ts"
import { realWorld } from "../../src/ledger/world.ts"
import { openLog } from "../../src/log.ts"
import { freshId, message } from "../support/bodies.ts"
import { openRoom } from "../support/house.ts"

const house = await openRoom()
const { ada, roomId, threadId } = house
const { token, credentialId } = await house.credential(ada)
const db = openDatabase(join(house.folder, "research-room.db"))
const instance = createInstance({ db, world: realWorld(house.clock.read), instanceId: freshId() })
const app = createApp({ instance, baseUrl: "http://here", softwareVersion: "0", log: openLog("silent") })
tap.teardown(() => {
  db.close()
  house.close()
})

const send = async (body: object) => {
  const response = await app.request(`http://here/api/agent/threads/${threadId}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", host: "here" },
    body: JSON.stringify(body),
  })
  return [response.status, await response.text()] as const
}
const sendHere = () => send(message("Here."))
const sendElsewhere = () =>
  house.admit({ actor: ada, name: "post_message", params: { threadId }, body: message("Elsewhere.") })

test("writes of two processes in turn continue one history", async (t) => {
  for (let round = 0; round < 3; round += 1) {
    t.equal((await sendHere())[0], 200)
    t.equal((await sendHere())[0], 200)
    await sendElsewhere()
  }
  t.equal(instance.ledger.journal.broken(), null, "each row follows from the one before it")
})

test("a write after a group that was rolled back takes the place that is free", async (t) => {
  const before = instance.ledger.journal.count()
  t.equal((await sendHere())[0], 200)
  const [, failed] = await Promise.allSettled([
    sendHere(),
    instance.ledger.transact(() => {
      throw new Error("this work fails")
    }),
    sendHere(),
  ])
  t.equal(failed.status, "rejected")
  t.equal((await sendHere())[0], 200)
  t.equal(instance.ledger.journal.count(), before + 4)
  t.equal(instance.ledger.journal.broken(), null)
})

test("a credential that another process revoked is refused before anything is said about the body", async (t) => {
  t.equal((await send({}))[0], 422)
  const body = { schemaVersion: 3, requestId: freshId() }
  await house.admit({ actor: ada, name: "revoke_credential", params: { roomId, credentialId }, body })
  for (const sent of [{}, message("Late.")]) {
    const [status, refusal] = await send(sent)
    t.equal(status, 401)
    t.match(refusal, "not_authenticated")
  }
})
