/** The feeds of the deterministic demo, byte for byte as commit c6f7581 served them: what verified then verifies now. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { test } from "tap"
import { Chain } from "../../src/client/chain.ts"
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"
import { temporaryFolder } from "../support/service.ts"

const kept = JSON.parse(gunzipSync(readFileSync(join(import.meta.dirname, "samples", "demo-feed.json.gz"))).toString()) as string[]

test("the demo's feeds are what they were, digests included", async (t) => {
  const demo = await startDemo({ data: temporaryFolder(), host: "127.0.0.1", port: 0, deterministic: true, log: openLog("silent") })
  t.teardown(() => demo.close())
  const pages: string[] = []
  for (const { roomId } of Object.values(demo.rooms)) {
    const chain = new Chain(roomId, 0)
    for (let next: string | null = `/api/research/rooms/${roomId}/activity?limit=50`; next !== null; ) {
      const text = await (await fetch(demo.baseUrl + next)).text()
      pages.push(text)
      const body = JSON.parse(text) as { items: Parameters<Chain["take"]>[0][]; hasMore: boolean; links: { next: string } }
      for (const entry of body.items) chain.take(entry)
      next = body.hasMore ? body.links.next : null
    }
    t.ok(chain.sequence > 0)
  }
  // One a line: a test that fails says which entry.
  const lines = (texts: readonly string[]) => texts.map((text) => text.replaceAll('},{"actor"', '},\n{"actor"'))
  t.strictSame(lines(pages), lines(kept))
})
