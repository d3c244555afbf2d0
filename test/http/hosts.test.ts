/**
 * The host names that the service answers to: a page on another site must not reach a local instance through a name of
 * its own.
 */
import tap, { test } from "tap"
import { answersIn, dial, head } from "../support/socket.ts"
import { startOwn } from "../support/service.ts"

const local = await startOwn()
const published = await startOwn({ baseUrl: "https://rooms.example.org:8443/lab" })
tap.teardown(async () => {
  await local.close()
  await published.close()
})
const portOf = ({ port }: typeof local) => port

/** How a service answers a request that names `host`. */
async function answeredAs(port: number, ...host: string[]) {
  const line = await dial(`http://127.0.0.1:${port}`)
  await line.send(head("GET", "/api/health/ready", ...host.map((name) => `Host: ${name}`), "Connection: close"))
  const received = await line.closed()
  const [answer] = answersIn(received)
  return { status: answer?.status, body: answer?.body ?? "" }
}

test("loopback names are answered on any port, because it may be forwarded", async (t) => {
  const port = portOf(local)
  for (const host of [
    `127.0.0.1:${port}`,
    "127.0.0.1",
    "127.8.9.10:80",
    "localhost",
    `localhost:${port}`,
    "LOCALHOST:1",
    "[::1]",
    "[::1]:9000",
  ]) {
    t.equal((await answeredAs(port, host)).status, 200, host)
  }
})

test("a host that is not a valid address crashes nothing, whatever the path", async (t) => {
  const port = portOf(local)
  const hosts = ["127.0.0.1:99999", "localhost:65536", "127.999.0.1", "[", "[::1", "a b", "%", "a%zz", "xn--", "\u00e9"]
  for (const path of ["/rooms/%41", "/rooms?q=%20", "/assets/a%20b", "/a/../rooms", "//rooms", "/rooms\\x", "/\u00e9"])
    for (const host of hosts) {
      const line = await dial(`http://127.0.0.1:${port}`)
      await line.send(head("GET", path, `Host: ${host}`, "Connection: close"))
      t.match(answersIn(await line.closed())[0]?.status, /^4(?:00|21)$/, `${host} ${path}`)
    }
  t.equal((await answeredAs(port, "localhost")).status, 200, "it carries on")
})

test("any other name is refused with 421 and a sentence that names the flag to set", async (t) => {
  const port = portOf(local)
  for (const host of [
    "rooms.example.org",
    "evil.example:80",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evil.example/127.0.0.1",
    "localhost@evil.example",
    "1270.0.0.1",
    "[::2]",
    "192.168.0.7",
    "0.0.0.0",
    "127.0.0.1:99999",
  ]) {
    const { status, body } = await answeredAs(port, host)
    t.equal(status, 421, host)
    const refusal = JSON.parse(body) as Record<string, unknown>
    t.match(refusal, { refusal: "wrong_host", error: /--base-url/, committed: false })
    t.equal(Object.keys(refusal).length, 8)
  }
})

test("the host of the base URL is answered too, with its port, and no other name besides", async (t) => {
  const port = portOf(published)
  for (const host of ["rooms.example.org:8443", "ROOMS.example.org:8443", "127.0.0.1"])
    t.equal((await answeredAs(port, host)).status, 200, host)
  for (const host of ["example.org", "rooms.example.org.evil.example", "other.rooms.example.org:8443"])
    t.equal((await answeredAs(port, host)).status, 421, host)
})

test("a request without Host, or with two, is invalid", async (t) => {
  const line = await dial(`http://127.0.0.1:${portOf(local)}`)
  await line.send("GET /api/health/ready HTTP/1.0\r\n\r\n")
  t.match(await line.closed(), /^HTTP\/1\.1 421 /)
  t.equal((await answeredAs(portOf(local))).status, 400)
  t.equal((await answeredAs(portOf(local), "localhost", "evil.example")).status, 400)
})

test("headers in which a proxy repeats the name are ignored", async (t) => {
  const port = portOf(local)
  for (const name of ["X-Forwarded-Host", "Forwarded", "X-Original-Host", "X-Host"]) {
    const line = await dial(`http://127.0.0.1:${port}`)
    const value = name === "Forwarded" ? "host=127.0.0.1" : "127.0.0.1"
    await line.send(head("GET", "/api/health/ready", "Host: evil.example", `${name}: ${value}`, "Connection: close"))
    t.equal(answersIn(await line.closed())[0]?.status, 421, name)
  }
})

test(
  "the name is checked on every route: " + "reads, writes, pages, unknown paths, and the operator's metrics",
  async (t) => {
    const port = portOf(local)
    for (const [method, path] of [
      ["GET", "/"],
      ["GET", "/metrics"],
      ["GET", "/api/session"],
      ["POST", "/api/session"],
      ["POST", "/web/sign-in"],
      ["DELETE", "/api/nowhere"],
      ["GET", "/assets/style.css"],
    ] as const) {
      const line = await dial(`http://127.0.0.1:${port}`)
      await line.send(head(method, path, "Host: rebound.example", "Content-Length: 0", "Connection: close"))
      t.equal(answersIn(await line.closed())[0]?.status, 421, `${method} ${path}`)
    }
  },
)
