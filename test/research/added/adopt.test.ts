/**
 * A Room adopted from another instance: it continues here as this instance's own Room, and can be passed on to others.
 */
import { pattern } from "../../support/pattern.ts"
import { execFileSync } from "node:child_process"
import { ResearchRoomClient } from "research-room/client"
import t, { type Test } from "tap"
import { CrateFault } from "../../../src/research/import/crate-file.ts"
import { action, hypothesis, message } from "../../support/bodies.ts"
import { openLab } from "../../support/lab.ts"
import { type Elsewhere, elsewhere } from "../../support/elsewhere.ts"
import { passwordOf, startOwn } from "../../support/service.ts"
import { forged, json } from "./forged.ts"
import { bytesOf, unpack } from "./unpacked.ts"

const lab = await openLab(t)
const { house: there } = lab
const { main, archived } = there.rooms
const host = new URL(there.baseUrl).host
const exported = async (roomId: string) =>
  Buffer.from(await bytesOf(await there.client("member_all").download("room_export", { roomId })))

/** An instance with its own user named ada, a different person from the ada of the first instance. */
async function withAda(t: Test, folder = t.testdir()) {
  const here = elsewhere(t, folder)
  await here.accounts.add("ada", passwordOf("ada"))
  return here
}
const feedOf = ({ ledger }: Elsewhere, roomId: string) =>
  ledger.activity.after(roomId, 0, undefined, 1_000).map(({ body }) => body)
const refused = async (t: Test, here: Elsewhere, zip: Uint8Array, because: RegExp, owner?: string) => {
  const before = here.entries()
  await t.rejects(here.import(zip, owner), { constructor: CrateFault, message: because } as never, String(because))
  t.equal(here.entries(), before, "nothing is left behind")
}

t.test("Its new owner admits people, agents write, and people who wrote in it elsewhere are told apart", async (t) => {
  const folder = t.testdir()
  const closed = await withAda(t, folder)
  const { origin } = await closed.import(await exported(main.roomId), "ada")
  t.match(origin, { baseUrl: there.baseUrl })
  t.strictSame(closed.problems(), [])
  const theirs = origin.throughSequence
  closed.db.close()

  const here = await startOwn({ folder, keeps: true })
  t.teardown(() => here.close())
  const reader = new ResearchRoomClient({ baseUrl: here.baseUrl })
  const eve = await here.person("eve")
  const ada = here.stranger()
  await ada.request("POST", "/api/session", { username: "ada", password: passwordOf("ada") })
  const { roomId } = main

  const room = await reader.read("room", { roomId })
  t.match(room, { origin: null, owner: { username: "ada" }, activityWatermark: theirs + 1 })
  t.match(room.adopted, [{ instanceId: origin.instanceId, baseUrl: there.baseUrl, throughSequence: theirs }])
  t.strictSame(
    room.members.map(({ username, role }) => `${username} ${role}`),
    ["ada owner", `ada@${host} member`, `grace@${host} member`],
  )
  const [entry] = (await reader.read("room_activity", { roomId, after: theirs, include: ["summary"] })).items
  t.match(entry, {
    kind: "room_adopted",
    operation: "adopt_room",
    actor: room.owner,
    target: { kind: "room", id: roomId },
  })
  t.equal(entry?.summary, `ada adopted the Room from ${there.baseUrl}.`)
  t.equal(
    (await reader.read("room_activity", { roomId, kinds: ["room_adopted"] })).items.length,
    1,
    "the feed can be narrowed to it",
  )
  for await (const _ of reader.items("room_activity", { roomId })); // The client verifies the chain.

  await ada.write("amend_room", { roomId, title: "Ours now" })
  await ada.write("add_member", { roomId, username: "eve" })
  const away = await ada.request("POST", `/api/rooms/${roomId}/members`, {
    schemaVersion: 3,
    requestId: roomId,
    username: "grace",
  })
  t.equal(away.status, 404, "people of the other instance get no access by the same name")
  const { result } = await eve.write("issue_credential", {
    roomId,
    label: "an agent",
    permissions: ["post_thread", "publish_records", "manage_own_experiments"],
  })
  const { token } = result as unknown as { token: string }
  const agent = new ResearchRoomClient({ baseUrl: here.baseUrl, token })
  const [resting] = (await reader.read("hypotheses", { roomId })).items
  const published = await agent.write(
    "publish_hypothesis",
    action({
      ...hypothesis({ roomId, threadId: room.openingThreadId }),
      references: [
        { versionId: resting?.versionId ?? "", purpose: "refines", explanation: "It says so of a smaller model." },
      ],
    }),
  )
  const taken = (await reader.read("experiments", { roomId, status: "open" })).items[0]
  t.ok(taken)
  if (taken !== undefined)
    await agent.write("take_experiment", {
      experimentId: taken.experimentId,
      expectedRevision: taken.revision,
      expectedStatus: taken.status,
    })
  await ada.write("post_message", { threadId: room.openingThreadId, text: message().text } as never)
  t.match((await reader.read("record", { versionId: published.result.versionId })).references, [
    { label: resting?.label },
  ])

  const authors = new Set<string>()
  for await (const { author } of reader.items("thread_timeline", { threadId: room.openingThreadId }))
    authors.add(author.username)
  for (const name of [`ada@${host}`, `grace@${host}`, "ada", "eve"])
    t.ok(authors.has(name), `${name} is in the timeline`)
  for (const path of [
    `/rooms/${roomId}`,
    `/rooms/${roomId}/activity`,
    `/rooms/${roomId}/people`,
    `/threads/${room.openingThreadId}`,
  ]) {
    const page = await (await fetch(`${here.baseUrl}${path}`)).text()
    if (!path.endsWith("/activity"))
      t.ok(new RegExp(`Adopted from <a [^>]*>${host}</a> on <time`).test(page), `${path} names the earlier origin`)
    t.ok(new RegExp(`>ada@${host}<`).test(page), `${path} says which instance's ada it was`)
  }
  const stranger = here.stranger()
  const inVain = await stranger.request("POST", "/api/session", {
    username: `ada@${host}`,
    password: passwordOf("ada"),
  })
  t.ok(inVain.status >= 400, "people of the other instance cannot sign in")

  await ada.write("archive_room", { roomId, reason: "For a while." })
  await ada.write("restore_room", { roomId, reason: "On with it." })
  t.equal((await reader.read("room", { roomId })).state, "active")
})

t.test("Later writes at its origin do not arrive here, and its origin's exports are refused", async (t) => {
  const { roomId, threadId } = await lab.place("Adopted elsewhere")
  const here = await withAda(t)
  const first = await exported(roomId)
  await here.import(first, "ada")
  const own = await here.export(roomId)
  const sentence = new RegExp(
    `^The Room ${roomId} is this instance's own\\. It was adopted from ${there.baseUrl}: ` +
      "after entry 2 .*no longer arrives",
  )
  await refused(t, here, first, sentence)
  await lab.ada.write("post_message", { threadId, text: "Later." } as never)
  const later = await exported(roomId)
  await refused(t, here, later, sentence)
  await refused(t, here, later, sentence, "ada")
  t.ok(own.equals(await here.export(roomId)), "the Room is unchanged")

  // An instance that followed one branch of the history refuses the other.
  const both = elsewhere(t, t.testdir())
  await both.import(later)
  await refused(t, both, own, /^Entry 3 .*another history/)
  const other = elsewhere(t, `${t.testdir({ other: {} })}/other`)
  await other.import(own)
  await refused(t, other, later, /^Entry 3 .*another history/)
  t.equal((await other.import(first)).added, 0, "entries that both have add nothing")
  t.match(other.tables.imported.origin(roomId), { instanceId: here.instanceId }, "and its origin stays the same")
})

t.test("Its origin still treats the Room as its own and refuses the adopter's export", async (t) => {
  const folder = t.testdir({ origin: {}, other: {} })
  const origin = await withAda(t, `${folder}/origin`)
  const ada = origin.tables.people.named("ada") ?? t.fail("there is an ada")
  if (ada === true || ada === false) return
  const { operationOf } = await import("../../../src/contract/operations/index.ts")
  const receipt = await origin.ledger.admit({
    operation: operationOf("create_room"),
    actor: { ...ada, grant: null },
    params: {},
    body: { schemaVersion: 3, requestId: origin.world.id(), title: "Made here" },
  })
  const { roomId } = JSON.parse(receipt) as { roomId: string }
  const other = await withAda(t, `${folder}/other`)
  await other.import(await origin.export(roomId), "ada")
  await refused(
    t,
    origin,
    await other.export(roomId),
    pattern(
      /is this instance's own\. Another instance adopted it through entry 1; what was written there since /,
      /is not imported here/,
    ),
  )
  t.strictSame(origin.problems(), [])
})

t.test("The adopted Room can be exported to others, proved there and adopted again", async (t) => {
  const folder = t.testdir({ second: {}, third: {}, fourth: {}, crate: {} })
  const second = await withAda(t, `${folder}/second`)
  await second.import(await exported(main.roomId), "ada")
  const crate = await second.export(main.roomId)
  const unpacked = unpack(crate)
  t.strictSame(unpacked.faults(), [])
  unpacked.writeTo(`${folder}/crate`)
  const verified = execFileSync("python3", [`${folder}/crate/verify.py`]).toString()
  t.match(verified, /^207 entries chained, 207 writes, /)

  const third = await withAda(t, `${folder}/third`)
  await third.import(crate)
  t.strictSame(third.problems(), [])
  t.strictSame(feedOf(third, main.roomId), feedOf(second, main.roomId))
  t.ok(crate.equals(await third.export(main.roomId)), "the second export is the first, byte for byte")
  const shown = third.tables.rooms.summary(main.roomId)
  t.match(shown, { origin: { instanceId: second.instanceId }, owner: { username: "ada@here.example" } })
  t.strictSame(shown?.adopted, second.tables.rooms.summary(main.roomId)?.adopted)
  t.strictSame(
    third.tables.members.of(main.roomId).map(({ username }) => username),
    ["ada@here.example", `ada@${host}~told-by-here.example`, `grace@${host}~told-by-here.example`],
  )
  t.equal((await third.import(crate)).added, 0)

  await third.import(crate, "ada")
  t.strictSame(third.problems(), [])
  const fourth = elsewhere(t, `${folder}/fourth`)
  await fourth.import(await third.export(main.roomId))
  t.strictSame(fourth.problems(), [])
  t.strictSame(
    fourth.tables.rooms
      .summary(main.roomId)
      ?.adopted.map(({ instanceId, throughSequence }) => [instanceId, throughSequence]),
    [
      [shown?.adopted[0]?.instanceId, 206],
      [second.instanceId, 207],
    ],
  )
})

t.test("The declared earlier origins of a Room are proved", async (t) => {
  const folder = t.testdir({ second: {}, third: {} })
  const second = await withAda(t, `${folder}/second`)
  await second.import(await exported(archived.roomId), "ada")
  const crate = await second.export(archived.roomId)
  const third = elsewhere(t, `${folder}/third`)
  const told = (change: (home: Record<string, unknown>) => object[]) =>
    forged(crate, {
      "origin.json": json(({ adopted, ...rest }) => ({
        ...rest,
        adopted: change((adopted as Record<string, unknown>[])[0] ?? {}),
      })),
    })
  const isNot = /^Entry \d+ .*does not match the declared origin of the Room before its adoption/
  await refused(
    t,
    third,
    told(() => []),
    isNot,
  )
  await refused(
    t,
    third,
    told((home) => [{ ...home, instanceId: main.roomId }]),
    isNot,
  )
  await refused(
    t,
    third,
    told((home) => [{ ...home, baseUrl: "http://other.example" }]),
    isNot,
  )
  await refused(
    t,
    third,
    told((home) => [{ ...home, throughSequence: 1 }]),
    isNot,
  )
  await refused(
    t,
    third,
    told((home) => [{ ...home, instanceId: third.instanceId }]),
    /declared to be from this instance/,
  )
  await refused(
    t,
    third,
    told((home) => [{ ...home, baseUrl: "javascript:alert(1)" }]),
    /origin\.json .*baseUrl/,
  )
  await refused(
    t,
    third,
    told((home) => Array.from({ length: 101 }, () => home)),
    /origin\.json .*adopted/,
  )
  t.strictSame(third.problems(), [])
})

t.test(
  "A reference already known where the Room began stays known to it, here and wherever it is imported",
  async (t) => {
    const [one, other] = [await lab.place("Where it was registered"), await lab.place("Where it is known")]
    const material = { reference: `sha256:${"5".repeat(64)}`, name: "Weights" }
    const known = await lab.ada.write("register_material", { ...one, ...material })
    await lab.ada.write("register_material", { ...other, ...material })
    const folder = t.testdir({ second: {}, third: {} })
    const second = await withAda(t, `${folder}/second`)
    await second.import(await exported(other.roomId), "ada")
    const { operationOf } = await import("../../../src/contract/operations/index.ts")
    const ada = second.tables.people.named("ada")
    const again = await second.ledger.admit({
      operation: operationOf("register_material"),
      actor: { userId: ada?.userId ?? "", username: "ada", grant: null },
      params: {},
      body: {
        schemaVersion: 3,
        requestId: second.world.id(),
        roomId: other.roomId,
        threadId: other.threadId,
        ...material,
      },
    })
    t.match(JSON.parse(again), { result: { existing: true, materialId: known.result.materialId } })
    const third = elsewhere(t, `${folder}/third`)
    t.equal((await third.import(await second.export(other.roomId))).cited, 1)
    t.strictSame([...second.problems(), ...third.problems()], [])
  },
)
