/**
 * The permissions of every browser route of Rooms and Threads, requested by nobody, a visitor, a member and the owner.
 */
import tap, { test } from "tap"
import { operations } from "../../src/contract/operations/index.ts"
import { ask } from "../support/ask.ts"
import { action, type Body, freshId, hypothesis, message, type Place, proposal, thread } from "../support/bodies.ts"
import { openLab } from "../support/lab.ts"

const lab = await openLab(tap)
const { house } = lab
const { userIds: ids } = lab
const known = (await ask(`${house.baseUrl}/api/research/hypotheses`)).body.items?.[0]

/** A Room with everything that a route may be about: mary asks to join, grace has a credential. */
interface Setting extends Place {
  readonly credentialId: string
}
async function setting({ asking = true } = {}): Promise<Setting> {
  const scene = await lab.place()
  if (asking) await lab.mary.write("request_to_join", { roomId: scene.roomId })
  const { credentialId } = await lab.credential("grace", scene.roomId)
  return { ...scene, credentialId }
}

interface Row {
  readonly route: string
  readonly method?: string
  readonly path: (setting: Setting) => string
  readonly body?: (setting: Setting) => Body
  /** The outcome for nobody, mary (not a member), grace (member) and ada (owner). */
  readonly answers: readonly [nobody: string, mary: string, grace: string, ada: string]
}
const [out, stranger, notOwner, ok] = ["not_authenticated", "not_a_member", "role_required", "ok"]
const ownersOnly = [out, stranger, notOwner, ok] as const
const members = [out, stranger, ok, ok] as const
const inRoom =
  (rest = "") =>
  ({ roomId }: Setting) =>
    `/api/rooms/${roomId}${rest}`

const table: readonly Row[] = [
  {
    route: "create_room",
    path: () => "/api/rooms",
    body: () => action({ title: "Another" }),
    answers: [out, ok, ok, ok],
  },
  {
    route: "amend_room",
    method: "PATCH",
    path: inRoom(),
    body: () => action({ title: "Better" }),
    answers: ownersOnly,
  },
  { route: "archive_room", path: inRoom("/archive"), body: () => action({ reason: "Done." }), answers: ownersOnly },
  {
    route: "restore_room",
    path: inRoom("/restore"),
    body: () => action({ reason: "Not done." }),
    answers: [out, stranger, notOwner, "state_conflict"],
  },
  {
    route: "request_to_join",
    path: inRoom("/join-requests"),
    answers: [out, "state_conflict", "state_conflict", "state_conflict"],
  },
  {
    route: "decide_join_request",
    path: inRoom(`/join-requests/${ids.mary}/decision`),
    body: () => action({ decision: "accept" }),
    answers: ownersOnly,
  },
  {
    route: "add_member",
    path: inRoom("/members"),
    body: () => action({ username: house.people.visitor.username }),
    answers: ownersOnly,
  },
  {
    route: "remove_member, grace",
    method: "DELETE",
    path: inRoom(`/members/${ids.grace}`),
    answers: [out, stranger, ok, ok],
  },
  {
    route: "remove_member, ada",
    method: "DELETE",
    path: inRoom(`/members/${ids.ada}`),
    answers: [out, stranger, notOwner, "state_conflict"],
  },
  {
    route: "issue_credential",
    path: inRoom("/credentials"),
    body: () => action({ label: "one", permissions: ["post_thread"] }),
    answers: members,
  },
  {
    route: "rotate_credential, grace's",
    path: ({ roomId, credentialId }) => `/api/rooms/${roomId}/credentials/${credentialId}/rotate`,
    answers: [out, stranger, ok, notOwner],
  },
  {
    route: "revoke_credential, grace's",
    path: ({ roomId, credentialId }) => `/api/rooms/${roomId}/credentials/${credentialId}/revoke`,
    answers: members,
  },
  { route: "create_thread", path: () => "/api/threads", body: ({ roomId }) => thread(roomId), answers: members },
  {
    route: "post_message",
    path: ({ threadId }) => `/api/threads/${threadId}/messages`,
    body: () => message(),
    answers: members,
  },
  {
    route: "reuse_record",
    path: ({ threadId }) => `/api/threads/${threadId}/records`,
    body: () => action({ versionId: String(known?.versionId) }),
    answers: members,
  },
  {
    route: "publish_hypothesis",
    path: () => "/api/research-actions/publish_hypothesis",
    body: ({ roomId, threadId }) => action(hypothesis({ roomId, threadId })),
    answers: members,
  },
  {
    route: "propose_experiment",
    path: () => "/api/research-actions/propose_experiment",
    body: ({ roomId, threadId }) => action(proposal({ roomId, threadId })),
    answers: members,
  },
  { route: "members (read)", method: "GET", path: inRoom("/members"), answers: [out, ok, ok, ok] },
  { route: "join_requests (read)", method: "GET", path: inRoom("/join-requests"), answers: ownersOnly },
  { route: "credentials (read)", method: "GET", path: inRoom("/credentials"), answers: members },
  {
    route: "room (public read)",
    method: "GET",
    path: ({ roomId }) => `/api/research/rooms/${roomId}`,
    answers: [ok, ok, ok, ok],
  },
]

for (const { route, method = "POST", path, body, answers } of table) {
  // shows: 403 for membership, role, grant, scope, a browser's Origin, and an archived Room on Thread, message and
  //   publication routes.
  test(`${route}: ${answers.join(", ")}`, async (t) => {
    for (const [index, who] of (["nobody", "mary", "grace", "ada"] as const).entries()) {
      const scene = await setting()
      const before = await house.client("member_all").verifyActivity(scene.roomId)
      const { status, body: answer } = await lab.at(who, method, path(scene), body?.(scene))
      t.strictSame(status === 200 ? ok : answer.refusal, answers[index], who)
      const after = await house.client("member_all").verifyActivity(scene.roomId)
      if (answers[index] !== ok) t.strictSame(after, before, `${who}: it had no effect`)
    }
  })
}

test("a visitor may ask to join, once, until the owner has decided", async (t) => {
  const { roomId } = await setting({ asking: false })
  t.equal((await lab.at("mary", "POST", `/api/rooms/${roomId}/join-requests`)).status, 200)
  t.match((await lab.at("mary", "POST", `/api/rooms/${roomId}/join-requests`)).body, { refusal: "state_conflict" })
})

// shows: Each write has the path and permission of the table.
// shows: Each permission opens what it names; receipts need none.
// shows: skill: one_room
// shows: skill: access
test("a credential is refused each operation for which it has no permission, as its access says", async (t) => {
  const { roomId, openingThreadId: threadId } = house.rooms.empty
  for (const name of ["member_all", "member_post_only", "member_publish_only", "member_work_only"] as const) {
    const { token, permissions } = house.credentials[name]
    const access = (await house.client(name).read("room_access", { roomId })).operations
    for (const operation of operations.filter(({ surface, family }) => surface === "agent" && family === "research")) {
      const granted = operation.permissions.every((needed) => (permissions as readonly string[]).includes(needed))
      const said = access.find((each) => each.operation === operation.name)
      t.match(
        said,
        { path: operation.path, allowed: granted, refusal: granted ? null : "permission_missing" },
        `${name}: ${operation.name}`,
      )
      if (granted) continue
      const body = { ...(operation.example as Body), [operation.delivery]: freshId() }
      const { status, body: answer } = await ask(`${house.baseUrl}${operation.path.replace("{threadId}", threadId)}`, {
        token,
        body,
      })
      t.strictSame([status, answer.refusal], [403, "permission_missing"], `${name}: ${operation.name}`)
      t.strictSame(answer.current?.needed, [...operation.permissions])
    }
  }
})

// shows: A grant limited to Threads applies to what originated there.
test("a credential limited to Threads stays in them", async (t) => {
  const { roomId, openingThreadId: threadId } = house.rooms.empty
  const { token } = house.credentials.member_thread_scoped
  const elsewhere = (await house.client("member_all").write("create_thread", { roomId, title: "Out of reach" })).result
    .threadId
  const send = (path: string, body: Body) => ask(`${house.baseUrl}/api/agent${path}`, { token, body })
  t.equal((await send(`/threads/${threadId}/messages`, message())).status, 200)
  t.equal((await send("/research/publish_hypothesis", action(hypothesis({ roomId, threadId })))).status, 200)
  const refused = [
    await send(`/threads/${elsewhere}/messages`, message()),
    await send("/research/publish_hypothesis", action(hypothesis({ roomId, threadId: elsewhere }))),
    await send("/threads", thread(roomId)),
    await send(`/threads/${house.rooms.main.openingThreadId}/messages`, message()),
  ]
  for (const { status, body } of refused) t.strictSame([status, body.refusal], [403, "scope_missing"])
  t.strictSame(refused[0]?.body.current, { threadIds: [threadId] }, "and is told which they are")
  const access = (await house.client("member_thread_scoped").read("room_access", { roomId })).operations
  t.match(
    access.find(({ operation }) => operation === "create_thread"),
    { allowed: false, refusal: "scope_missing" },
  )
})
