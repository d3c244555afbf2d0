/**
 * The order of checks on an agent write (protocol, section 1): each request here is wrong in two consecutive checks,
 * and the earlier one answers.
 */
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { type Asked, ask } from "../support/ask.ts"
import { action, type Body, freshId, hypothesis, message, proposal } from "../support/bodies.ts"
import { held } from "../support/contract.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { empty, archived } = house.rooms
const { roomId, openingThreadId: threadId } = empty
const { member_all, member_post_only, member_work_only, owner_all, main_member_all, archived_member_all } =
  house.credentials

const messages = `/api/agent/threads/${threadId}/messages`
const research = (name: string) => `/api/agent/research/${name}`
const mistyped = member_all.token.replace(/.$/, (last) => (last === "a" ? "b" : "a"))
/** Its first bytes are enough to see that it is not JSON, and that it is too large. */
const twoMebibytes = "x".repeat(2 ** 21)
/** Characters of four bytes: within the limit of a text, above the limit of a content. */
const heavy = "𝔞".repeat(16_000)

/** What grace published earlier; its id is used. */
const taken = action(hypothesis({ roomId, threadId }))
await house.client("member_all", { fetch: held }).write("publish_hypothesis", taken)
const takenMessage = message("Said before.")
await ask(`${house.baseUrl}${messages}`, { token: member_all.token, body: takenMessage })

/** An experiment that grace holds, at revision 2, to pin plans to. */
const { result: proposed } = await house
  .client("member_all")
  .write("propose_experiment", { roomId, threadId, question: "Which?", scope: "Here.", hypotheses: [] })
await house
  .client("member_all")
  .write("take_experiment", { experimentId: proposed.experimentId, expectedRevision: 1, expectedStatus: "open" })
const plan = (more: Body): Body => ({
  schemaVersion: 3,
  requestId: freshId(),
  experimentId: proposed.experimentId,
  expectedRevision: 2,
  expectedStatus: "claimed",
  repository: { url: house.repositories.public.url, commit: house.repositories.public.commit },
  hypotheses: [],
  premises: [],
  protocol: { summary: "Run it.", steps: [], arms: [] },
  intent: "exploratory",
  requiredMaterials: [],
  ...more,
})
const hidden = { url: house.repositories.private.url, commit: house.repositories.private.commit }
const unknownPremises = { premises: [{ versionId: freshId(), explanation: "Nobody has seen it." }] }

interface Case {
  readonly what: string
  readonly path: string
  readonly send: Asked
  readonly answered: readonly [status: number, code: string]
}

const cases: readonly Case[] = [
  {
    what: "1 path before 2 origin",
    path: research("fly"),
    send: { token: member_all.token, body: {}, headers: { origin: house.baseUrl } },
    answered: [404, "unknown_operation"],
  },
  {
    what: "1 method before 2 origin",
    path: messages,
    send: { method: "PUT", headers: { origin: house.baseUrl } },
    answered: [405, "method_not_allowed"],
  },
  {
    what: "2 origin before 3 credential",
    path: messages,
    send: { body: message(), headers: { origin: house.baseUrl } },
    answered: [403, "browser_origin"],
  },
  {
    what: "3 credential before 4 content type",
    path: messages,
    send: { token: mistyped, raw: "text=hello", headers: { "content-type": "text/plain" } },
    answered: [401, "not_authenticated"],
  },
  {
    what: "4 content type before 5 size",
    path: messages,
    send: { token: member_all.token, raw: twoMebibytes, headers: { "content-type": "text/plain" } },
    answered: [415, "not_json"],
  },
  {
    what: "5 size before 6 JSON",
    path: messages,
    send: { token: member_all.token, raw: twoMebibytes },
    answered: [413, "request_too_large"],
  },
  {
    what: "6 schema before 7 content size",
    path: messages,
    send: { token: member_all.token, body: message(heavy, { shout: true }) },
    answered: [422, "invalid_schema"],
  },
  {
    what: "7 content size before 8 replay",
    path: messages,
    send: { token: member_all.token, body: { ...takenMessage, text: heavy } },
    answered: [413, "content_too_large"],
  },
  {
    what: "8 conflict before 9 grant",
    path: research("publish_hypothesis"),
    send: { token: member_post_only.token, body: { ...taken, scope: "Elsewhere." } },
    answered: [409, "request_conflict"],
  },
  {
    what: "8 conflict before 10 objects",
    path: research("publish_hypothesis"),
    send: { token: member_all.token, body: { ...taken, threadId: freshId() } },
    answered: [409, "request_conflict"],
  },
  {
    what: "9 grant before 10 the subject",
    path: research("publish_hypothesis"),
    send: { token: member_post_only.token, body: action(hypothesis({ roomId: freshId(), threadId: freshId() })) },
    answered: [403, "permission_missing"],
  },
  {
    what: "9 grant before membership and scope",
    path: messages.replace(threadId, archived.openingThreadId),
    send: { token: member_work_only.token, body: message() },
    answered: [403, "permission_missing"],
  },
  {
    what: "9 scope before archive",
    path: messages.replace(threadId, archived.openingThreadId),
    send: { token: main_member_all.token, body: message() },
    answered: [403, "scope_missing"],
  },
  {
    what: "9 scope before 10 exact references",
    path: research("publish_hypothesis"),
    send: { token: main_member_all.token, body: action({ ...hypothesis({ roomId, threadId }), ...unknownPremises }) },
    answered: [403, "scope_missing"],
  },
  {
    what: "9 archive before 10 exact references",
    path: research("publish_hypothesis"),
    send: {
      token: archived_member_all.token,
      body: action({
        ...hypothesis({ roomId: archived.roomId, threadId: archived.openingThreadId }),
        ...unknownPremises,
      }),
    },
    answered: [404, "room_unavailable"],
  },
  {
    what: "10 the subject before exact references",
    path: research("publish_hypothesis"),
    send: {
      token: member_all.token,
      body: action({ ...hypothesis({ roomId, threadId: freshId() }), ...unknownPremises }),
    },
    answered: [404, "room_unavailable"],
  },
  {
    what: "10 the subject before 11 the repository",
    path: research("accept_plan"),
    send: { token: member_all.token, body: plan({ experimentId: freshId(), repository: hidden }) },
    answered: [404, "unknown_experiment"],
  },
  {
    what: "10 exact references before 11 the repository",
    path: research("accept_plan"),
    send: { token: member_all.token, body: plan({ hypotheses: [freshId()], repository: hidden }) },
    answered: [422, "unknown_reference"],
  },
  {
    what: "11 the repository before 12 the assignee",
    path: research("accept_plan"),
    send: { token: owner_all.token, body: plan({ repository: hidden }) },
    answered: [422, "repository_unavailable"],
  },
  {
    what: "11 the repository before 12 expectations",
    path: research("accept_plan"),
    send: { token: member_all.token, body: plan({ expectedRevision: 9, repository: hidden }) },
    answered: [422, "repository_unavailable"],
  },
  {
    what: "12 the assignee before expectations",
    path: research("accept_plan"),
    send: { token: owner_all.token, body: plan({ expectedRevision: 9 }) },
    answered: [409, "assignment_conflict"],
  },
  {
    what: "12 whether it is open before expectations",
    path: research("take_experiment"),
    send: {
      token: owner_all.token,
      body: {
        schemaVersion: 3,
        requestId: freshId(),
        experimentId: proposed.experimentId,
        expectedRevision: 1,
        expectedStatus: "open",
      },
    },
    answered: [409, "assignment_conflict"],
  },
]

// shows: Of several faults the earlier check answers.
test("a request that is wrong in two ways is answered by the earlier check", async (t) => {
  const room = house.client("member_all")
  const before = await room.verifyActivity(roomId)
  for (const { what, path, send, answered } of cases) {
    const { status, body } = await ask(`${house.baseUrl}${path}`, send)
    t.strictSame([status, body.refusal], answered, what)
    t.strictSame(body.committed, false, `${what}: nothing is stored`)
  }
  t.strictSame(await room.verifyActivity(roomId), before, "none of them left anything behind")
})

test("step 8 answers a replay whatever the later steps would say", async (t) => {
  const again = await ask(`${house.baseUrl}${research("publish_hypothesis")}`, {
    token: member_post_only.token,
    body: taken,
  })
  t.match(
    again.body,
    { replayed: true, credentialChanged: true },
    "a credential without the permission still learns that the write is stored",
  )

  const archivedSoon = await house.browser("owner", { fetch: held })
  const created = await archivedSoon.write("create_room", { title: "Soon to be closed" })
  const { roomId: closing, openingThreadId } = created.result
  const { token } = (
    await archivedSoon.write("issue_credential", {
      roomId: closing,
      label: "one",
      permissions: ["post_thread", "manage_own_experiments"],
    })
  ).result
  const said = { path: messages.replace(threadId, openingThreadId), body: message("Before the end.") }
  const asked = {
    path: research("propose_experiment"),
    body: action(proposal({ roomId: closing, threadId: openingThreadId })),
  }
  for (const { path, body } of [said, asked])
    t.equal((await ask(`${house.baseUrl}${path}`, { token, body })).status, 200)
  await archivedSoon.write("archive_room", { roomId: closing, reason: "Enough." })
  for (const { path, body } of [said, asked]) {
    const replay = await ask(`${house.baseUrl}${path}`, { token, body })
    t.strictSame(
      [replay.status, replay.body.replayed],
      [200, true],
      "the Room is archived, but the receipt is still there",
    )
  }
  const fresh = await ask(`${house.baseUrl}${said.path}`, { token, body: message("After the end.") })
  t.match(fresh.body, { refusal: "room_archived", current: { room: { id: closing, state: "archived" } } })
})
