/** A port belongs to one server; a closing server answers the requests that it has started. */
import { once } from "node:events"
import type { ServerResponse } from "node:http"
import { connect, type Socket } from "node:net"
import { setImmediate as turn } from "node:timers/promises"
import tap, { test } from "tap"
import { ListenError, listen } from "../../src/http/server.ts"

const sockets: Socket[] = []
tap.afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

async function dial(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1" }).on("error", () => undefined)
  sockets.push(socket)
  await once(socket, "connect")
  return socket
}

test("a port that a server listens on is in use", async (t) => {
  const { server, port } = await listen("127.0.0.1", 0)
  await t.rejects(listen("127.0.0.1", port), ListenError)
  await new Promise((resolve) => server.close(resolve))
  const again = await listen("127.0.0.1", port)
  t.equal(again.port, port, "and is free after it closes")
  await new Promise((resolve) => again.server.close(resolve))
})

test("closing waits for started requests", async (t) => {
  const { server, port } = await listen("127.0.0.1", 0)
  const begun = new Map<string, ServerResponse>()
  server.removeAllListeners("request").on("request", ({ url }, response) => void begun.set(url ?? "", response))
  const lines = await Promise.all(Array.from({ length: 24 }, () => dial(port)))
  for (const [at, line] of lines.entries()) line.write(`GET /${at} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
  while (begun.size < lines.length) await turn()
  let isClosed = false
  const closed = new Promise((resolve) => server.close(resolve)).then(() => (isClosed = true))
  const answers = lines.map((line) => once(line, "data"))
  const answer = (at: number) => begun.get(`/${at}`)?.setHeader("connection", "close").end("done")
  for (const at of lines.keys()) if (at > 0) answer(at)
  await Promise.all(answers.slice(1))
  t.notOk(isClosed, "one is still under way")
  answer(0)
  const [text] = (await answers[0]) as [Buffer]
  t.match(text.toString(), /done/)
  await closed
})
