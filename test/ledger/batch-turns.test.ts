/** While a long batch is checked, and what is like its records is looked for, others get the thread. */
import { setImmediate as turn } from "node:timers/promises"
import tap, { test } from "tap"
import { operationNamed } from "../../src/contract/operations/index.ts"
import { jsonObject } from "../../src/contract/json.ts"
import { present } from "../../src/contract/present.ts"
import { action, hypothesis } from "../support/bodies.ts"
import { openRoom } from "../support/house.ts"

const house = await openRoom()
const { ada, roomId, threadId, instance } = house
tap.teardown(() => house.close())

test("others get the thread many times before a batch of a hundred records is written", async (t) => {
  const writes = Array.from({ length: 100 }, () => ({
    operation: present(operationNamed("publish_hypothesis")),
    params: {},
    body: jsonObject(action(hypothesis({ roomId, threadId }))),
    as: null,
  }))
  let isDone = false
  const sent = instance.ledger.admitBatch({ actor: ada, writes, rehearse: false }).finally(() => (isDone = true))
  let turns = 0
  for (; !isDone; turns += 1) await turn()
  t.equal((await sent).length, 100)
  t.ok(turns >= 5, `${turns} turns`)
})
