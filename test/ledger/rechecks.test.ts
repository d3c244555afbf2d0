/**
 * Things change between admitting a request and writing it. Permission is checked again inside the transaction
 * (interface, "Agent writes"), and that check decides.
 */
import tap, { test } from "tap"
import type { Actor } from "../../src/ledger/journal/actor.ts"
import { action, freshId, hypothesis, message } from "../support/bodies.ts"
import { outcomeOf, type Ledger, openLedger, type Sent } from "../support/lab.ts"

const lab = await openLedger(tap)
const { ada, grace, roomId, threadId } = lab

const post = (actor: Actor): Sent => ({ actor, name: "post_message", params: { threadId }, body: message() })
const publish = (actor: Actor): Sent => ({
  actor,
  name: "publish_hypothesis",
  body: action(hypothesis({ roomId, threadId })),
})
const act = (actor: Actor, name: Sent["name"], params: Record<string, string>, body: object = {}): Sent => ({
  actor,
  name,
  params,
  body: { schemaVersion: 3, requestId: freshId(), ...body },
})

/** The number of rows of the Room's objects, receipts and entries. */
const rows = ({ db }: Ledger) =>
  ["journal", "timeline_entries", "records"].map(
    (table) => db.prepare<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`).get()?.rows,
  )

// shows: Membership, expiry, revocation and the archive are looked at again inside the transaction.
test("a credential revoked after admission writes nothing", async (t) => {
  const agent = await lab.agent("grace")
  t.equal(await outcomeOf(lab.admit(post(agent))), "accepted")
  await lab.admit(act(grace, "revoke_credential", { roomId, credentialId: agent.credentialId }))
  const before = rows(lab)
  t.equal(await outcomeOf(lab.admit(post(agent))), "not_authenticated")
  t.strictSame(rows(lab), before)
})

// shows: Membership, expiry, revocation and the archive are looked at again inside the transaction.
test("a credential that expires after admission writes nothing", async (t) => {
  const agent = await lab.agent("grace", { expiresAt: "2026-12-01T00:00:00.000Z" })
  t.equal(await outcomeOf(lab.admit(post(agent))), "accepted")
  lab.clock.pass(60 * 24 * 11)
  t.equal(await outcomeOf(lab.admit(post(agent))), "not_authenticated")
})

// shows: Membership, expiry, revocation and the archive are looked at again inside the transaction.
test("a member removed after admission writes nothing, and is admitted again after joining again", async (t) => {
  const agent = await lab.agent("grace")
  await lab.admit(act(ada, "remove_member", { roomId, userId: grace.userId }))
  const before = rows(lab)
  for (const sent of [post(agent), publish(agent), post(grace)])
    t.equal(await outcomeOf(lab.admit(sent)), "not_a_member")
  t.strictSame(rows(lab), before)
  await lab.admit(act(ada, "add_member", { roomId }, { username: "grace" }))
  t.equal(await outcomeOf(lab.admit(post(grace))), "accepted")
  t.equal(
    await outcomeOf(lab.admit(post(agent))),
    "not_authenticated",
    "the credential of the ended membership is refused",
  )
  t.equal(await outcomeOf(lab.admit(post(await lab.agent("grace")))), "accepted", "a new one is admitted")
})

// shows: Membership, expiry, revocation and the archive are looked at again inside the transaction.
test("a Room archived after admission accepts nothing new, and still answers a replay", async (t) => {
  const agent = await lab.agent("grace")
  const sent = [post(agent), publish(agent)]
  for (const each of sent) t.equal(await outcomeOf(lab.admit(each)), "accepted")
  await lab.admit(act(ada, "archive_room", { roomId }, { reason: "Enough." }))
  t.equal(await outcomeOf(lab.admit(post(agent))), "room_archived")
  t.equal(await outcomeOf(lab.admit(publish(agent))), "room_unavailable")
  for (const each of sent) t.equal(await outcomeOf(lab.admit(each)), "replayed")
  await lab.admit(act(ada, "restore_room", { roomId }, { reason: "Not enough." }))
  t.equal(await outcomeOf(lab.admit(post(agent))), "accepted")
})

// shows: Permission, membership, expiry and revocation are looked at again inside the transaction.
test("earlier writes of the same transaction count for later ones", async (t) => {
  const agent = await lab.agent("grace")
  const together = (...sent: Sent[]) => Promise.all(sent.map((each) => outcomeOf(lab.admit(each))))
  const archive = act(ada, "archive_room", { roomId }, { reason: "Now." })
  const restore = act(ada, "restore_room", { roomId }, { reason: "Again." })
  t.strictSame(await together(post(agent), archive, post(agent), restore, post(agent)), [
    "accepted",
    "accepted",
    "room_archived",
    "accepted",
    "accepted",
  ])

  const revoke = act(grace, "revoke_credential", { roomId, credentialId: agent.credentialId })
  t.strictSame(await together(post(agent), revoke, post(agent)), ["accepted", "accepted", "not_authenticated"])

  const leave = act(grace, "remove_member", { roomId, userId: grace.userId })
  t.strictSame(await together(post(grace), leave, post(grace)), ["accepted", "accepted", "not_a_member"])
})
