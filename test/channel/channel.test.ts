/**
 * The channel between two threads: calls arrive in order, refusals stay refusals, and no caller waits on a channel that
 * has ended.
 */
import { MessageChannel } from "node:worker_threads"
import { type Test, test } from "tap"
import { Channel, type Handlers, Moved } from "../../src/channel/channel.ts"
import { Refusal } from "../../src/contract/refusals.ts"

interface Calls {
  add(one: number, other: number): number
  fail(how: "refusal" | "fault"): void
  bytes(length: number): Uint8Array<ArrayBuffer>
  note(text: string): void
}

/** Two ends of a channel, and what the far one received. */
function line(t: Test, more: Partial<Handlers<Calls>> = {}) {
  const { port1, port2 } = new MessageChannel()
  t.teardown(() => port1.close())
  let messages = 0
  port2.on("message", () => (messages += 1))
  const noted: string[] = []
  const near = new Channel<Calls, object>(port1, {})
  const far = new Channel<object, Calls>(port2, {
    add: (one, other) => one + other,
    async fail(how) {
      throw how === "fault"
        ? new Error("It broke.")
        : new Refusal("too_many_requests", "Not so fast.", { retryAfter: 7 })
    },
    bytes(length) {
      const bytes = new Uint8Array(length).fill(7)
      return new Moved(bytes, [bytes.buffer])
    },
    note: (text) => void noted.push(text),
    ...more,
  })
  return { near, far, noted, messages: () => messages }
}

test("a call is answered, a refusal arrives as a refusal, and a fault as an error that names the cause", async (t) => {
  const { near } = line(t)
  t.equal(await near.ask("add", 2, 3), 5)
  t.strictSame(await near.ask("bytes", 3), new Uint8Array([7, 7, 7]))
  await t.rejects(near.ask("fail", "fault"), { message: /It broke\./ })
  const refusal = await near.ask("fail", "refusal").catch((error: unknown) => error)
  t.ok(refusal instanceof Refusal)
  t.match(refusal, { code: "too_many_requests", message: "Not so fast.", details: { retryAfter: 7 } })
})

test("calls sent in one turn travel in one message, in order", async (t) => {
  const { near, noted, messages } = line(t)
  near.tell("note", "first")
  near.tell("note", "second")
  t.equal(await near.ask("add", 1, 1), 2)
  t.strictSame(noted, ["first", "second"])
  t.equal(messages(), 1)
})

test("when a channel ends, waiting and later callers get an error", async (t) => {
  const { near } = line(t, { add: () => new Promise(() => {}) })
  const waits = near.ask("add", 1, 1)
  near.close(new Error("It ended."), new Error("It has ended."))
  await t.rejects(waits, { message: "It ended." })
  await t.rejects(near.ask("add", 1, 1), { message: "It has ended." })
})
