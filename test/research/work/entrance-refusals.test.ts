/**
 * Who is admitted at all: every operation of work against grant, membership, scope, archive, unknown subjects and
 * bodies.
 */
import type { AgentOperation, ResearchRoomClient } from "research-room/client"
import t from "tap"
import { operationNamed } from "../../../src/contract/operations/index.ts"
import { launch, nobody, plan, proposal, sha256, told } from "../../support/bodies.ts"
import { everything, openInside, refusalOf } from "../../support/lab.ts"
import { experimentIn, exploration, type Made } from "./situations.ts"

const lab = await openInside(t)
const room = await lab.room("Here", ["ada", "grace"])
const { ada: owner, grace: member } = room
const elsewhere = await lab.room("Elsewhere", ["mary", "grace"])
const { roomId, threadId } = room
const { result: aside } = await owner.write("create_thread", { roomId, title: "Aside" })

/** A body of each operation that `member` may send, about objects of the opening Thread. */
async function bodies(): Promise<
  Record<string, { readonly input: Record<string, unknown>; readonly subject?: string; readonly unknown: string }>
> {
  const open = await experimentIn("open", room, member, member)
  const held = await experimentIn("claimed", room, member, member)
  const attemptId = await exploration(held, member)
  const { result } = await member.write("register_material", { roomId, reference: sha256("a"), name: "Counts" })
  const about = ({ experimentId, expected }: Made, more: object) => ({
    input: { experimentId, ...expected, ...more },
    subject: "experimentId",
    unknown: "unknown_experiment",
  })
  return {
    propose_experiment: { input: proposal(room), subject: "threadId", unknown: "room_unavailable" },
    amend_experiment: about(open, { scope: "There.", explanation: "Better so." }),
    cancel_experiment: about(open, { reason: "Not worth it." }),
    take_experiment: about(open, {}),
    accept_plan: about(held, plan),
    release_experiment: about(held, { handoff: "Yours." }),
    report_experiment_status: about(held, { status: "in_progress" }),
    register_attempt: about(held, { attemptId: crypto.randomUUID(), intent: "exploratory", ...launch }),
    report_attempt_event: {
      input: { attemptId, expectedRevision: 1, expectedStatus: "registered", ...told("started") },
      subject: "attemptId",
      unknown: "unknown_attempt",
    },
    register_material: {
      input: { roomId, reference: sha256("b"), name: "Weights" },
      subject: "roomId",
      unknown: "room_unavailable",
    },
    report_material_location: {
      input: { materialId: result.materialId, uri: "https://example.org/a", state: "available" },
      subject: "materialId",
      unknown: "unknown_material",
    },
  }
}
const sent = await bodies()
const send = (client: ResearchRoomClient, name: string, input: Record<string, unknown>) =>
  client.write(name as AgentOperation, input as never, { rehearse: true })

/** Clients of `member`, each with a narrower credential. */
const withToken = (more: Parameters<typeof lab.client>[2]) => lab.client("grace", roomId, more)
const scoped = await withToken({ threadIds: [aside.threadId] })
const inScope = await withToken({ threadIds: [threadId] })

for (const [name, { input, subject, unknown }] of Object.entries(sent)) {
  const needed = operationNamed(name)?.permissions ?? []

  t.test(`${name}: who is admitted`, async (t) => {
    t.match(await send(member, name, input), { operation: name, rehearsed: true }, "a member with the grant")
    t.match(
      await send(inScope, name, input),
      { rehearsed: true },
      "a credential limited to the Thread it originates in",
    )
    t.match(
      await refusalOf(send(scoped, name, input)),
      { status: 403, refusal: "scope_missing", current: { threadIds: [aside.threadId] } },
      "a credential limited to another Thread",
    )
    t.match(
      await refusalOf(send(elsewhere.grace, name, input)),
      { status: 403, refusal: "scope_missing" },
      "a credential of another Room of the same member",
    )
    t.match(
      await refusalOf(send(elsewhere.mary, name, input)),
      { status: 403, refusal: "not_a_member" },
      "a member of another Room",
    )
    t.match(await refusalOf(send(lab.reader, name, input)), { status: 401, refusal: "not_authenticated" }, "nobody")
  })

  // shows: Each write has the path and permission of the table.
  t.test(`${name}: each permission is required, and checked before anything is looked up`, async (t) => {
    t.ok(needed.length > 0)
    for (const lacking of needed) {
      const client = await withToken({ permissions: everything.filter((permission) => permission !== lacking) })
      const refused = await refusalOf(send(client, name, { ...input, ...(subject && { [subject]: nobody }) }))
      t.match(refused, { status: 403, refusal: "permission_missing", current: { needed, missing: [lacking] } })
    }
    const enough = await withToken({ permissions: [...needed] as (typeof everything)[number][] })
    t.match(await send(enough, name, input), { rehearsed: true }, "and no other is needed")
  })

  // shows: 404 for what is not there, each kind under its own code.
  t.test(`${name}: an unknown subject`, async (t) => {
    const refused = await refusalOf(send(member, name, { ...input, [subject as string]: nobody }))
    t.match(refused, { status: 404, refusal: unknown, committed: false, current: null })
  })

  t.test(`${name}: its body`, async (t) => {
    const { requestId: _id, ...extra } = { requestId: 1, surprise: true }
    const unknownProperty = await refusalOf(send(member, name, { ...input, ...extra }))
    t.match(unknownProperty, { status: 422, refusal: "invalid_schema", issues: [{ path: "/surprise" }] })
    const none = await refusalOf(send(member, name, {}))
    const required = none.issues.map(({ path }) => path).sort()
    const fields = Object.entries(operationNamed(name)?.body.entries ?? {})
      .filter(([, schema]) => schema.type !== "exact_optional")
      .map(([field]) => `/${field}`)
    t.same(
      required.filter((path) => path !== ""),
      fields.filter((path) => path !== "/schemaVersion" && path !== "/requestId").sort(),
      "every required property is named at once",
    )
  })
}

t.test("an archived Room admits none of these writes", async (t) => {
  await lab.archive(roomId, "Answered.")
  for (const [name, { input }] of Object.entries(sent)) {
    const refused = await refusalOf(send(member, name, input))
    t.match(
      refused,
      {
        status: 404,
        refusal: "room_unavailable",
        current: { room: { id: roomId, state: "archived", reason: "Answered." } },
      },
      name,
    )
    t.match(refused.current?.room, { archivedAt: /^\d{4}-/ })
  }
  const unknown = await refusalOf(
    send(member, "take_experiment", { ...sent.take_experiment?.input, experimentId: nobody }),
  )
  t.match(
    unknown,
    { status: 404, refusal: "unknown_experiment" },
    "an unknown experiment is told apart from an archived Room",
  )
  await lab.restore(roomId)
  t.match(
    await send(member, "take_experiment", sent.take_experiment?.input ?? {}),
    { rehearsed: true },
    "a restored Room admits it again",
  )
})

t.test("a former member is no longer admitted, and their work stays as it was", async (t) => {
  await lab.write("ada", "remove_member", { roomId, userId: lab.people.grace.userId })
  for (const [name, { input }] of Object.entries(sent)) {
    t.match(await refusalOf(send(member, name, input)), { status: 403, refusal: "not_a_member" }, name)
  }
  const experimentId = sent.release_experiment?.input.experimentId as string
  const held = await lab.reader.read("experiment", { experimentId })
  t.match(held, { status: "claimed", assigneeId: lab.people.grace.userId }, "there is no forced takeover")
  t.match(
    await refusalOf(send(owner, "take_experiment", { experimentId, expectedRevision: 2, expectedStatus: "claimed" })),
    {
      refusal: "assignment_conflict",
    },
  )
})
