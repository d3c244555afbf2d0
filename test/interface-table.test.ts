/** Holds the table of the interface to what is there: every test that it names exists, and no sentence stands alone. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { interfaceTable } from "./interface-table.ts"

/** The titles in a test file: the first argument of every call that is a text, as it stands in the source. */
function titlesIn(file: string): Set<string> {
  const source = readFileSync(join(import.meta.dirname, file), "utf8")
  const literals = source.matchAll(/\b\w+\(\s*(?:"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)\s*,/g)
  return new Set(
    [...literals].map(([, quoted, template]) => (quoted === undefined ? (template as string) : (JSON.parse(`"${quoted}"`) as string))),
  )
}

const rows = interfaceTable.flatMap(({ section, rows: told }) => told.map(([sentence, ...shown]) => ({ section, sentence, shown })))
const named = new Map<string, Set<string>>()
for (const { shown } of rows) for (const [file, title] of shown) named.set(file, (named.get(file) ?? new Set()).add(title))

for (const [file, titles] of named) {
  t.test(`test/${file} has the tests that the table names`, (t) => {
    t.ok(existsSync(join(import.meta.dirname, file)), "the file exists")
    const there = titlesIn(file)
    t.strictSame(
      [...titles].filter((title) => !there.has(title)),
      [],
      "and every test in it",
    )
    t.end()
  })
}

t.test("Every sentence is told once, and is shown by a test", (t) => {
  const sentences = rows.map(({ section, sentence }) => `${section}: ${sentence}`)
  t.equal(new Set(sentences).size, sentences.length)
  t.strictSame(
    rows.filter(({ shown }) => shown.length === 0).map(({ section, sentence }) => `${section}: ${sentence}`),
    [],
  )
  t.comment(
    `${rows.length} sentences in ${interfaceTable.length} sections, shown by ${new Set(rows.flatMap(({ shown }) => shown.map(String))).size} tests`,
  )
  t.end()
})
