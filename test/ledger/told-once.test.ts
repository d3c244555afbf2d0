/**
 * What is added to a receipt is stored once, in the journal, and only the part that may change. A refused sender causes
 * no lookup.
 */
import t from "tap"
import type { Actor } from "../../src/ledger/journal/actor.ts"
import { action, freshId, hypothesis } from "../support/bodies.ts"
import { outcomeOf, openLedger } from "../support/lab.ts"

const lab = await openLedger(t)
const { db, roomId, threadId, ada } = lab

t.test(
  "what was added for a write is neither in its stored receipt nor whole in the journal, and a retry gets the same",
  async (t) => {
    const publish = (requestId: string, actor: Actor = ada) =>
      ({ name: "publish_hypothesis", actor, body: { ...action(hypothesis({ roomId, threadId })), requestId } }) as const
    for (let time = 0; time < 6; time += 1) await lab.admit(publish(freshId(), lab.grace))
    const requestId = freshId()
    const told = await lab.admit(publish(requestId))
    t.equal(told.similar?.length, 3)
    const stored = db.prepare<{ body: string; given: string }>(
      `SELECT concat_ws(' ', target_id, label, result, card) AS body, given
        FROM journal
        WHERE content ->> '$.requestId' = ?`,
    )
    const { body, given } = stored.one(requestId)
    for (const told of ["similar", "acceptedAt", "warnings", requestId]) t.notMatch(body, told)
    t.ok(given.length < 600, `${given.length} characters are kept of ${JSON.stringify(told.similar).length}`)
    const { replayed, ...again } = await lab.admit(publish(requestId))
    t.ok(replayed)
    t.strictSame(again, told)
  },
)

t.test("for a sender without permission to publish, nothing is looked up before the refusal", async (t) => {
  const stranger = await lab.agent("ada", { permissions: ["post_thread"] })
  const asked: string[] = []
  const behaviour = lab.instance.tables.similar
  const { tried } = behaviour
  behaviour.tried = (...given) => {
    asked.push(given[2])
    return tried(...given)
  }
  t.teardown(() => void (behaviour.tried = tried))
  const body = { ...action(hypothesis({ roomId, threadId })), requestId: freshId() }
  t.equal(await outcomeOf(lab.admit({ name: "publish_hypothesis", actor: stranger, body })), "permission_missing")
  t.strictSame(asked, [])
  t.equal(await outcomeOf(lab.admit({ name: "publish_hypothesis", actor: ada, body })), "accepted")
  t.equal(await outcomeOf(lab.admit({ name: "publish_hypothesis", actor: ada, body })), "replayed")
  t.equal(asked.length, 1, "and a retry does not repeat the lookup")
})
