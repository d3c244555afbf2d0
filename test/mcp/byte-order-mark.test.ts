/** A byte order mark before the first message on standard input is no part of it; some programs write one. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { startResearchRoom } from "research-room/testing"
import t from "tap"

t.test("the first message is read with a byte order mark before it", async (t) => {
  const house = await startResearchRoom()
  const serve = join(import.meta.dirname, "../../src/commands/mcp-over-http.ts")
  const code = `const { serveMcp } = await import(${JSON.stringify(serve)}); await serveMcp("${house.baseUrl}")`
  const child = spawn(process.execPath, ["--conditions=research-room-source", "--input-type=module", "-e", code])
  t.teardown(async () => {
    child.kill()
    await house.close()
  })
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "told", version: "1" } }
  child.stdin.write(`\ufeff${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`)
  const [line] = (await once(createInterface(child.stdout), "line")) as [string]
  t.match(JSON.parse(line), { id: 1, result: { serverInfo: { name: /research-room/ } } })
})
