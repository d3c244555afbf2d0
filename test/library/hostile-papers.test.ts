/** Paper files made to be expensive: refused at once, in a sentence that says where. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { createWriteStream } from "node:fs"
import { createGzip, gzipSync } from "node:zlib"
import t from "tap"
import { importPapers } from "../../src/library/papers/import.ts"
import { folderFor } from "../support/service.ts"
import { openLibrary } from "./library.ts"

const lab = await openLibrary(t)
const { ledger, world, metadataIntake } = lab.instance
const parts = { ledger, world, metadataIntake }
const folder = folderFor(t)
const at = (name: string) => join(folder, name)
const paper = (number: number) =>
  JSON.stringify({ id: `2405.${10_000 + number}`, title: "T", authors: "A", abstract: "", categories: "cs.LG" })

/** A text of that many MB made from one character. */
function* repeated(sign: string, megabytes: number): Generator<string> {
  const piece = sign.repeat(1_000_000)
  for (let made = 0; made < megabytes; made += 1) yield piece
}

t.test("A line of any length is refused before it is read, and the papers before it stay", async (t) => {
  const start = `${paper(1)}\n${paper(2)}\n{"id": "`
  await pipeline(Readable.from([start, ...repeated("x", 200)]), createWriteStream(at("long")))
  const begun = process.cpuUsage()
  await t.rejects(importPapers(parts, at("long")), {
    message:
      "Line 3 is longer than 4,000,000 characters. No line of arXiv's snapshot or Crossref's data file is that " +
      "long. The 2 papers before it were imported.",
  })
  const { user, system } = process.cpuUsage(begun)
  t.ok(user + system < 2e6, `in ${(user + system) / 1000} ms`)
  t.match(await lab.ada.read("library_paper", { arxivId: "2405.10002" }), { metadata: "known" })
  writeFileSync(at("first"), `{"id": "${"x".repeat(4_100_000)}"}\n${paper(3)}\n`)
  await t.rejects(importPapers(parts, at("first")), {
    message: /^Line 1 is longer than 4,000,000 .* Nothing was imported\.$/,
  })
})

t.test("A compressed file that unpacks to far more than its size is rejected", async (t) => {
  await pipeline(
    Readable.from([`${paper(4)}\n`, ...repeated("\n", 200)]),
    createGzip(),
    createWriteStream(at("bomb.gz")),
  )
  await t.rejects(importPapers(parts, at("bomb.gz")), { message: /bomb\.gz unpacks to more than 100 times its size/ })
  writeFileSync(at("small.gz"), gzipSync(`${paper(5)}\n${"\n".repeat(5_000_000)}${paper(6)}`))
  t.strictSame(
    await importPapers(parts, at("small.gz")),
    { papers: 2, skipped: 0 },
    "one that stays small is not a bomb",
  )
})
