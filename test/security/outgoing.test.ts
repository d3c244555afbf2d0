/**
 * The service asks for uncompressed answers wherever it sends a request, and takes no other: no decoder of Node reads
 * what a stranger sends. And the Node that it carries has no flaw that is known and reached.
 */
import { once } from "node:events"
import { globSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { brotliCompressSync } from "node:zlib"
import { test } from "tap"
import { platforms } from "../../build/platforms.ts"
import { fetchUncompressed } from "../../src/outgoing.ts"

test("a request asks for no compression, and a compressed answer is refused", async (t) => {
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.headers["accept-encoding"])
    const compressed = request.url === "/compressed"
    if (compressed) response.setHeader("content-encoding", "br")
    response.end(compressed ? brotliCompressSync("{}") : "{}")
  }).listen(0, "127.0.0.1")
  t.teardown(() => server.close())
  await once(server, "listening")
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.equal(await (await fetchUncompressed(base, { headers: { "accept-encoding": "br" } })).text(), "{}")
  await t.rejects(fetchUncompressed(`${base}/compressed`), /compressed, which was not asked for/)
  t.strictSame(asked, ["identity", "identity"])
})

test("nothing else in the service fetches", async (t) => {
  // The client, pages and the commands for a person's own machine call the service itself.
  const files = globSync("src/**/*.ts", { exclude: ["src/client/**", "src/web/client/**", "src/runs/**"] })
  const found = (pattern: RegExp) => files.filter((file) => pattern.test(readFileSync(file, "utf8"))).sort()
  t.strictSame(found(/(?:await|return|=>) fetch\((?!\\)|globalThis\.fetch/), ["src/outgoing.ts"])
})

/** Security releases of Node 26, what they mend, and why a platform may be without one. */
const releases: readonly { fixedIn: string; flaw: string; may?: readonly string[]; because?: string }[] = [
  {
    fixedIn: "26.12.1",
    flaw: "a flaw in the Brotli decoder",
    may: ["win-x64", "macos-arm64"],
    because: "the registry has no newer Node, and no request takes a compressed answer",
  },
]
/** The oldest Node that any executable may carry. */
const OLDEST = "26.10.0"

const parts = (version: string) => version.split(".").map(Number)
function isBefore(one: string, other: string): boolean {
  const [mine, others] = [parts(one), parts(other)]
  const at = mine.findIndex((part, index) => part !== others[index])
  return at >= 0 && (mine[at] ?? 0) < (others[at] ?? 0)
}

test("no executable carries a Node that is known to be bad", async (t) => {
  t.ok(isBefore("26.9.0", "26.10.0"))
  t.notOk(isBefore("26.10.0", "26.10.0"))
  for (const { name, node } of platforms) {
    t.notOk(isBefore(node.version, OLDEST), `${name}: ${node.version}`)
    for (const { fixedIn, flaw, may = [] } of releases)
      t.ok(!isBefore(node.version, fixedIn) || may.includes(name), `${name} has ${node.version}, without ${flaw}`)
  }
})
