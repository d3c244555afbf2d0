/**
 * The history in a Room's export is enough to recreate the Room on another instance: same ids, labels, entries,
 * digests, and the same export.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import t from "tap"
import { createInstance } from "../../../src/app/compose/instance.ts"
import { canonicalJson, type JsonObject } from "../../../src/contract/json.ts"
import { operationOf } from "../../../src/contract/operations/index.ts"
import { openReadConnection, openScratch } from "../../../src/ledger/storage/opening.ts"
import type { Entry } from "../../../src/ledger/journal/journal.ts"
import type { Given } from "../../../src/ledger/world.ts"
import { realWorld } from "../../../src/ledger/world.ts"
import { filesOn } from "../../../src/app/compose/domains.ts"
import { softwareVersion } from "../../../src/packaged.ts"
import { openLab } from "../../support/lab.ts"
import { elsewhere } from "../../support/elsewhere.ts"
import { bytesOf, unpack } from "./unpacked.ts"

interface Line {
  readonly sequence: number
  readonly operation: string
  readonly at: string
  readonly actor: { readonly userId: string; readonly username: string; readonly agent?: string | null }
  readonly path: Readonly<Record<string, string>>
  readonly body: JsonObject
  readonly client?: JsonObject
  readonly given: Given
}
interface Told {
  readonly digest: string
  readonly target: { readonly kind: string; readonly id: string }
}

const lab = await openLab(t)
const { house: room } = lab
const grace = room.client("member_all")

/**
 * Recreates a Room from the files of its crate in a new data file. @param isUnnamed as if written before entries named
 * agents
 */
function madeAgain(files: ReturnType<typeof unpack>, file: string, isUnnamed = false): void {
  const db = openScratch(file)
  const { ledger, tables } = createInstance({ db, world: realWorld(), instanceId: "" })
  const lines = files.lines<Line>("history.jsonl")
  const feed = files.lines<Told>("activity.jsonl")
  const people = new Map(files.lines<Line["actor"]>("people.jsonl").map(({ userId, username }) => [userId, username]))
  for (const [userId, username] of people) tables.people.insert(userId, username, "", false, new Date(0).toISOString())
  const entryOf = (line: Omit<Line, "sequence">): Entry => ({
    position: 0,
    operation: line.operation,
    userId: line.actor.userId,
    username: line.actor.username,
    agent: isUnnamed ? undefined : (line.actor.agent ?? ""),
    sender: null,
    at: line.at,
    params: line.path,
    content: canonicalJson(line.body),
    client: line.client,
    given: line.given,
  })
  db.exec("BEGIN")
  for (const [index, line] of lines.entries()) {
    const [entryId = ""] = line.given.ids ?? []
    const userId = line.path.userId ?? ""
    // Requests are private to a person and the owner, and not in the history; the decision shows that there was one.
    if (line.operation === "decide_join_request")
      ledger.replaying.entry(
        entryOf({
          ...line,
          operation: "request_to_join",
          actor: { userId, username: people.get(userId) ?? "" },
          body: { requestId: entryId, schemaVersion: 3 },
        }),
      )
    const made = ledger.replaying.entry(entryOf(line))
    if (!isUnnamed) t.equal(made?.activity?.digest, feed[index]?.digest, `entry ${line.sequence}, ${line.operation}`)
  }
  ledger.replaying.settle()
  db.exec("COMMIT")
  db.close()
}

/** People join, write and leave; one of them never wrote anything. */
const visited = await lab.place()
await lab.mary.write("request_to_join", { roomId: visited.roomId, message: "For you alone: I know the data." })
await lab.ada.write("decide_join_request", { roomId: visited.roomId, userId: lab.userIds.mary, decision: "accept" })
await lab.mary.write("remove_member", { roomId: visited.roomId, userId: lab.userIds.mary })
await lab.ada.write("archive_room", { roomId: visited.roomId, reason: "Done." })

for (const [name, { roomId }] of Object.entries({ ...room.rooms, "with comings and goings": visited })) {
  t.test(`The Room "${name}" is recreated unchanged, and so is its export`, async (t) => {
    const first = unpack(await bytesOf(await grace.download("room_export", { roomId })))
    t.notMatch(first.files.get("history.jsonl"), /For you alone/, "a message to the owner stays private")
    const file = join(t.testdir({}), "again.db")
    madeAgain(first, file)
    const { instanceId } = (await (await fetch(`${room.baseUrl}/api/health/ready`)).json()) as { instanceId: string }
    const source = { baseUrl: room.baseUrl, instanceId, softwareVersion }
    const pieces: Uint8Array[] = []
    for await (const piece of filesOn(() => openReadConnection(file))(roomId, source, "crate")) pieces.push(piece)
    const second = unpack(Buffer.concat(pieces))
    t.strictSame([...second.files.keys()], [...first.files.keys()])
    for (const [path, text] of first.files) t.equal(second.files.get(path), text, path)
  })
}

t.test(
  "Entries from before agents had names keep their digests: they are proved, imported elsewhere and continued there",
  async (t) => {
    const file = join(t.testdir({}), "before.db")
    madeAgain(unpack(await bytesOf(await grace.download("room_export", { roomId: visited.roomId }))), file, true)
    const pieces: Uint8Array[] = []
    const source = { baseUrl: room.baseUrl, instanceId: "01a1c4d3-13a9-73f5-8f3d-d5a42c60610b", softwareVersion }
    const made = filesOn(() => openReadConnection(file))(visited.roomId, source, "crate")
    for await (const piece of made) pieces.push(piece)
    const zip = Buffer.concat(pieces)
    const before = unpack(zip)
    for (const name of ["activity.jsonl", "history.jsonl"]) t.notMatch(before.files.get(name), '"agent":', name)
    const folder = t.testdir({})
    before.writeTo(folder)
    const { status, stderr } = spawnSync("python3", [join(folder, "verify.py")], { encoding: "utf8" })
    t.equal(status, 0, stderr)

    const there = elsewhere(t, t.testdir({ there: {} }))
    await there.accounts.add("eve", "the long password of eve")
    await there.import(zip, "eve")
    const eve = there.tables.people.named("eve")
    await there.ledger.admit({
      operation: operationOf("restore_room"),
      actor: { userId: eve?.userId ?? "", username: "eve", grant: null },
      params: { roomId: visited.roomId },
      body: { schemaVersion: 3, requestId: there.world.id(), reason: "It goes on." },
    })
    t.strictSame(there.problems(), [], "old and new entries form one valid chain")
    const after = unpack(await there.export(visited.roomId))
    const [old, now] = [before, after].map((files) => files.files.get("activity.jsonl") ?? "")
    t.ok(now?.startsWith(old ?? "-"), "the old entries are unchanged")
    t.match(now?.slice(old?.length), /"actor":\{"agent":null,/, "new ones say that no agent wrote them")
  },
)
