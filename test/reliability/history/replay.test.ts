/**
 * Random histories of many clients, replayed: every table comes out the same, row by row, and a service on the result
 * answers like the original. The long form is `npm run prove`.
 */
import { copyFileSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import tap, { test } from "tap"
import { rebuild } from "../../../src/app/compose/upgrade.ts"
import { checkData } from "../../../src/check/check.ts"
import { databaseFile, openDatabase } from "../../../src/ledger/storage/opening.ts"
import { startOwn, temporaryFolder } from "../../support/service.ts"
import { checkHistory } from "./check.ts"
import type { History } from "./history.ts"
import { openInside } from "./inside.ts"
import { playRound } from "./round.ts"
import { reader } from "./truth.ts"

const company = await openInside(tap)
const scratch = temporaryFolder()
tap.teardown(() => rmSync(scratch, { recursive: true, force: true }))
let copies = 0

/** The data, rebuilt from its journal in a folder of its own. */
function remade(): string {
  const folder = join(scratch, `copy-${++copies}`)
  mkdirSync(folder)
  const live = openDatabase(databaseFile(company.folder))
  live.prepare("VACUUM INTO ?").run(databaseFile(folder))
  live.close()
  copyFileSync(databaseFile(folder), join(folder, "before.db"))
  rebuild(databaseFile(folder), openDatabase(databaseFile(folder)))
  return folder
}

/** The answers of a service on that data about the Room. */
async function seenIn(folder: string, { truth }: History) {
  const service = await startOwn({ folder, keeps: true })
  try {
    const client = reader(service.baseUrl)
    const timelines: Record<string, unknown> = {}
    for (const threadId of Object.keys(truth.timelines)) timelines[threadId] = await client.timeline(threadId)
    return { feed: await client.feed(truth.roomId), timelines }
  } finally {
    await service.close()
  }
}

test("whatever clients did, a replay makes the same rows and the same answers", { timeout: 240_000 }, async (t) => {
  const options = fc.record({
    seed: fc.string({ minLength: 1, maxLength: 8, unit: "grapheme-ascii" }),
    clients: fc.integer({ min: 4, max: 10 }),
    steps: fc.integer({ min: 8, max: 24 }),
    rooms: fc.integer({ min: 1, max: 2 }),
    inStep: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(options, async (round) => {
      const histories = await playRound(company, round)
      const folder = remade()
      const made = openDatabase(databaseFile(folder))
      t.strictSame(checkData(made).problems, [], "the rebuilt data is whole, and replays to itself")
      made.close()
      const before = openDatabase(join(folder, "before.db"))
      t.strictSame(checkData(before).problems, [], "every original row is what the journal gives")
      before.close()
      for (const history of histories) {
        t.strictSame(checkHistory(history).faults, [], "what they saw is possible with one request at a time")
        const seen = await seenIn(folder, history)
        t.strictSame(seen.feed, history.truth.feed)
        t.strictSame(seen.timelines, history.truth.timelines)
      }
    }),
    { numRuns: 3, endOnFailure: true, verbose: true },
  )
})
