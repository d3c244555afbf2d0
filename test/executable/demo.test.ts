/**
 * `demo`: a seeded instance on one line of JSON, in the form of the protocol's section 7, the same on every start on
 * request.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import tap, { test } from "tap"
import * as v from "valibot"
import { ask } from "../support/ask.ts"
import { message } from "../support/bodies.ts"
import { endAll, executable, newPlace, run, start } from "../support/program.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})

/** Starts a demo and reads its one line. */
async function demo(...args: string[]) {
  const running = start(program, ["demo", "--json", ...args], { ...place, env: { TMPDIR: place.folder } })
  const [line] = await running.printed(/^.*\n/)
  const told = JSON.parse(line) as Told
  return { running, line, told, end: async () => (running.signal("SIGTERM"), running.ended()) }
}

const text = v.pipe(v.string(), v.nonEmpty())
const uuid = v.pipe(v.string(), v.regex(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/))
const named = <const N extends string, S extends v.GenericSchema>(names: readonly N[], schema: S) =>
  v.strictObject(Object.fromEntries(names.map((name) => [name, schema])) as Record<N, S>)
const repository = {
  url: v.pipe(v.string(), v.regex(/^https:\/\/[^/]+\/[^/]+\/[^/]+$/)),
  commit: v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/)),
}

/** Section 7 of the protocol, name by name. */
const shape = v.strictObject({
  baseUrl: v.pipe(v.string(), v.regex(/^http:\/\/127\.0\.0\.1:\d+$/)),
  people: named(["owner", "member", "visitor"], v.strictObject({ userId: uuid, username: text, password: text })),
  rooms: named(["main", "empty", "archived"], v.strictObject({ roomId: uuid, openingThreadId: uuid })),
  credentials: named(
    [
      "owner_all",
      "member_all",
      "member_post_only",
      "member_publish_only",
      "member_work_only",
      "member_thread_scoped",
      "member_expired",
      "member_revoked",
      "main_owner_all",
      "main_member_all",
      "archived_member_all",
    ],
    v.strictObject({
      token: v.pipe(v.string(), v.regex(/^rrc_\w{36}$/)),
      username: text,
      roomId: uuid,
      permissions: v.array(text),
      threadIds: v.nullable(v.array(uuid)),
    }),
  ),
  keys: named(
    ["all", "owned", "selected", "read_only", "expired", "member_all"],
    v.strictObject({
      token: v.pipe(v.string(), v.regex(/^rrk_\w{36}$/)),
      username: text,
      permissions: v.array(text),
      reach: v.picklist(["all", "owned", "selected"]),
      collectionIds: v.nullable(v.array(uuid)),
    }),
  ),
  repositories: v.strictObject({
    public: v.strictObject({ ...repository, otherCommit: repository.commit }),
    private: v.strictObject(repository),
  }),
})
type Told = v.InferOutput<typeof shape>

test("one line with every member, each as its name says", async (t) => {
  const { running, told, end } = await demo()
  const { baseUrl, credentials, keys, rooms, people } = v.parse(shape, told)
  t.equal(running.out.split("\n").length, 2, "one line and nothing else")
  t.equal(running.err, "")

  const identity = (token: string) => ask(`${baseUrl}/api/agent/research/identity`, { token })
  for (const [name, { token, username, roomId, permissions, threadIds }] of Object.entries(credentials)) {
    const { status, body } = await identity(token)
    if (name === "member_expired" || name === "member_revoked")
      t.match(body, { refusal: "not_authenticated", error: name === "member_expired" ? /expired/ : /revoked/ }, name)
    else
      t.match(
        { status, ...body },
        {
          status: 200,
          username,
          grants: permissions,
          credential: { threadIds },
          room: { id: roomId, archived: name.startsWith("archived") },
        },
        name,
      )
    t.equal(
      roomId,
      name.startsWith("main")
        ? rooms.main.roomId
        : name.startsWith("archived")
          ? rooms.archived.roomId
          : rooms.empty.roomId,
      name,
    )
    t.equal(username, name.includes("owner") ? people.owner.username : people.member.username, name)
  }
  for (const [name, { token, username, permissions, reach }] of Object.entries(keys)) {
    const { status, body } = await ask(`${baseUrl}/api/agent/library/identity`, { token })
    if (name === "expired") t.match(body, { refusal: "not_authorized", error: /expired/ }, name)
    else t.match({ status, ...body }, { status: 200, username, permissions, reach }, name)
    t.equal(username, name.startsWith("member") ? people.member.username : people.owner.username, name)
  }
  for (const { username, password } of Object.values(people)) {
    t.equal(
      (await ask(`${baseUrl}/api/session`, { body: { username, password }, headers: { origin: baseUrl } })).status,
      200,
      username,
    )
  }
  const room = async (name: keyof typeof rooms) =>
    (await ask(`${baseUrl}/api/research/rooms/${rooms[name].roomId}`)).body
  t.match(await room("empty"), { state: "active", counts: { threads: 1, members: 2, hypothesis: 0, experiment: 0 } })
  t.match(await room("archived"), { state: "archived", archive: { reason: String } })
  const main = await room("main")
  for (const kind of ["hypothesis", "experiment", "plan", "attempt", "material"])
    t.ok(Number(main.counts?.[kind]) > 0, `the story has a ${kind}`)
  t.equal(
    (
      await ask(`${baseUrl}/api/agent/threads/${rooms.empty.openingThreadId}/messages`, {
        token: credentials.member_all.token,
        body: message(),
      })
    ).status,
    200,
  )

  t.match(await end(), { code: 0, err: "" })
  t.strictSame(readdirSync(place.folder), ["home"], "its own temporary folder is gone with it")
})

test("deterministic: twice the same, but for the port", async (t) => {
  const [first, second] = await Promise.all([demo("--deterministic"), demo("--deterministic")])
  const ported = ({ line, told }: typeof first) => line.replaceAll(told.baseUrl, "")
  t.equal(ported(first), ported(second))
  t.not(first.told.baseUrl, second.told.baseUrl)
  const { roomId, openingThreadId } = first.told.rooms.main
  // The current time comes from a clock that ticks with every look; the story itself is fixed.
  const still = (answer: string) => answer.replace(/"generatedAt":"[^"]*"/, "")
  for (const path of [
    `/api/research/rooms/${roomId}`,
    `/api/research/rooms/${roomId}/activity`,
    `/api/research/threads/${openingThreadId}/timeline`,
    "/api/research/publications",
    "/api/research/attempts",
  ]) {
    const [one, other] = await Promise.all(
      [first, second].map(async ({ told }) => still((await ask(`${told.baseUrl}${path}`)).text)),
    )
    t.equal(one, other, path)
  }
  const health = await Promise.all(
    [first, second].map(async ({ told }) => String((await ask(`${told.baseUrl}/api/health/ready`)).body.instanceId)),
  )
  t.equal(health[0], health[1], "including the instance")
  await Promise.all([first.end(), second.end()])
  const free = await demo()
  t.notSame(free.told.credentials, first.told.credentials, "a demo that is not deterministic has its own tokens")
  await free.end()
})

test("with a folder it keeps its story, and never writes it over other data", async (t) => {
  const { told, end } = await demo("--data", "kept")
  t.ok(readdirSync(join(place.folder, "kept")).includes("research-room.db"))
  await end()
  const again = await run(program, ["demo", "--data", "kept"], place)
  t.match(again, {
    code: 2,
    out: "",
    err: /^research-room: The folder kept already holds data; a demo starts in a new one\.\n$/,
  })
  t.match(await run(program, ["check", "--data", "kept"], place), { code: 0, out: /^4 Rooms, .*all whole/ })
  t.match((await run(program, ["room", "list", "--data", "kept"], place)).out, new RegExp(told.rooms.main.roomId))
})

test(
  "the limits in its manifest are those it enforces: with rate limits they are listed and a burst meets them, " +
    "otherwise neither",
  async (t) => {
    for (const rateLimits of ["on", "off", undefined] as const) {
      const { told, end } = await demo(...(rateLimits === undefined ? [] : ["--rate-limits", rateLimits]))
      const limits = (await ask(`${told.baseUrl}/api/manifest`)).body.limits as unknown as Record<string, number>
      const { callerWritesAtOnce: atOnce = 0, callerWritesPerMinute: perMinute = 0 } = limits
      t.equal(atOnce > 0, rateLimits === "on", `${rateLimits ?? "untold"}: ${atOnce} at once in the manifest`)
      t.equal(Object.keys(limits).filter((name) => /(?:PerMinute|AtOnce)$/.test(name)).length > 0, rateLimits === "on")
      const path = `${told.baseUrl}/api/agent/threads/${told.rooms.empty.openingThreadId}/messages`
      const begun = performance.now()
      let [taken, limited] = [0, 0]
      // Invalid bodies count as writes too, and cost nothing.
      while (limited === 0 && taken < 1_000) {
        const { status } = await ask(path, { token: told.credentials.member_all.token, body: {} })
        if (status === 429) limited += 1
        else taken += 1
      }
      const minutes = (performance.now() - begun) / 60_000
      t.equal(limited, rateLimits === "on" ? 1 : 0)
      if (rateLimits === "on")
        t.ok(
          taken >= atOnce && taken <= atOnce + Math.ceil(minutes * perMinute) + 1,
          `${taken} accepted of ${atOnce} at once`,
        )
      await end()
    }
  },
)

test("for people it prints where to look", async (t) => {
  const running = start(program, ["demo"], { ...place, env: { TMPDIR: place.folder } })
  await running.printed(
    /^A demo is served at http:\/\/127\.0\.0\.1:\d+\n[^]*Sign in as \w+ with \S+\nWrite with +rrc_\w{36}\n/,
  )
  running.signal("SIGINT")
  t.equal((await running.ended()).code, 0)
})
