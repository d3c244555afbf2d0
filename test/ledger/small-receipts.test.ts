/** `?receipt=small`: what a sender does not know about its write, in 600 bytes; the stored receipt is whole. */
import fc from "fast-check"
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import type { Receipt } from "../../src/contract/answers/receipts.ts"
import { smallReceiptOf } from "../../src/contract/operations/receipts.ts"
import { limits } from "../../src/contract/limits.ts"
import { ask, type Json } from "../support/ask.ts"
import { action, type Body, freshId, hypothesis, message, proposal, thread } from "../support/bodies.ts"

const house = await startResearchRoom()
tap.teardown(() => house.close())
const { roomId, openingThreadId: threadId } = house.rooms.empty
const { token } = house.credentials.member_all
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const send = (path: string, body: unknown, query: string, as = token) =>
  ask(`${house.baseUrl}/api/agent${path}${query}`, { token: as, body })
const kept = (operation: string, id: string, value: unknown) =>
  ask(`${house.baseUrl}/api/agent/receipts?operation=${operation}&${id}=${value}`, { token })

/** Compares each member of a small receipt with the whole one: it is equal, or the start of it. */
function heldAgainst(small: Json, whole: Json): string[] {
  const isStart = (part: unknown, of: unknown): boolean =>
    typeof part === "string" && typeof of === "string"
      ? of.startsWith(part.replace(/…$/, ""))
      : typeof part !== "object" || part === null
        ? part === of
        : Object.entries(part).every(([name, inner]) => isStart(inner, (of as Record<string, unknown>)[name]))
  return Object.keys(small).filter(
    (name) => !["more", "replayed", "rehearsed"].includes(name) && !isStart(small[name], whole[name]),
  )
}

// shows: skill: small
test("each member of a small receipt has the same place as in the whole one, which is stored", async (t) => {
  const question = (words: string) => action({ ...proposal({ roomId, threadId }), question: words })
  const told = "Does quenching the momentum buffer at a restart avoid the spike in the loss?"
  for (const number of [1, 2, 3, 4])
    await send(
      "/research/propose_experiment",
      question(`${told} Seed ${number}.`),
      "",
      house.credentials.owner_all.token,
    )
  const writes: [string, string, Body, string?][] = [
    ["create_thread", "/threads", thread(roomId, { title: "𝔞".repeat(limits.title) })],
    ["post_message", `/threads/${threadId}/messages`, message(), "clientMessageId"],
    ["publish_hypothesis", "/research/publish_hypothesis", action(hypothesis({ roomId, threadId }))],
    ["propose_experiment", "/research/propose_experiment", question(told)],
  ]
  for (const [operation, path, body, id = "requestId"] of writes) {
    const rehearsed = await send(path, body, "?rehearse=1&receipt=small")
    t.match(rehearsed.body, { rehearsed: true, operation })
    const { body: small } = await send(path, body, "?receipt=small")
    t.ok(bytesOf(small) <= limits.smallReceiptBytes, `${operation}: ${bytesOf(small)} bytes`)
    t.same(heldAgainst(small, (await kept(operation, id, body[id])).body), [], `${operation}: as in the whole receipt`)
    t.match(
      (await send(path, body, "?receipt=small")).body,
      { replayed: true, target: small.target },
      `${operation}: also for a retry`,
    )
  }
  const { body: last } = await send("/research/propose_experiment", question(`${told} Again?`), "?receipt=small")
  t.ok((last.similar as unknown as Json[]).length > 0, "similar records are listed")
  t.match(last.more, { similar: Number }, "and how many more there are")
})

test(
  "each receipt of a batch is small, and values taken from an earlier " + "write come from its whole receipt",
  async (t) => {
    const writes = [
      { as: "a", operation: "create_thread", body: thread(roomId) },
      { operation: "post_message", params: { threadId: { $from: "a", path: "/result/threadId" } }, body: message() },
    ]
    const { body } = await send("/research/batch", { writes }, "?receipt=small")
    const receipts = body.receipts as unknown as Json[]
    t.equal(receipts.length, 2)
    t.ok(receipts.every((each) => bytesOf(each) <= limits.smallReceiptBytes && each.acceptedAt === undefined))
  },
)

test("a long list in a receipt of the Library is cut, with a count", async (t) => {
  const arxivIds = Array.from({ length: 50 }, (_, index) => `2401.${String(10_000 + index)}`)
  const body = { schemaVersion: 1, requestId: freshId(), arxivIds }
  const { body: small } = await send("/library/save_papers", body, "?receipt=small", house.keys.all.token)
  const saved = (small.result as Json).saved as unknown as string[]
  t.ok(bytesOf(small) <= limits.smallReceiptBytes)
  t.equal(saved.length + Number((small.more as Json).saved), 50)
})

test("a refusal is whole, and any other receipt form is refused", async (t) => {
  const wrong = await send("/threads", thread(roomId, { title: " " }), "?receipt=small")
  t.match(wrong.body, { refusal: "invalid_schema", issues: [{ path: "/title" }] })
  const odd = await send("/threads", thread(roomId), "?receipt=tiny&reherse=1")
  t.match(odd.body, { refusal: "invalid_parameter", issues: [{ path: "/reherse" }, { path: "/receipt" }] })
  t.match((await send("/threads", thread(roomId), "?receipt=whole")).body, { acceptedAt: String, warnings: [] })
})

test("whatever a receipt says, its small form has at most 600 bytes", (t) => {
  const id = fc.uuid()
  const words = fc.string({ unit: "grapheme", maxLength: 300 })
  const near = fc.record({ label: fc.constant("H1"), status: fc.constant("current"), says: words, cameOfIt: words })
  const receipt = fc.record({
    schemaVersion: fc.constant(3 as const),
    operation: fc.constant("report_material_location"),
    requestId: id,
    acceptedAt: fc.constant("2026-11-20T09:30:00.000Z"),
    roomId: id,
    threadId: id,
    target: fc.record({ kind: fc.constant("material"), id, label: fc.constant("M123") }),
    targetId: id,
    result: fc.record({
      materialId: id,
      label: fc.constant("M123"),
      list: fc.array(words),
      said: fc.constant("unobtainable"),
    }),
    entry: fc.record({ entryId: id, sequence: fc.nat() }),
    activity: fc.record({ sequence: fc.nat(), digest: fc.constant("sha256:") }),
    warnings: fc.array(fc.record({ code: fc.constant("rests_on_retracted"), message: words })),
    similar: fc.array(near),
    sameExecution: fc.array(near),
  })
  fc.assert(
    fc.property(receipt, (whole) => {
      const small = smallReceiptOf(whole as unknown as Receipt)
      const lists = ["warnings", "similar", "sameExecution"] as const
      const counted = lists.every(
        (name) =>
          ((small[name] as unknown[]) ?? []).length + (Number((small.more as Json)?.[name]) || 0) ===
          whole[name].length,
      )
      return counted && bytesOf(small) <= limits.smallReceiptBytes
    }),
  )
  t.end()
})
