/**
 * Requests sent without waiting for answers are answered one after the other, and other connections get a turn between
 * two of them.
 */
import { once } from "node:events"
import { createServer, IncomingMessage, ServerResponse } from "node:http"
import { type AddressInfo, connect, Socket } from "node:net"
import tap, { test } from "tap"
import { inTurn } from "../../src/http/server.ts"

const begun: { url: string; response: ServerResponse }[] = []
let told = Promise.withResolvers<void>()
const server = createServer(
  inTurn((request, response) => {
    begun.push({ url: request.url ?? "", response })
    told.resolve()
  }),
)
server.listen(0, "127.0.0.1")
await once(server, "listening")
const { port } = server.address() as AddressInfo
const dial = () => connect({ port, host: "127.0.0.1" })
tap.teardown(() => {
  server.closeAllConnections()
  server.close()
})

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
const next = async () => {
  if (begun.length === 0) await told.promise
  told = Promise.withResolvers<void>()
  return begun.shift() as (typeof begun)[number]
}

test(
  "the second request starts after the first is answered, " + "and another connection does not wait for it",
  async (t) => {
    const line = dial()
    line.write(get("/first") + get("/second") + get("/third"))
    const first = await next()
    t.equal(first.url, "/first")
    const other = dial()
    other.write(get("/other"))
    const others = await next()
    t.equal(others.url, "/other", "while the second still waits")
    others.response.end()
    first.response.end("1")
    const second = await next()
    t.equal(second.url, "/second")
    t.equal(begun.length, 0, "the third waits")
    second.response.end("2")
    const third = await next()
    third.response.end("3")
    let received = ""
    while (!received.includes("3\r\n") && !received.endsWith("3")) received += String((await once(line, "data"))[0])
    t.match(received, /\r\n\r\n1[^]*\r\n\r\n2[^]*\r\n\r\n3/, "the answers come in order")
    line.destroy()
    other.destroy()
  },
)

test("a request that waits on a closed connection is not started", async (t) => {
  const line = dial()
  line.write(get("/first") + get("/never"))
  const first = await next()
  line.destroy()
  await once(first.response, "close")
  const other = dial()
  other.write(get("/after"))
  const after = await next()
  t.equal(after.url, "/after")
  after.response.end()
  other.destroy()
})

test("requests with immediate answers are not all answered in one turn either", async (t) => {
  const turns: number[] = []
  let now = 0
  let isOver = false
  const count = () => {
    now += 1
    if (!isOver) setImmediate(count)
  }
  const prompt = createServer(
    inTurn((_, response) => {
      turns.push(now)
      response.end("x")
    }),
  )
  prompt.listen(0, "127.0.0.1")
  await once(prompt, "listening")
  const line = connect({ port: (prompt.address() as AddressInfo).port, host: "127.0.0.1" })
  count()
  line.write(get("/").repeat(20))
  while (turns.length < 20) await once(line, "data")
  t.equal(new Set(turns).size, 20, "each in a turn of its own")
  isOver = true
  line.destroy()
  prompt.close()
})

test("a request whose predecessor ends within the same turn still waits for the next turn", async (t) => {
  const answered: number[] = []
  const gate = inTurn((request) => void answered.push(Number(request.url)))
  const socket = new Socket()
  const come = (url: string) => {
    const request = Object.assign(new IncomingMessage(socket), { url })
    const response = new ServerResponse(request)
    gate(request, response)
    return response
  }
  come("1").emit("close")
  const second = come("2")
  t.strictSame(answered, [1])
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(answered, [1, 2])
  second.emit("close")
  come("3")
  t.strictSame(answered, [1, 2], "each time")
  socket.destroy()
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(answered, [1, 2], "and it is not answered once the connection is closed")
})
