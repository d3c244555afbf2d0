/** Lists, feeds and refusals follow protocol.md, sections 1 to 4. */
import t from "tap"
import { startDemo } from "../../../src/demo/demo.ts"
import { openLog } from "../../../src/log.ts"
import { ask } from "../../support/ask.ts"
import { finding, hypothesis, nobody } from "../../support/bodies.ts"
import { openLab, refusalOf, refusedAs } from "../../support/lab.ts"
import { launch, Work } from "./work.ts"

const lab = await openLab(t)
const { reader } = lab
const at = (path: string) => ask(`${lab.house.baseUrl}/api/research${path}`)
const room = await lab.room()
const { roomId, threadId } = room
const stated = (await room.ada.write("publish_hypothesis", hypothesis(room))).result
const found = (await room.ada.write("publish_finding", finding(room))).result

t.test("an unknown id in a filter is 404 under its own code", async (t) => {
  for (const [path, code] of [
    [`/hypotheses?roomId=${nobody}`, "room_unavailable"],
    [`/experiments?roomId=${nobody}`, "room_unavailable"],
    [`/experiments?assigneeId=${nobody}`, "room_unavailable"],
    [`/experiments?hypothesisVersionId=${nobody}`, "unknown_record"],
    [`/publications?roomId=${nobody}`, "room_unavailable"],
    [`/attempts?roomId=${nobody}`, "room_unavailable"],
    [`/attempts?experimentId=${nobody}`, "unknown_experiment"],
    [`/attempts?findingVersionId=${nobody}`, "unknown_record"],
    [`/attempts?findingVersionId=${stated.versionId}`, "unknown_record"],
    [`/search?query=ramp&roomId=${nobody}`, "room_unavailable"],
    [`/rooms/${roomId}/links?targetVersionId=${nobody}`, "unknown_record"],
    [`/rooms/${roomId}/links?targetAuthorId=${nobody}`, "room_unavailable"],
  ] as const) {
    const { status, body } = await at(path)
    t.strictSame([status, body.refusal], [404, code], path)
  }
  t.match(
    (await at(`/attempts?findingVersionId=${stated.versionId}`)).body.error,
    /is a hypothesis \(H1\)/,
    "and the message says what it is",
  )
  for (const path of [
    `/attempts?findingVersionId=${found.versionId.toUpperCase()}`,
    `/rooms/${roomId}/links?targetAuthorId=${lab.userIds.ada}&targetVersionId=${stated.versionId}`,
  ])
    t.strictSame([(await at(path)).status, path], [200, path])
})

t.test("after beyond the watermark of a feed or timeline is 422 with current.watermark", async (t) => {
  const { activityWatermark } = await reader.read("room_context", { roomId })
  const { thread } = await reader.read("thread_context", { threadId })
  const card = (await reader.read("thread_timeline", { threadId })).items[0]
  for (const [path, watermark] of [
    [`/rooms/${roomId}/activity?`, activityWatermark],
    [`/threads/${threadId}/timeline?`, thread.timelineWatermark],
    [`/threads/${threadId}/messages?`, thread.timelineWatermark],
    [`/threads/${threadId}/records?`, thread.timelineWatermark],
    [`/threads/${threadId}/replies?targetEntryId=${card?.entryId}&`, thread.timelineWatermark],
  ] as const) {
    t.equal((await at(`${path}after=${watermark}`)).status, 200, `${path} at its end`)
    const { status, body } = await at(`${path}after=${watermark + 1}`)
    t.match(
      [status, body],
      [
        422,
        {
          refusal: "invalid_parameter",
          error: `The feed ends at ${watermark}.`,
          current: { watermark },
          issues: [{ path: "/after" }],
        },
      ],
      path,
    )
  }
})

t.test("an opaque cursor from another list or from other filters is 422", async (t) => {
  const other = await lab.room("Another ramp")
  for (const place of [room, other]) await place.ada.write("publish_hypothesis", hypothesis(place))
  const cursor = async (path: string) => (await at(path)).body.nextCursor as unknown as string
  const given = {
    [`/rooms/${roomId}/publications?limit=1`]: await cursor(`/rooms/${roomId}/publications?limit=1`),
    "/publications?limit=1": await cursor("/publications?limit=1"),
    "/publications?limit=1&kinds=hypothesis": await cursor("/publications?limit=1&kinds=hypothesis"),
    "/rooms?limit=1": await cursor("/rooms?limit=1"),
    "/concepts?limit=1": await cursor("/concepts?limit=1"),
    "/concepts?limit=1&query=lowers": await cursor("/concepts?limit=1&query=lowers"),
    [`/rooms/${other.roomId}/publications?limit=1`]: null,
  }
  for (const path of Object.keys(given))
    for (const [of, after] of Object.entries(given)) {
      if (after === null) continue
      t.equal((await at(`${path}&after=${after}`)).status, of === path ? 200 : 422, `${of} at ${path}`)
    }
})

t.test("a planned attempt names a plan that the current assignee accepted", async (t) => {
  const work = await Work.begin(lab, room)
  const planId = await work.plan()
  const { experimentId } = work
  const expected = async () => (await reader.read("experiment", { experimentId })).affordances.expected
  await room.ada.write("release_experiment", { experimentId, ...(await expected()), handoff: "It is yours." })
  await room.grace.write("take_experiment", { experimentId, ...(await expected()) })
  const { url, commit } = lab.house.repositories.public
  const registration = {
    ...launch,
    intent: "planned" as const,
    repository: { url, commit },
    attemptId: crypto.randomUUID(),
    experimentId,
  }
  const refused = await refusalOf(
    room.grace.write("register_attempt", { ...registration, planId, ...(await expected()) }),
  )
  t.match(refused, {
    status: 422,
    refusal: "unknown_reference",
    issues: [{ path: "/planId", message: /^was accepted by ada/ }],
  })
  const { affordances } = await reader.read("experiment", { experimentId })
  const register = affordances.operations.find(
    ({ operation, by }) => operation === "register_attempt" && by === "assignee",
  )
  t.notOk(
    (register?.values?.intent as readonly string[] | undefined)?.includes("planned"),
    "nor is it offered in affordances",
  )
})

t.test("state_conflict names the steps that are allowed", async (t) => {
  const work = await Work.begin(lab, room)
  const attemptId = await work.attempt("registered")
  const { expected } = (await reader.read("attempt", { attemptId })).affordances
  const event = { attemptId, ...expected, event: "succeeded" as const, reportedAt: "2026-11-20T09:30:00.000Z" } as never
  const refused = await refusalOf(room.ada.write("report_attempt_event", event))
  t.match(refused, {
    refusal: "state_conflict",
    message:
      /A1 has not started: report that it started first\. Accepted now: started, preflight_failed or cancelled\./,
  })
})

t.test("current.needed is a list of strings, whoever lacks the permission or role", async (t) => {
  const reading = await lab.client("grace", roomId, { permissions: ["post_thread"] })
  const lacking = await refusalOf(reading.write("publish_hypothesis", hypothesis(room)))
  t.strictSame(lacking.current?.needed, ["publish_records"])
  const retraction = { targetVersionId: stated.versionId, explanation: "Not mine." }
  t.strictSame((await refusalOf(room.grace.write("assert_retraction", retraction))).current?.needed, [
    "author",
    "owner",
  ])
})

t.test("an unknown Room is reported as one", async (t) => {
  const lost = await refusalOf(room.ada.write("publish_hypothesis", hypothesis({ roomId: nobody, threadId })))
  t.match(lost, { status: 404, refusal: "room_unavailable", message: /no such Room/ })
  t.equal(
    await refusedAs(room.ada.write("publish_hypothesis", hypothesis({ roomId, threadId: nobody }))),
    "404 room_unavailable",
  )
})

t.test("identity shows that the membership has ended; DELETE /api/session without a body is not a 415", async (t) => {
  const gone = await lab.client("mary", roomId)
  t.match(await gone.read("identity"), { membership: { role: "member" } })
  await lab.ada.write("remove_member", { roomId, userId: lab.userIds.mary })
  t.equal((await gone.read("identity")).membership, null)
  const { origin } = new URL(lab.house.baseUrl)
  const left = await ask(`${lab.house.baseUrl}/api/session`, { method: "DELETE", headers: { origin } })
  t.strictSame([left.status, left.body.person], [200, null])
})

t.test("paths in affordances and the manifest carry the base path, as links do, and work below it", async (t) => {
  const demo = await startDemo({
    host: "127.0.0.1",
    port: 0,
    baseUrl: "http://127.0.0.1:9/a/b",
    kept: process.env.TOLD_DEMO,
    log: openLog("silent"),
  })
  t.teardown(() => demo.close())
  const local = (path: string) =>
    ask(`http://127.0.0.1:${demo.port}${path}`, { fetch: globalThis.fetch, headers: { host: "127.0.0.1:9" } })
  const room = `/a/b/api/research/rooms/${demo.rooms.main.roomId}`
  const { operations, reads, bootstrap } = (await local("/a/b/api/manifest")).body as unknown as Record<
    string,
    { path: string }[]
  >
  const context = (await local(`${room}/research-context`)).text
  const found = [...context.matchAll(/"(path|href|next|self)":"(\/[^"]*)"/g)].map(([, member = "", path = ""]) => ({
    member,
    path,
  }))
  const affordances = found.filter(({ member }) => member === "path")
  t.ok(affordances.length >= 10, `${affordances.length} paths in the affordances of a Room`)
  const told = [...(operations ?? []), ...(reads ?? []), ...(bootstrap ?? []), ...found].map(({ path }) => path)
  t.strictSame(
    told.filter((path) => !path.startsWith("/a/b/")),
    [],
  )
  const [first] = affordances
  t.match((await local(first?.path ?? "")).body, { refusal: /^(?!unknown_route)/ }, `${first?.path} is a route`)
})
