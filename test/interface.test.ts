/**
 * The interface, sentence by sentence (`interface.txt`, in our own words, in the order of the document), and the tests
 * that show it: each test names its sentences in lines `// shows: SENTENCE` above it. They are collected into one
 * table, `dist/interface.md`. A sentence that no test shows fails, and so does a tag that matches no sentence.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { test } from "tap"

type Sources = Readonly<Record<string, string>>

/** The tagged tests: the sentences each shows, and its title as written in the source. */
function tagged(sources: Sources): { readonly file: string; readonly title: string; readonly sentence: string }[] {
  return Object.entries(sources).flatMap(([file, text]) =>
    // A sentence goes on in lines that are indented below it.
    [
      ...text
        .replace(/\n *\/\/ {3}/g, " ")
        .matchAll(/((?:^ *\/\/ shows: .+\n)+)[^"`]*?(?:"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/gm),
    ].flatMap(([, tags = "", quoted, template = ""]) => {
      const title = quoted === undefined ? template : (JSON.parse(`"${quoted}"`) as string)
      return [...tags.matchAll(/shows: (.+)/g)].map(([, sentence = ""]) => ({ file, title, sentence }))
    }),
  )
}

/** The sections of the interface with their sentences. */
const sectionsOf = (text: string) =>
  text
    .split(/^# /m)
    .slice(1)
    .map((part) => {
      const [section = "", ...sentences] = part.split("\n").filter((line) => line !== "")
      return { section, sentences }
    })

/** What does not fit: a sentence each. */
function faultsOf(interfaceText: string, sources: Sources): string[] {
  const sentences = sectionsOf(interfaceText).flatMap((each) => each.sentences)
  const tags = tagged(sources)
  const shown = new Set(tags.map(({ sentence }) => sentence))
  return [
    ...sentences
      .filter((sentence, index) => sentences.indexOf(sentence) !== index)
      .map((sentence) => `told twice: ${sentence}`),
    ...sentences.filter((sentence) => !shown.has(sentence)).map((sentence) => `no test shows: ${sentence}`),
    ...tags
      .filter(({ sentence }) => !sentences.includes(sentence))
      .map(({ file, sentence }) => `${file} shows what is no sentence: ${sentence}`),
  ]
}

const read = (path: string) => readFileSync(join(import.meta.dirname, path), "utf8")
const files = globSync("**/*.test.ts", { cwd: import.meta.dirname }).filter((file) => file !== "interface.test.ts")
const sources = Object.fromEntries(files.sort().map((file) => [file, read(file)]))

test("every sentence of the interface is shown by a test", async (t) => {
  t.strictSame(faultsOf(read("interface.txt"), sources), [])
  const tags = tagged(sources)
  const table = sectionsOf(read("interface.txt")).map(({ section, sentences }) => {
    const rows = sentences.map((sentence) => {
      const by = tags.filter((tag) => tag.sentence === sentence).map(({ file, title }) => `${file}: ${title}`)
      return `| ${sentence} | ${by.join("<br>").replaceAll("|", "\\|")} |`
    })
    return `## ${section}\n\n| sentence | shown by |\n|---|---|\n${rows.join("\n")}\n`
  })
  const dist = join(dirname(import.meta.dirname), "dist")
  mkdirSync(dist, { recursive: true })
  writeFileSync(join(dist, "interface.md"), table.join("\n"))
  t.comment(`${table.length} sections, ${tags.length} tags; the table is dist/interface.md`)
})

test("what does not fit is found", async (t) => {
  const told = "# One\nIt is so.\nIt is so too.\n"
  const tag = (sentence: string) => `// shows: ${sentence}\ntest("a title", () => {})\n`
  t.strictSame(faultsOf(told, { "a.test.ts": tag("It is so.") + tag("It is so too.") }), [])
  t.strictSame(faultsOf(told, { "a.test.ts": tag("It is so.") }), ["no test shows: It is so too."])
  t.match(faultsOf(told, { "a.test.ts": tag("It is so.") + tag("It is so too.") + tag("It is not.") }), [
    /a.test.ts shows what is no sentence/,
  ])
  t.match(faultsOf(`${told}It is so.\n`, { "a.test.ts": tag("It is so.") + tag("It is so too.") }), [/told twice/])
})
