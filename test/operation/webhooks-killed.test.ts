/**
 * Webhooks of the served program: killed again and again while it delivers, it misses no entry, and delivers them in
 * order.
 */
import { Browser } from "research-room/testing"
import tap, { test } from "tap"
import { Receiver, until } from "../rooms/receiver.ts"
import { endAll, executable, newPlace, type Running, start } from "../support/program.ts"

const program = executable()
const place = newPlace()
const receiver = await new Receiver().open()
tap.teardown(async () => {
  endAll()
  await receiver.close()
  place.remove()
})

async function serve(): Promise<{ running: Running; baseUrl: string }> {
  const running = start(program, ["serve", "--port", "0", "--data", "data", "--webhook-networks", "127.0.0.0/8"], place)
  const [, baseUrl = ""] = await running.printed(/ at (http:\S+)\n/)
  return { running, baseUrl }
}

test("killed while it delivers, it misses nothing", async (t) => {
  let { running, baseUrl } = await serve()
  const [, token = ""] = await running.printed(/setup\?token=(\S+)/)
  const password = "a long sentence to remember"
  const ada = Browser.anonymous({ baseUrl })
  t.equal((await ada.request("POST", "/api/setup", { token, username: "ada", password })).status, 200)
  const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "Killed" })).result
  const added = (await (await ada.request("POST", `/api/rooms/${roomId}/webhooks`, { url: receiver.url })).json()) as {
    secret: string
  }
  receiver.secret = added.secret

  for (let round = 0; round < 4; round += 1) {
    const browser = round === 0 ? ada : await Browser.signIn({ baseUrl }, { username: "ada", password })
    for (let count = 0; count < 15; count += 1)
      await browser.write("post_message", { threadId, text: `${round} ${count}` } as never)
    await until("some came", () => receiver.received.length > round * 10)
    running.signal("SIGKILL")
    await running.ended()
    ;({ running, baseUrl } = await serve())
  }
  await until("all came", () => receiver.sequences.at(-1) === 61)
  t.equal(receiver.forged, 0)
  const all = Array.from({ length: 60 }, (_, index) => index + 2)
  t.strictSame([...new Set(receiver.sequences)], all, "first deliveries are in order, and none is missing")
  t.comment(`${receiver.received.length} deliveries of 60 entries over 4 kills`)
  running.signal("SIGTERM")
  t.equal((await running.ended()).code, 0)
})
