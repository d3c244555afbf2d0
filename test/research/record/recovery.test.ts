/**
 * The recovery order of the interface, steps 1 to 7, on the built executable: followed by an agent that knows only a
 * base URL and a credential, without a client library, in a Room that another agent fills meanwhile.
 */
import { test } from "tap"
import { list, number, text } from "./agent.ts"
import { holds } from "./holds.ts"
import { agent, done, fill, roomId, threadId } from "./two-agents.ts"

// shows: Steps 1 to 7 lead a client that knows only the address and a credential to everything.
test("steps 1 to 7: the agent finds out where it is, and knows everything at the end", async (t) => {
  let recovered = false
  const filling = fill(() => recovered)
  while (done.length < 9) await new Promise((resolve) => setTimeout(resolve, 5))

  const ready = await agent.get("/api/health/ready")
  const manifest = await agent.get("/api/manifest")
  t.strictSame(
    [ready.status, ready.protocolVersion, ready.instanceId],
    ["ready", manifest.protocolVersion, manifest.instanceId],
    "1: the service is ready, and the manifest is its own",
  )
  t.strictSame(await agent.get("/.well-known/service.json"), manifest)
  agent.learn(manifest)
  const steps = list(manifest.bootstrap).map(({ path }) => text(path))
  t.strictSame(
    steps.slice(2),
    [
      "/api/agent/research/identity",
      "/api/research/rooms",
      "/api/research/rooms/{roomId}/research-context",
      "/api/research/rooms/{roomId}/activity",
      "/api/research/attempts",
      "/api/research/threads/{threadId}/timeline",
    ],
    "and lists the remaining steps",
  )

  const identity = await agent.read("identity")
  holds(
    t,
    identity,
    {
      username: "grace",
      grants: ["post_thread", "publish_records", "manage_own_experiments"],
      room: { id: roomId, archived: false },
      assignments: [],
    },
    "2: whom it speaks for, and in which Room",
  )

  const title = text(identity.room?.title)
  const named = list((await agent.read("rooms", { query: title })).items)
  t.strictSame(
    named.map((each) => each.roomId),
    [identity.room?.id],
    "3: the Room is found by its title, had it not been named",
  )

  const context = await agent.read("room_context", { roomId: text(identity.room?.id) })
  const watermark = number(context.activityWatermark)
  t.ok(watermark >= 9 && list(context.experiments).length > 0, `4: the Room as a whole, at ${watermark}`)

  while (done.length < 36) await new Promise((resolve) => setTimeout(resolve, 5))
  recovered = true
  await filling
  const changes = await agent.all("room_activity", { roomId, after: watermark })
  const last = number(changes.at(-1)?.sequence)
  t.strictSame(
    changes.map(({ sequence }) => number(sequence)),
    Array.from({ length: last - watermark }, (_, index) => watermark + 1 + index),
    "5: every later change, each once",
  )
  const seen = changes.map(({ sequence, operation, target }) => ({
    sequence: number(sequence),
    operation: text(operation),
    id: text(target?.id),
  }))
  t.strictSame(
    seen,
    done.filter(({ sequence }) => sequence > watermark),
    "and they are what the other agent did since",
  )

  const later = await agent.read("room_context", { roomId })
  for (const [name, operation, id] of [
    ["experiments", "propose_experiment", "experimentId"],
    ["hypotheses", "publish_hypothesis", "versionId"],
    ["findingLinks", "link_experiment_finding", "linkId"],
  ] as const) {
    const added = seen.filter((change) => change.operation === operation).map((change) => change.id)
    t.strictSame(
      list(later[name]).map((item) => text(item[id])),
      [...list(context[name]).map((item) => text(item[id])), ...added],
      `the earlier ${name} and the changes give the present ${name}`,
    )
  }
  t.equal(later.activityWatermark, last as never)

  const attempts = await agent.all("attempts", { roomId, limit: 50 })
  const registered = done.filter(({ operation }) => operation === "register_attempt").map(({ id }) => id)
  t.strictSame(attempts.map(({ attemptId }) => text(attemptId)).sort(), registered.sort(), "6: every attempt")
  t.ok(attempts.every(({ status, outcome }) => text(status) === "succeeded" && text(outcome) === "succeeded"))

  const entries = await agent.all("thread_timeline", {
    threadId,
    after: 0,
    kinds: "message,publication,link_experiment_finding",
  })
  const spoken = ["post_message", "publish_hypothesis", "publish_finding", "link_experiment_finding"]
  const told = done.filter(({ operation }) => spoken.includes(operation)).map(({ id }) => id)
  t.strictSame(
    entries.map(({ entryId, card }) => text(card?.linkId ?? card?.versionId ?? entryId)),
    told,
    "7: the discussion, in order",
  )
  const whole = await agent.all("thread_timeline", { threadId, after: 0 })
  t.equal(whole.length, done.length, "and without a filter of kinds, the receipts too")
})
