/** A Room's history in its export is enough to make the Room again elsewhere: same ids, labels, entries, digests, and the same export. */
import { join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { createInstance } from "../../../src/app/instance.ts"
import { canonicalJson, type JsonObject } from "../../../src/contract/json.ts"
import { openAside, openScratch } from "../../../src/ledger/database.ts"
import type { Entry, Given } from "../../../src/ledger/journal.ts"
import { realWorld } from "../../../src/ledger/world.ts"
import { crate } from "../../../src/research/export/crate.ts"
import { softwareVersion } from "../../../src/version.ts"
import { castOf } from "../../support/cast.ts"
import { bytesOf, unpack } from "./unpacked.ts"

interface Line {
  readonly sequence: number
  readonly operation: string
  readonly at: string
  readonly actor: { readonly userId: string; readonly username: string }
  readonly path: Readonly<Record<string, string>>
  readonly body: JsonObject
  readonly client?: JsonObject
  readonly given: Given
}
interface Told {
  readonly digest: string
  readonly target: { readonly kind: string; readonly id: string }
}

const room = await startResearchRoom()
t.teardown(() => room.close())
const grace = room.client("member_all")

/** Makes a Room again from the files of its crate, in a file of its own. */
function madeAgain(files: ReturnType<typeof unpack>, file: string): void {
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
    // Requests are between a person and the owner, and not in the history; that there was one is told by the decision.
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
    t.equal(made?.activity?.digest, feed[index]?.digest, `entry ${line.sequence}, ${line.operation}`)
  }
  ledger.replaying.settle()
  db.exec("COMMIT")
  db.close()
}

/** People come in both ways, write, and go; one of them never wrote anything. */
const cast = await castOf(room)
const visited = await cast.room()
await cast.mary.write("request_to_join", { roomId: visited.roomId, message: "For you alone: I know the data." })
await cast.ada.write("decide_join_request", { roomId: visited.roomId, userId: cast.ids.mary, decision: "accept" })
await cast.mary.write("remove_member", { roomId: visited.roomId, userId: cast.ids.mary })
await cast.ada.write("archive_room", { roomId: visited.roomId, reason: "Done." })

for (const [name, { roomId }] of Object.entries({ ...room.rooms, "with comings and goings": visited })) {
  t.test(`The Room "${name}" comes out as it was, and its export too`, async (t) => {
    const first = unpack(await bytesOf(await grace.download("room_export", { roomId })))
    t.notMatch(first.files.get("history.jsonl"), /For you alone/, "what was said to the owner stays with the owner")
    const file = join(t.testdir({}), "again.db")
    madeAgain(first, file)
    const { instanceId } = (await (await fetch(`${room.baseUrl}/api/health/ready`)).json()) as { instanceId: string }
    const source = { baseUrl: room.baseUrl, instanceId, softwareVersion }
    const pieces: Uint8Array[] = []
    for await (const piece of crate(() => openAside(file), roomId, source)) pieces.push(piece)
    const second = unpack(Buffer.concat(pieces))
    t.strictSame([...second.files.keys()], [...first.files.keys()])
    for (const [path, text] of first.files) t.equal(second.files.get(path), text, path)
  })
}
