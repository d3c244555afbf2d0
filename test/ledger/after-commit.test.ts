/** Work that follows from writes, when the thread ends in the middle of it. */
import { setTimeout as pause } from "node:timers/promises"
import { test } from "tap"
import { AfterCommit } from "../../src/ledger/write/commit-queue.ts"

/** One more task for each step. A step in a closed database throws. */
function work(steps: number) {
  let [done, isClosed] = [0, false]
  const look = (value: number) => {
    if (isClosed) throw new Error("The database connection is not open")
    return value
  }
  const failures: unknown[] = []
  const afterwards = new AfterCommit(
    { due: () => look(steps), done: () => look(done), step: () => void (done += 1) },
    (step) => {
      step()
      return true
    },
    (error) => failures.push(error),
  )
  return { afterwards, failures, done: () => done, close: () => (isClosed = true) }
}

test(
  "after an end between two steps the rest is done, and nothing touches " + "the closed database afterwards",
  async (t) => {
    const { afterwards, failures, done, close } = work(3)
    const all = afterwards.now()
    t.equal(done(), 1, "one step is done, then other work gets a turn")
    afterwards.end()
    close()
    t.equal(done(), 3)
    await all
    afterwards.soon(0)
    await pause(20)
    t.strictSame(failures, [], "no timer keeps the thread alive")
  },
)
