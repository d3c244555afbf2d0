/** Requests sent without waiting for answers are answered one after the other, and others have their turn between two of them. */
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { type AddressInfo, connect } from "node:net"
import tap, { test } from "tap"
import { inTurn } from "../../src/http/in-turn.ts"

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

test("the second is begun when the first is answered, and somebody else's is not kept waiting for it", async (t) => {
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
  t.match(received, /\r\n\r\n1[^]*\r\n\r\n2[^]*\r\n\r\n3/, "the answers come in their order")
  line.destroy()
  other.destroy()
})

test("what waits on a connection that ends is not begun", async (t) => {
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
