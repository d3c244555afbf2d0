/** The rules of delivery ids, checked against a model: any sequence of deliveries is answered as the model says. */
import assert from "node:assert/strict"
import fc from "fast-check"
import tap, { test } from "tap"
import { action, freshId, hypothesis } from "../support/bodies.ts"
import { outcomeOf, openLedger, type Sent } from "../support/lab.ts"

const lab = await openLedger(tap)
const { roomId, threadId } = lab
const second = await lab.admit({
  actor: lab.ada,
  name: "create_thread",
  body: { schemaVersion: 3, requestId: freshId(), roomId, title: "Another" },
})
const senders = {
  "grace's first": await lab.agent("grace"),
  "grace's second": await lab.agent("grace"),
  "grace in the browser": lab.grace,
  "ada's": await lab.agent("ada"),
}
type Sender = keyof typeof senders

interface Delivered {
  readonly sender: Sender
  readonly operation: "post_message" | "publish_hypothesis"
  /** One of a few ids, contents and Threads. */
  readonly id: number
  readonly content: number
  readonly place: number
  readonly client: boolean
  readonly shouted: boolean
}
const delivery: fc.Arbitrary<Delivered> = fc.record({
  sender: fc.constantFrom(...(Object.keys(senders) as Sender[])),
  operation: fc.constantFrom("post_message", "publish_hypothesis"),
  id: fc.nat(2),
  content: fc.nat(1),
  place: fc.nat(1),
  client: fc.boolean(),
  shouted: fc.boolean(),
})

/** Two contents that differ in one word. */
const contents = [
  action(hypothesis({ roomId, threadId })),
  action({ ...hypothesis({ roomId, threadId }), scope: "Elsewhere." }),
]

function sent({ sender, operation, id, content, place, client, shouted }: Delivered, ids: readonly string[]): Sent {
  const deliveryId = shouted ? ids[id]?.toUpperCase() : ids[id]
  const said = client ? { client: { name: `hand ${sender}` } } : {}
  const at = place === 0 ? threadId : second.targetId
  if (operation === "post_message")
    return {
      actor: senders[sender],
      name: operation,
      params: { threadId: at },
      body: { schemaVersion: 3, clientMessageId: deliveryId, text: `Content ${content}.`, ...said },
    }
  return {
    actor: senders[sender],
    name: operation,
    body: { ...contents[content], requestId: deliveryId, threadId: shouted ? at.toUpperCase() : at, ...said },
  }
}

/** Rules 3 and 4: a record's receipt belongs to the member, a message's to the credential. */
const keyOf = ({ sender, operation, id }: Delivered) => {
  const person = senders[sender].username
  return [operation, id, person, operation === "post_message" ? sender : ""].join("/")
}

// shows: The same id and content return the original receipt, and nothing is done twice.
test("new, replayed or in conflict: as the rules say, alone and together in one transaction", async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(delivery, { minLength: 1, maxLength: 14 }),
      fc.boolean(),
      async (deliveries, together) => {
        const ids = [freshId(), freshId(), freshId()]
        const stored = new Map<string, string>()
        const expected = deliveries.map((each) => {
          const content = `${each.content} in ${each.place}`
          const known = stored.get(keyOf(each))
          if (known === undefined) stored.set(keyOf(each), content)
          return known === undefined ? "accepted" : known === content ? "replayed" : "request_conflict"
        })
        const admit = (each: Delivered) => outcomeOf(lab.admit(sent(each, ids)))
        const outcomes = together ? await Promise.all(deliveries.map(admit)) : []
        if (!together) for (const each of deliveries) outcomes.push(await admit(each))
        assert.deepEqual(outcomes, expected)
      },
    ),
    { numRuns: 150 },
  )
  t.pass("150 sequences")
})

// shows: Receipts of research, attempts, materials, links and publications belong to the member and replay after
//   rotation.
test("a replay is marked if, and only if, another credential of the member sends it", async (t) => {
  const marks: Record<string, unknown> = {}
  const ids = [freshId()]
  const each = { operation: "publish_hypothesis" as const, id: 0, content: 0, place: 0, client: false, shouted: false }
  for (const sender of ["grace's first", "grace's first", "grace's second", "grace in the browser"] as const) {
    const { replayed = false, credentialChanged = false } = await lab.admit(sent({ ...each, sender }, ids))
    marks[sender] = { replayed, credentialChanged }
  }
  t.strictSame(marks, {
    "grace's first": { replayed: true, credentialChanged: false },
    "grace's second": { replayed: true, credentialChanged: true },
    "grace in the browser": { replayed: true, credentialChanged: true },
  })
})
