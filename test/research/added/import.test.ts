/** A Room's export read into another instance: the same Room, to read and to cite, and the same export again. */
import { ResearchRoomClient } from "research-room/client"
import t, { type Test } from "tap"
import { CrateFault } from "../../../src/research/import/crate-file.ts"
import { ask } from "../../support/ask.ts"
import { message } from "../../support/bodies.ts"
import { openLab } from "../../support/lab.ts"
import { elsewhere } from "../../support/elsewhere.ts"
import { startOwn } from "../../support/service.ts"
import { forged, json } from "./forged.ts"
import { bytesOf, unpack } from "./unpacked.ts"

const lab = await openLab(t)
const { house: there } = lab
const reader = there.client("member_all")
const exported = async (roomId: string) => Buffer.from(await bytesOf(await reader.download("room_export", { roomId })))
const { main, empty, archived } = there.rooms

async function refused(t: Test, here: ReturnType<typeof elsewhere>, zip: Uint8Array, because: RegExp): Promise<void> {
  const before = here.entries()
  await t.rejects(here.import(zip), { constructor: CrateFault, message: because } as never, String(because))
  t.equal(here.entries(), before, "nothing is left behind")
}

const visited = await lab.place()
await lab.mary.write("request_to_join", { roomId: visited.roomId, message: "For you alone: I know the data." })
await lab.ada.write("decide_join_request", { roomId: visited.roomId, userId: lab.userIds.mary, decision: "accept" })
await lab.mary.write("remove_member", { roomId: visited.roomId, userId: lab.userIds.mary })

for (const [name, { roomId }] of Object.entries({ ...there.rooms, "with comings and goings": visited })) {
  t.test(`The Room "${name}" is the same elsewhere, and its export byte for byte`, async (t) => {
    const here = elsewhere(t)
    const first = await exported(roomId)
    const report = await here.import(first)
    t.equal(report.roomId, roomId)
    const second = await here.export(roomId)
    const [one, other] = [unpack(first), unpack(second)]
    t.strictSame(
      [...other.files].filter(([path, text]) => one.files.get(path) !== text).map(([path]) => path),
      [],
    )
    t.ok(first.equals(second), "byte for byte")
    t.strictSame(here.problems(), [])
    const entries = here.entries()
    t.equal((await here.import(first)).added, 0, "a second import adds nothing")
    t.equal(here.entries(), entries)
  })
}

t.test("A newer export updates it; an older one adds nothing", async (t) => {
  const here = elsewhere(t)
  const older = await exported(empty.roomId)
  const { origin } = await here.import(older)
  await reader.write("create_thread", { roomId: empty.roomId, title: "What came later", message: "More of it." })
  const newer = await exported(empty.roomId)
  const report = await here.import(newer)
  t.equal(report.added, 1)
  t.equal(report.origin.throughSequence, origin.throughSequence + 1)
  t.equal((await here.import(older)).added, 0)
  t.ok(newer.equals(await here.export(empty.roomId)))
  t.strictSame(here.problems(), [])
})

t.test(
  "Users and Rooms of the same names on two instances are told apart, and writes to another instance's Rooms are " +
    "refused",
  async (t) => {
    const folder = t.testdir()
    const { instance: lived, baseUrl, setUpLink, close } = await startOwn({ folder, keeps: true })
    const set = await ask(`${baseUrl}/api/setup`, {
      body: {
        token: new URL(setUpLink ?? "").searchParams.get("token"),
        username: "ada",
        password: "a password of this ada",
      },
      headers: { origin: baseUrl },
    })
    const cookie = set.headers.getSetCookie()[0]?.split(";")[0] ?? ""
    const own = await ask(`${baseUrl}/api/rooms`, {
      body: {
        schemaVersion: 3,
        requestId: main.roomId,
        title: lived.tables.rooms.summary(main.roomId)?.title ?? "The same title",
      },
      headers: { origin: baseUrl, cookie },
    })
    t.equal(own.status, 200)
    const ownRoom = own.body.roomId as unknown as string
    // The same reference, registered by two instances that never met.
    const reference = unpack(await exported(main.roomId)).lines<{ reference: string }>("materials.jsonl")[0]?.reference
    const known = await ask(`${baseUrl}/api/research-actions/register_material`, {
      body: { schemaVersion: 3, requestId: empty.roomId, roomId: ownRoom, reference, name: "Ours" },
      headers: { origin: baseUrl, cookie },
    })
    t.equal(known.status, 200, known.text)
    await close()

    const here = elsewhere(t, folder)
    await here.import(await exported(main.roomId))
    t.strictSame(here.problems(), [])
    const people = here.tables.people.all().map(({ username }) => username)
    t.strictSame(people, ["ada"], "people of the other instance have no account here")
    here.db.close()

    const service = await startOwn({ folder, keeps: true })
    t.teardown(() => service.close())
    const client = new ResearchRoomClient({ baseUrl: service.baseUrl })
    const room = await client.read("room", { roomId: main.roomId })
    t.match(room.origin, { baseUrl: there.baseUrl, throughSequence: room.activityWatermark })
    t.equal(room.owner.username, `ada@${new URL(there.baseUrl).host}`)
    t.equal((await client.read("room", { roomId: ownRoom })).origin, null)
    const materials = await client.read("room_materials", { roomId: main.roomId })
    t.equal(
      materials.items[0]?.materialOriginRoom,
      main.roomId,
      "it is known by the label that its own instance gave it",
    )
    const found = await client.read("search", { query: "pass@64", roomId: main.roomId })
    t.ok(found.items.length > 0, "it is found")
    const hypothesis = (await client.read("hypotheses", { roomId: main.roomId })).items[0]

    const session = await ask(`${service.baseUrl}/api/session`, {
      body: { username: "ada", password: "a password of this ada" },
      headers: { origin: service.baseUrl },
    })
    t.equal(session.status, 200)
    const headers = { origin: service.baseUrl, cookie: session.headers.getSetCookie()[0]?.split(";")[0] ?? "" }
    const write = (path: string, body: object, method = "POST") =>
      ask(`${service.baseUrl}${path}`, { method, headers, body })
    const refusals = [
      await write(`/api/threads/${main.openingThreadId}/messages`, message()),
      await write(`/api/rooms/${main.roomId}/join-requests`, { schemaVersion: 3, requestId: ownRoom }),
      await write("/api/research-actions/propose_experiment", {
        schemaVersion: 3,
        requestId: ownRoom,
        roomId: main.roomId,
        threadId: main.openingThreadId,
        question: "More?",
        scope: "All.",
        hypotheses: [],
      }),
    ]
    t.strictSame(
      refusals.map(({ status, body }) => [status, body.refusal]),
      [
        [403, "room_mirrored"],
        [403, "room_mirrored"],
        [404, "room_mirrored"],
      ],
    )
    t.match(refusals[0]?.body.current, { room: { id: main.roomId, origin: { baseUrl: there.baseUrl } } })
    const ownThread = (await client.read("room", { roomId: ownRoom })).openingThreadId
    const reused = await write(`/api/threads/${ownThread}/records`, {
      schemaVersion: 3,
      requestId: ownRoom,
      versionId: hypothesis?.versionId,
    })
    t.equal(reused.status, 200, "it can be cited")
    t.match(reused.body.target, { label: hypothesis?.label, labelFromOtherRoom: true, originRoomId: main.roomId })
    for (const path of ["", "/experiments", "/people"]) {
      const page = await (await fetch(`${service.baseUrl}/rooms/${main.roomId}${path}`)).text()
      t.match(page, there.baseUrl.replace(/^http:\/\//, ""), `the page ${path} names the origin`)
    }
    const experiment = (await client.read("experiments", { roomId: main.roomId })).items.find(
      ({ status }) => status === "open",
    )
    const shown = experiment && (await client.read("experiment", { experimentId: experiment.experimentId }))
    t.strictSame(shown?.affordances.operations, [], "no action is offered that would be refused")
  },
)

t.test("A tampered crate is refused, even with recomputed digests, and nothing is left behind", async (t) => {
  const here = elsewhere(t)
  const zip = await exported(archived.roomId)
  const { files } = unpack(zip)
  const lines = (path: string) => (files.get(path) ?? "").trimEnd().split("\n")
  for (const path of ["history.jsonl", "activity.jsonl", "people.jsonl"]) {
    for (const [index, line] of lines(path).entries()) {
      const others = [
        line.replace(/"username":"[a-z]/, '"username":"x'),
        "[]",
        line.replace(/"userId":"0/, '"userId":"1'),
      ]
      for (const other of others)
        if (other !== line)
          await refused(t, here, forged(zip, { [path]: () => `${lines(path).with(index, other).join("\n")}\n` }), /./)
    }
    if (path !== "people.jsonl")
      await refused(
        t,
        here,
        forged(zip, { [path]: () => `${lines(path).slice(0, -1).join("\n")}\n` }),
        /^The history (?:ends|continues)/,
      )
  }
  await refused(t, here, forged(zip, { "people.jsonl": () => "" }), /^Entry 1 .* who is not described/)
  await refused(t, here, forged(zip, { "history.jsonl": (text) => text.slice(0, -20) }), /is cut off at line/)
  await refused(t, here, zip.subarray(0, -100), /not a complete zip file/)
  // Well formed, but shorter than declared.
  const shorter = (text: string) => `${text.trimEnd().split("\n").slice(0, -1).join("\n")}\n`
  await refused(
    t,
    here,
    forged(zip, { "history.jsonl": shorter, "activity.jsonl": shorter }),
    /declares \d+ entries, but holds \d+/,
  )
  const origin = (change: object) => forged(zip, { "origin.json": json((said) => ({ ...said, ...change })) })
  await refused(t, here, origin({ form: 2 }), /newer version/)
  await refused(t, here, origin({ roomId: main.roomId }), /^A replay of entry 1 .*gives another result/)
  await refused(t, here, origin({ baseUrl: "javascript:alert(1)" }), /origin\.json .*baseUrl/)
  await refused(t, here, origin({ baseUrl: "http://x/?a" }), /origin\.json .*baseUrl/)
  await refused(t, here, origin({ instanceId: here.instanceId }), /declared to be from this instance/)
  const without = new Map(files)
  without.delete("history.jsonl")
  t.equal(here.tables.rooms.summary(archived.roomId), undefined)
  t.strictSame(here.problems(), [])
})

t.test(
  "A Room that is already here with a different history, and a Room of this instance's own, are refused",
  async (t) => {
    const folder = t.testdir()
    const here = elsewhere(t, folder)
    const zip = await exported(archived.roomId)
    await here.import(zip)
    // The same Room with a different history: its last entry is replaced, with matching digests.
    const { lines } = unpack(zip)
    const feed = lines<{ digest: string; at: string; previousDigest: string }>("activity.jsonl")
    t.ok(feed.length > 1)
    const later = (text: string) => text.replaceAll(feed.at(-1)?.at ?? "", "2026-01-01T00:00:00.000Z")
    const { entryDigest } = await import("../../../src/contract/reads/activity.ts")
    const rewritten = (text: string) =>
      later(text)
        .trimEnd()
        .split("\n")
        .map((line, index, all) => {
          if (index < all.length - 1) return line
          const entry = JSON.parse(line) as Parameters<typeof entryDigest>[0]
          return JSON.stringify({ ...entry, digest: entryDigest(entry) })
        })
        .join("\n")
        .concat("\n")
    const parted = forged(zip, { "activity.jsonl": rewritten, "history.jsonl": later })
    await refused(t, here, parted, new RegExp(`^Entry ${feed.length} of .* different one here.* another history`))
    t.strictSame(here.problems(), [])
  },
)
