/**
 * Rows move between the pages of the file when others become longer or shorter, and SQLite leaves copies of them
 * behind. Once such rows are withheld, no copy is left.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import tap, { test } from "tap"
import { checkData } from "../../src/check/check.ts"
import { openReadConnection } from "../../src/ledger/storage/opening.ts"
import { action } from "../support/bodies.ts"
import { Filler } from "../research/record/filler.ts"
import { openLab } from "../support/lab.ts"
import { untilClean } from "../support/clean.ts"
import { bytesOfOpen } from "../support/open-files.ts"

const lab = await openLab(tap)
const { house, folder, file } = lab

/** Counts the pages in which a word stands between the header of the page and its rows. */
function pagesBeside(word: string): number {
  const [header, size] = [8, 4_096]
  const database = new Database(file, { readonly: true })
  const leaves = database.prepare("SELECT pageno FROM dbstat WHERE pagetype = 'leaf'").pluck().all() as number[]
  const bytes = database.serialize()
  database.close()
  return leaves.filter((number) => {
    const page = bytes.subarray((number - 1) * size, number * size)
    return page.subarray(header + 2 * page.readUInt16BE(3), page.readUInt16BE(5)).includes(word)
  }).length
}

test("questions that moved before they were withheld leave no copies in the file", async (t) => {
  const word = "ferrousnightjar"
  const { roomId, threadId } = await lab.place()
  const filler = new Filler(file)
  const owner = filler.person(house.people.owner.username)
  const entries: string[] = []
  /** A question with the word, of a length that looks random. */
  const question = (most: number) => `Is ${word} the one? ${"So it is. ".repeat((entries.length * 7_919) % most)}`
  const experiments = await filler.fill(() =>
    Array.from({ length: 100 }, () => {
      const body = { roomId, threadId, question: question(80), scope: "hypothesis", hypotheses: [] }
      const { entry, result } = filler.does(owner, "propose_experiment", body)
      entries.push(entry?.entryId ?? "")
      return { experimentId: result.experimentId, revision: 0 }
    }),
  )
  // Questions that become longer and shorter move the others between pages.
  let pages = 0
  for (let change = 0; pages < 2 && change < 500; pages = pagesBeside(word))
    await filler.fill(() => {
      for (let of = 0; of < 10; of += 1, change += 1) {
        const experiment = experiments[(change * 37) % experiments.length]
        if (experiment === undefined) throw new Error("there are a hundred")
        experiment.revision += 1
        const { entry } = filler.does(owner, "amend_experiment", {
          ...{ experimentId: experiment.experimentId, expectedRevision: experiment.revision, expectedStatus: "open" },
          ...{ question: question(120), explanation: "Another length." },
        })
        entries.push(entry?.entryId ?? "")
      }
    })
  filler.close()
  t.ok(pages > 0, `after ${entries.length} writes ${pages} pages hold copies of questions beside their rows`)
  const answers = entries.map((entryId) => {
    const body = { of: { entryId }, fields: ["/question"], reason: "secret", explanation: "A name." }
    return lab.at("ada", "POST", `/api/rooms/${roomId}/withholdings`, action(body))
  })
  t.strictSame(new Set((await Promise.all(answers)).map(({ status }) => status)), new Set([200]))
  await untilClean(file)
  for (const name of readdirSync(folder).filter((each) => each.startsWith("research-room.db")))
    t.notOk(bytesOfOpen(join(folder, name)).includes(word), name)
  const aside = openReadConnection(file)
  t.strictSame(checkData(aside).problems, [])
  aside.close()
  const database = new Database(file, { readonly: true })
  t.equal(database.pragma("integrity_check", { simple: true }), "ok")
  database.close()
})
