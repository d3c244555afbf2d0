/** A stranger who makes a whole Room with a valid chain still cannot reuse ids or write a host in another spelling. */
import * as v from "valibot"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { entryDigest, firstPreviousDigest } from "../../../src/contract/reads/activity.ts"
import { canonicalJson, digestOf, type JsonObject } from "../../../src/contract/json.ts"
import { operationOf } from "../../../src/contract/operations/index.ts"
import { address } from "../../../src/research/import/writes.ts"
import { elsewhere } from "../../support/elsewhere.ts"
import { forged, json } from "./forged.ts"
import { unpack } from "./unpacked.ts"

type Line = { operation: string; body: JsonObject; actor: { userId: string } }
type Feed = Parameters<typeof entryDigest>[0] & { contentDigest: string; previousDigest: string; digest: string }
const text = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("")

/** Returns the crate with other bodies, and a feed that matches them. */
function rewritten(zip: Uint8Array, change: (lines: Line[]) => void): Uint8Array {
  const { lines } = unpack(zip)
  const history = lines<Line>("history.jsonl").map((line) => ({ ...line, body: { ...line.body } }))
  change(history)
  let previousDigest = firstPreviousDigest
  const feed = lines<Feed>("activity.jsonl").map((entry, index) => {
    const told = { ...entry, contentDigest: digestOf(canonicalJson(history[index]?.body)), previousDigest }
    previousDigest = entryDigest(told)
    return { ...told, digest: previousDigest }
  })
  return forged(zip, { "history.jsonl": () => text(history), "activity.jsonl": () => text(feed) })
}

t.test("a delivery id stands for one write of a person", async (t) => {
  const room = await startResearchRoom()
  const { roomId, openingThreadId: threadId } = room.rooms.empty
  const ada = room.client("owner_all")
  for (const question of ["Is it so?", "And now?"])
    await ada.write("propose_experiment", { roomId, threadId, question, scope: "Here.", hypotheses: [] })
  for (const words of ["One.", "Two.", "Three."]) await ada.write("post_message", { threadId, text: words })
  const zip = Buffer.from(await (await fetch(`${room.baseUrl}/api/research/rooms/${roomId}/export`)).arrayBuffer())
  await room.close()

  /** Gives every write of an operation the delivery id of the first. */
  const repeated = (name: "propose_experiment" | "post_message") =>
    rewritten(zip, (lines) => {
      const { delivery } = operationOf(name)
      const own = lines.filter(({ operation }) => operation === name)
      for (const { body } of own) body[delivery] = own[0]?.body[delivery] ?? null
    })
  const whole = elsewhere(t)
  await whole.import(rewritten(zip, () => {}))
  t.strictSame(whole.problems(), [], "a stranger's valid chain is accepted")

  const refusing = elsewhere(t, t.testdir({ refusing: {} }))
  const before = refusing.entries()
  await t.rejects(refusing.import(repeated("propose_experiment")), {
    message: /requestId was used before, by an earlier propose_experiment of the same person/,
  })
  t.equal(refusing.entries(), before, "nothing is left half done")

  const taking = elsewhere(t, t.testdir({ taking: {} }))
  await taking.import(repeated("post_message"))
  t.strictSame(taking.problems(), [], "two credentials of one person may use one id for a message")
  const senders = taking.db.prepare<{ sender: string }>("SELECT sender FROM writers").all()
  const ids = unpack(zip)
    .lines<{ given: { ids: string[] } }>("history.jsonl")
    .flatMap(({ given }) => given.ids)
  t.strictSame(
    senders.filter(({ sender }) => sender !== roomId && ids.includes(sender)),
    [],
    "and no sender has an id that the stranger chose",
  )
})

t.test("an address has only one accepted spelling", async (t) => {
  for (const same of [
    "http://rooms.example",
    "https://rooms.example/lab",
    "http://127.0.0.1:8080",
    "https://xn--bcher-kva.example",
  ])
    t.ok(v.is(address, same), same)
  for (const other of [
    "https://Rooms.example",
    "https://rooms.example:443",
    "https://rooms.example.",
    "https://bücher.example",
    "https://rooms.example/./lab",
    "https://rooms.example/lab/",
    "https://ada@rooms.example",
    "https://rooms.example?x=1",
    "http://2130706433",
  ])
    t.notOk(v.is(address, other), other)
  const room = await startResearchRoom()
  const zip = Buffer.from(
    await (await fetch(`${room.baseUrl}/api/research/rooms/${room.rooms.empty.roomId}/export`)).arrayBuffer(),
  )
  await room.close()
  const other = forged(zip, { "origin.json": json((origin) => ({ ...origin, baseUrl: "https://Rooms.example" })) })
  await t.rejects(elsewhere(t).import(other), { message: /is not the address of a service/ })
})
