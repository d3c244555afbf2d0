/**
 * The feed of a Room is assembled from the columns of the journal: byte for byte what commit c6f7581 stored and served,
 * including digests.
 */
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import tap, { test } from "tap"
import { Chain } from "../../src/client/activity.ts"
import type { ActivityEntry } from "../../src/contract/reads/activity.ts"
import { canonicalJson, digestOf } from "../../src/contract/json.ts"
import { recordedOperation } from "../../src/contract/operations/index.ts"
import { startDemo } from "../../src/demo/demo.ts"
import { activityText } from "../../src/ledger/journal/activity.ts"
import { openLog } from "../../src/log.ts"
import { temporaryFolder } from "../support/service.ts"

/** Pages of the feeds of every Room of the demo, as that commit served them. */
const kept = JSON.parse(
  gunzipSync(readFileSync(join(import.meta.dirname, "samples", "demo-feed.json.gz"))).toString(),
) as string[]
const itemsOf = (page: string) => (JSON.parse(page) as { items: ActivityEntry[] }).items
const folder = temporaryFolder()
tap.teardown(() => rmSync(folder, { recursive: true, force: true }))

test("every entry served at that commit is rebuilt from its columns byte for byte", (t) => {
  const entries = kept.flatMap(itemsOf)
  t.ok(entries.length > 100, `${entries.length} entries`)
  for (const { digest, previousDigest, actor, target, ...entry } of entries) {
    const told = {
      ...entry,
      ...actor,
      kind: recordedOperation(entry.operation)?.activity ?? "",
      targetKind: target.kind,
      targetId: target.id,
      label: target.label,
      labelledBy: target.originRoomId ?? null,
    }
    const text = activityText(told, previousDigest)
    t.equal(digestOf(text), digest)
    const page = kept.find((each) => each.includes(`"digest":"${digest}"`)) ?? ""
    t.ok(page.includes(`${text.slice(0, -1)},"digest":"${digest}"}`), text)
  }
  t.end()
})

test("the demo's feeds are consistent, and each entry is canonical JSON followed by its digest", async (t) => {
  const demo = await startDemo({
    data: folder,
    host: "127.0.0.1",
    port: 0,
    deterministic: true,
    log: openLog("silent"),
  })
  t.teardown(() => demo.close())
  for (const { roomId } of Object.values(demo.rooms)) {
    const chain = new Chain(roomId, 0)
    for (let next: string | null = `/api/research/rooms/${roomId}/activity?limit=50`; next !== null; ) {
      const text: string = await (await fetch(demo.baseUrl + next)).text()
      const body = JSON.parse(text) as { hasMore: boolean; links: { next: string } }
      for (const entry of itemsOf(text)) {
        chain.take(entry)
        const { digest, ...rest } = entry
        t.ok(text.includes(`${canonicalJson(rest).slice(0, -1)},"digest":"${digest}"}`))
      }
      next = body.hasMore ? body.links.next : null
    }
    t.ok(chain.sequence > 0)
  }
})
