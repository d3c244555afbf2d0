/**
 * Programs and instructions that the service serves: no stranger's text becomes code in them, or changes where a
 * credential is sent.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { rmSync, writeFileSync } from "node:fs"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { ResearchRoomClient } from "research-room/client"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { temporaryFolder } from "../support/service.ts"

const house = await startResearchRoom()
const folder = temporaryFolder()
t.teardown(async () => {
  await house.close()
  rmSync(folder, { recursive: true, force: true })
})
const { hostname, port } = new URL(house.baseUrl)
const python = process.env.REACH_PYTHON ?? "python3"
const hasPython = spawnSync(python, ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0

/** Requests a path with extra headers and returns the answer. */
async function served(
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number; text: string }> {
  const asked = request({ host: hostname, port, path, headers, setHost: !("host" in headers) }).end()
  const [answer] = await once(asked, "response")
  let text = ""
  for await (const piece of answer.setEncoding("utf8")) text += piece
  return { status: answer.statusCode, text }
}

const evil = 'evil.example"\n'.trim()
const forwarded = {
  "x-forwarded-host": evil,
  "x-forwarded-proto": "javascript",
  "x-forwarded-port": "1",
  "x-forwarded-prefix": '/"""\\',
  forwarded: "host=evil.example;proto=http",
  "x-original-host": "evil.example",
  "x-forwarded-server": "evil.example",
}
const programs = [
  "/research_room.py",
  "/llms.txt",
  "/api/research/skill",
  "/api/research/bootstrap",
  "/api/openapi.json",
  "/api/research/manifest",
]

t.test("served programs name this service, whatever host a request names", async (t) => {
  let found = 0
  for (const path of programs) {
    const plain = await served(path, {})
    if (plain.status === 200) found += 1
    const timeless = (text: string) => text.replace(/"(?:generatedAt|now)":"[^"]+"/g, "")
    t.equal(timeless((await served(path, forwarded)).text), timeless(plain.text), path)
    for (const host of ["evil.example", 'evil.example"""', `${hostname}.evil.example:${port}`]) {
      const { status, text } = await served(path, { host })
      t.ok(status >= 400 && !text.includes("evil.example/"), `${path} for ${host}: ${status}`)
    }
  }
  t.ok(found >= 3, `${found} of them are served`)
})

t.test(
  "the Python client is valid Python, and contains no text of a stranger",
  { skip: hasPython ? false : "no Python" },
  async (t) => {
    const title = '"""\\ __import__("os").system("id") # {} %s {0.__class__} </script>'
    await house.client("member_all").write("create_thread", { roomId: house.rooms.empty.roomId, title })
    const { text } = await served("/research_room.py", {})
    t.notMatch(text, /os"\)\.system/)
    writeFileSync(join(folder, "research_room.py"), text)
    const compiled = spawnSync(python, ["-W", "error", "-m", "py_compile", "research_room.py"], {
      cwd: folder,
      encoding: "utf8",
    })
    t.equal(compiled.status, 0, compiled.stderr)
  },
)

t.test("a client does not follow a service's redirect with its credential", async (t) => {
  if (hasPython) writeFileSync(join(folder, "research_room.py"), (await served("/research_room.py", {})).text)
  const seen: (string | undefined)[] = []
  const thief = createServer(({ headers }, answer) => {
    seen.push(headers.authorization)
    answer.writeHead(200, { "content-type": "application/json" }).end("{}")
  }).listen(0, "127.0.0.1")
  await once(thief, "listening")
  const elsewhere = `http://localhost:${(thief.address() as AddressInfo).port}`
  let status = 302
  const moved: (string | undefined)[] = []
  const service = createServer(({ url, headers }, answer) => {
    moved.push(headers.authorization)
    answer.writeHead(status, { location: `${elsewhere}${url}` }).end()
  }).listen(0, "127.0.0.1")
  await once(service, "listening")
  t.teardown(() => [thief, service].map((each) => (each.closeAllConnections(), each.close())))
  const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const { token } = house.credentials.member_all
  const client = new ResearchRoomClient({ baseUrl, token, retries: 0 })
  for (status of [301, 302, 303, 307, 308]) {
    await t.rejects(client.read("identity"), `${status} to the client for TypeScript`)
    if (!hasPython) continue
    const program =
      `import research_room\ntry:\n  research_room.Room("${baseUrl}", "${token}", ` +
      `retries=0).get_identity()\nexcept research_room.Unexpected as e:\n  print("refused")`
    const run = spawn(python, ["-c", program], { cwd: folder })
    let said = ""
    run.stdout.setEncoding("utf8").on("data", (piece: string) => (said += piece))
    await once(run, "close")
    t.equal(said.trim(), "refused", `${status} to the client for Python`)
  }
  t.ok(
    moved.length >= 5 && moved.every((sent) => sent === `Bearer ${token}`),
    `${moved.length} requests were redirected`,
  )
  t.strictSame(seen, [], "and nothing was sent elsewhere")
})
