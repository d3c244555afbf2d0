import tap, { test } from "tap"
import { freshId, message } from "../support/bodies.ts"
import { appOf, openLedger } from "../support/lab.ts"

const lab = await openLedger(tap)
const { ada, roomId, threadId } = lab
const { token, credentialId } = await lab.agent("ada")
const instance = lab.beside()
const app = appOf(instance)

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
  lab.admit({ actor: ada, name: "post_message", params: { threadId }, body: message("Elsewhere.") })

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
  await lab.admit({ actor: ada, name: "revoke_credential", params: { roomId, credentialId }, body })
  for (const sent of [{}, message("Late.")]) {
    const [status, refusal] = await send(sent)
    t.equal(status, 401)
    t.match(refusal, "not_authenticated")
  }
})
