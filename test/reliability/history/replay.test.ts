/**
 * Random histories of many clients, done again: every table comes out as it is, row by row, and a service on what came out
 * answers as the one that lived through it. The long form is `npm run prove`.
 */
import { copyFileSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import tap, { test } from "tap"
import { rebuild } from "../../../src/app/compose/upgrade.ts"
import { checkData } from "../../../src/check/check.ts"
import { databaseFile } from "../../../src/ledger/storage/data.ts"
import { openDatabase } from "../../../src/ledger/storage/opening.ts"
import { startOwn, temporaryFolder } from "../../support/service.ts"
import { checkHistory } from "./check.ts"
import type { History } from "./history.ts"
import { openInside } from "./inside.ts"
import { playRound } from "./round.ts"
import { reader } from "./truth.ts"

const house = await openInside()
tap.teardown(() => house.close())
const scratch = temporaryFolder()
tap.teardown(() => rmSync(scratch, { recursive: true, force: true }))
let copies = 0

/** The data as it stands, made anew from its history in a folder of its own. */
function remade(): string {
  const folder = join(scratch, `copy-${++copies}`)
  mkdirSync(folder)
  const live = openDatabase(databaseFile(house.folder))
  live.prepare("VACUUM INTO ?").run(databaseFile(folder))
  live.close()
  copyFileSync(databaseFile(folder), join(folder, "before.db"))
  rebuild(databaseFile(folder), openDatabase(databaseFile(folder)))
  return folder
}

/** What a service on that data says of the Room. */
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
      const histories = await playRound(house, round)
      const folder = remade()
      const made = openDatabase(databaseFile(folder))
      t.strictSame(checkData(made).problems, [], "what was made anew is whole, and makes itself again")
      made.close()
      const before = openDatabase(join(folder, "before.db"))
      t.strictSame(checkData(before).problems, [], "every row that was there is what the history makes")
      before.close()
      for (const history of histories) {
        t.strictSame(checkHistory(history).faults, [], "one at a time could have given what they saw")
        const seen = await seenIn(folder, history)
        t.strictSame(seen.feed, history.truth.feed)
        t.strictSame(seen.timelines, history.truth.timelines)
      }
    }),
    { numRuns: 3, endOnFailure: true, verbose: true },
  )
})
