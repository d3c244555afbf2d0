/**
 * A mirror of a Room with a hostile origin: endless garbage, empty answers for ever, answers that break the contract,
 * silence.
 */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import t, { type Test } from "tap"
import { startWatched } from "./service.ts"

const roomId = "01a1c4d3-13a9-73f5-8f3d-d5a42c60610b"
const instanceId = "01a1c4d3-13a9-73f5-8f3d-d5a42c60610c"
const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** An origin whose feed answers as a test says, and an instance that follows it. */
async function followed(t: Test, feed: (response: ServerResponse) => void, more: { title?: string } = {}) {
  const state = { asked: 0, isDown: false }
  const server = createServer(({ url = "" }, response) => {
    if (state.isDown) return void response.destroy()
    response.setHeader("content-type", "application/json")
    if (url.startsWith("/api/manifest"))
      response.end(JSON.stringify({ service: "research-room", instanceId, softwareVersion: "0.1.0" }))
    else if (!url.includes("/activity"))
      response.end(JSON.stringify({ roomId, title: "A trap", activityWatermark: 5, ...more }))
    else {
      state.asked += 1
      feed(response)
    }
  }).listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const here = await startWatched()
  t.teardown(async () => {
    await here.close()
    server.closeAllConnections()
    server.close()
  })
  const { instance, baseUrl } = here
  await instance.ledger.transact(() =>
    instance.tables.mirrors.put(
      roomId,
      `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      new Date().toISOString(),
    ),
  )
  return {
    here,
    state,
    async stopped(): Promise<string> {
      for (let look = 0; look < 1_500; look += 1) {
        const [mirror] = instance.tables.mirrors.all()
        if (mirror?.stopped != null) return mirror.stopped
        await wait(20)
      }
      throw new Error("it never stops")
    },
    /** The longest time of some small reads meanwhile, in milliseconds. */
    async beside(many: number): Promise<number> {
      let longest = 0
      for (let read = 0; read < many; read += 1) {
        const begun = performance.now()
        await (await fetch(`${baseUrl}/api/research/rooms`)).arrayBuffer()
        longest = Math.max(longest, performance.now() - begun)
        await wait(20)
      }
      return longest
    },
  }
}
const page = (more: object) => JSON.stringify({ items: [], nextCursor: 0, hasMore: false, ...more })

t.test("endless garbage stops the mirror once it is larger than a page of entries may be", async (t) => {
  const { stopped, state } = await followed(t, (response) => {
    const junk = Buffer.alloc(65_536, "[")
    const more = () => {
      while (!response.destroyed && response.write(junk));
    }
    response.on("drain", more)
    more()
  })
  t.match(await stopped(), /^The feed of Room .* is over \d+ bytes, which is too large\.$/)
  t.equal(state.asked, 1, "it is not requested again")
})

t.test(
  "an answer as long as a page may be but without entries costs the service nothing, and is requested less and less often",
  async (t) => {
    const junk = page({ junk: Array.from({ length: 400_000 }, () => [{}]) })
    t.ok(junk.length > 1_500_000)
    const { state, here, beside } = await followed(t, (response) => void response.end(junk))
    const longest = await beside(150)
    for (let look = 0; look < 600 && state.asked < 2; look += 1) await wait(50)
    t.ok(longest < 1_500, `a small read meanwhile took ${Math.round(longest)} ms at most`)
    t.ok(state.asked >= 2 && state.asked <= 8, `it was requested ${state.asked} times`)
    t.equal(here.instance.tables.mirrors.all()[0]?.stopped, null)
  },
)

t.test("for endless empty answers the pauses grow", async (t) => {
  const { state } = await followed(t, (response) => void response.end(page({})))
  await wait(5_000)
  t.ok(state.asked >= 2 && state.asked <= 8, `it was requested ${state.asked} times`)
})

t.test("answers that break the contract stop the mirror with a sentence", async (t) => {
  for (const [what, answer, sentence] of [
    ["no JSON", "<html>", /is not JSON/],
    ["more of nothing", page({ hasMore: true }), /declares more entries, but returns none/],
    ["too many entries", page({ items: Array.from({ length: 21 }, () => ({})) }), /is not as this program writes it/],
    ["deep", "[".repeat(200_000), /is not JSON|takes too much time or memory/],
    [
      "deep, and JSON",
      `${"[".repeat(200_000)}${"]".repeat(200_000)}`,
      /is not JSON|is not as this program writes it|takes too much time or memory/,
    ],
  ] as const) {
    const { stopped } = await followed(t, (response) => void response.end(answer))
    t.match(await stopped(), sentence, what)
  }
})

t.test("so does other metadata of the Room that is too long", async (t) => {
  const { stopped } = await followed(t, (response) => void response.end(page({})), { title: "x".repeat(300_000) })
  t.match(await stopped(), /^The Room .* is over 262144 bytes/)
})

t.test("one line says that the origin is down, and one that it is back", async (t) => {
  const { state, here } = await followed(t, (response) => void setTimeout(() => response.end(page({})), 200))
  const told = (words: RegExp) => here.lines.filter(({ msg }) => words.test(msg)).length
  await wait(1_000)
  state.isDown = true
  while (told(/does not answer/) === 0) await wait(50)
  await wait(3_000)
  state.isDown = false
  for (let look = 0; look < 600 && told(/answers again/) === 0; look += 1) await wait(50)
  t.equal(told(/does not answer/), 1)
  t.equal(told(/answers again/), 1)
})
