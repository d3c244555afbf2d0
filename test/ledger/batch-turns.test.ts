/** While a long batch is checked, and what is like its records is looked for, others get the thread. */
import { setImmediate as turn } from "node:timers/promises"
import tap, { test } from "tap"
import { operationNamed } from "../../src/contract/operations/index.ts"
import { jsonObject } from "../../src/contract/json.ts"
import { present } from "../../src/contract/typed.ts"
import { action, hypothesis } from "../support/bodies.ts"
import { openLedger } from "../support/lab.ts"

const lab = await openLedger(tap)
const { ada, roomId, threadId, instance } = lab

test("others get the thread again and again before a batch of a hundred records is written", async (t) => {
  // Long texts, so that a fast machine needs several turns too.
  const wordingOf = (at: number) =>
    Array.from({ length: 440 }, (_, word) => `ramp${(at * 7 + word * 13) % 900}`).join(" ")
  const writes = Array.from({ length: 100 }, (_, at) => ({
    operation: present(operationNamed("publish_hypothesis")),
    params: {},
    body: jsonObject(action(hypothesis({ roomId, threadId }, {}, wordingOf(at)))),
    as: null,
  }))
  let isDone = false
  const sent = instance.ledger.admitBatch({ actor: ada, writes, rehearse: false }).finally(() => (isDone = true))
  let turns = 0
  for (; !isDone; turns += 1) await turn()
  t.equal((await sent).length, 100)
  // A batch that keeps the thread gives it back twice: once it is checked, and for its group.
  t.ok(turns > 2, `${turns} turns`)
})
