/** What the Python client does with servers that send too much, too slowly or too deep, and with proxies. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import t from "tap"
import { pythonClient } from "../../src/discovery/python.ts"
import { temporaryFolder } from "../support/service.ts"
import { missing, python } from "../runs/place.ts"

const lacks = missing()
if (lacks !== null) t.comment(`${lacks}: the Python client's network was not tried`)
else {
  const folder = temporaryFolder()
  writeFileSync(join(folder, "research_room.py"), pythonClient({ baseUrl: "http://127.0.0.1:9", softwareVersion: "1" }))
  const servers = new Set<ReturnType<typeof createServer>>()
  t.teardown(() => {
    for (const server of servers) server.close().closeAllConnections()
  })
  const listen = async (answer: RequestListener) => {
    const server = createServer(answer).listen(0, "127.0.0.1")
    servers.add(server)
    await once(server, "listening")
    return `127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  /** Asks a service for its Rooms, and returns what the client says. */
  async function ask(url: string, env: Readonly<Record<string, string>> = {}, more = "") {
    const script = `import sys, time
import research_room as r
${more}
began = time.monotonic()
try:
    print(r.Room(sys.argv[1], retries=0, timeout=2).get_rooms())
except r.RoomError as error:
    print(type(error).__name__, error)
print("took", round(time.monotonic() - began))`
    const clean = { ...process.env, http_proxy: "", HTTP_PROXY: "", no_proxy: "", NO_PROXY: "" }
    const child = spawn(python, ["-c", script, url], { cwd: folder, env: { ...clean, ...env } })
    let text = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (piece: string) => (text += piece))
    await once(child, "close")
    return text
  }
  const json = { "content-type": "application/json" }

  t.test("an answer that drips is left, in its headers and in its body", async (t) => {
    const drip = (send: (piece: string) => unknown) => {
      const timer = setInterval(() => send(" "), 100)
      setTimeout(() => clearInterval(timer), 15_000).unref()
    }
    const body = await listen((_, answer) => {
      answer.writeHead(200, json)
      drip((piece) => answer.write(piece))
    })
    const head = await listen(({ socket }) => {
      socket.write("HTTP/1.1 200 OK\r\n")
      drip((piece) => socket.write(`x${piece.trim()}: 1\r\n`))
    })
    for (const [name, at] of Object.entries({ body, head })) {
      const told = await ask(`http://${at}`)
      t.match(told, /Unreachable .*took too long|timed out/, name)
      t.ok(Number(/took (\d+)/.exec(told)?.[1]) <= 6, told)
    }
  })

  t.test("an answer is bounded in bytes and in depth", async (t) => {
    const long = await listen((_, answer) => {
      answer.writeHead(200, json)
      answer.end(`"${"a".repeat(3 << 20)}"`)
    })
    t.match(await ask(`http://${long}`, {}, "r._ANSWER_BYTES = 1 << 20"), /Unreachable .*longer than 1 MiB/)
    const deep = await listen((_, answer) => {
      answer.writeHead(200, json)
      answer.end("[".repeat(200_000))
    })
    t.match(await ask(`http://${deep}`), /Unexpected The answer is not JSON/)
  })

  t.test("what a server says is printed without signs that move a terminal", async (t) => {
    const hostile = await listen((_, answer) => {
      answer.writeHead(404, json)
      answer.end(JSON.stringify({ error: "\u001b[2JGone \u202eback", refusal: "unknown_room", committed: false }))
    })
    const told = await ask(`http://${hostile}`)
    t.match(told, "Gone")
    // oxlint-disable-next-line no-control-regex
    t.notMatch(told, /[\u001b\u202e]/u)
  })

  t.test("this machine is asked directly, any other through the proxy, which is named when it fails", async (t) => {
    const service = await listen((_, answer) => answer.writeHead(200, json).end('{"items": []}'))
    const asked: string[] = []
    const proxy = await listen(({ url = "" }, answer) => {
      asked.push(url)
      answer.writeHead(200, json).end('{"items": ["by proxy"]}')
    })
    const env = { http_proxy: `http://user:SECRET@${proxy}`, no_proxy: "other.example.org" }
    t.match(await ask(`http://${service}`, env), '"items": []')
    t.match(await ask(`http://localhost:${service.split(":")[1]}`, env), '"items": []')
    t.strictSame(asked, [])
    t.match(await ask("http://rooms.example.org", env), "by proxy")
    t.strictSame(asked.length, 1)

    const broken = await listen((_, answer) => answer.writeHead(502).end("<html>"))
    t.match(await ask("http://rooms.example.org", { http_proxy: `http://user:SECRET@${broken}` }), `proxy ${broken}`)
    const gone = await ask("http://rooms.example.org", { http_proxy: "http://user:SECRET@127.0.0.1:9" })
    t.match(gone, /the proxy 127\.0\.0\.1:9 failed/)
    t.notMatch(gone, "SECRET")
  })
}
