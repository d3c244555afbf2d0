/** Commands that ask a service use the proxy of the environment, and reach this machine without it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import t from "tap"

const root = join(import.meta.dirname, "../..")
const listen = async (answer: (url: string) => number) => {
  const asked: string[] = []
  const server = createServer(({ url = "" }, response) => {
    asked.push(url)
    response.writeHead(answer(url), { "content-type": "application/json" }).end("{}")
  })
  // A tunnel, which Node asks for.
  server.on("connect", ({ url = "" }, socket) => {
    asked.push(url)
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n")
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  t.teardown(() => server.close())
  return { asked, at: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function inbox(url: string, env: Readonly<Record<string, string>>): Promise<string> {
  const words = ["--conditions=research-room-source", "src/main.ts", "inbox", "--url", url]
  const clean = { PATH: process.env.PATH ?? "", HOME: root, RESEARCH_ROOM_TOKEN: `rrc_${"0".repeat(36)}` }
  const child = spawn(process.execPath, words, { cwd: root, env: { ...clean, ...env } })
  let text = ""
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (piece) => (text += piece))
  await once(child, "close")
  return text
}

t.test("a remote service is asked through the proxy, this machine and NO_PROXY directly", async (t) => {
  const proxy = await listen(() => 404)
  const service = await listen(() => 404)
  await inbox(service.at, { HTTP_PROXY: proxy.at })
  t.ok(service.asked.length > 0, "asked directly")
  t.strictSame(proxy.asked, [])
  await inbox("http://rooms.example.invalid", { HTTP_PROXY: proxy.at, NO_PROXY: "rooms.example.invalid" })
  t.strictSame(proxy.asked, [])
  await inbox("http://rooms.example.invalid", { HTTP_PROXY: proxy.at })
  t.match(proxy.asked.join(" "), "rooms.example.invalid")
})

t.test("a proxy that fails is named, without its password", async (t) => {
  const proxy = await listen(() => 502)
  const { port } = new URL(proxy.at)
  const told = await inbox("http://rooms.example.invalid", { HTTP_PROXY: `http://user:secret@127.0.0.1:${port}` })
  t.match(told, `It was asked through the proxy 127.0.0.1:${port}.`)
  t.notMatch(told, "secret")
  const service = await listen(() => 404)
  t.notMatch(await inbox(service.at, { HTTP_PROXY: proxy.at }), "proxy", "nor where none was asked")
})
