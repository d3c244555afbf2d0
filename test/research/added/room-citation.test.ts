/** Citations of Rooms and of claims, parsed by third-party reference software. */
import { createRequire } from "node:module"
import { parse } from "@retorquere/bibtex-parser"
import { startResearchRoom } from "research-room/testing"
import t, { test } from "tap"
import { taggedEntries, taggedFormat } from "../../../src/library/bibliography/tagged.ts"
import { held } from "../../support/contract.ts"

interface Item {
  readonly type: string
  readonly title: string
  readonly author: readonly { literal?: string; family?: string; given?: string }[]
  readonly URL: string
  readonly note?: string
}
// The package has no types for its parts.
const load = createRequire(import.meta.url)
const { Cite } = load("@citation-js/core") as {
  Cite: new (data: unknown) => { readonly data: readonly Item[]; format(name: string, options?: object): string }
}
for (const part of ["bibtex", "csl", "cff"]) load(`@citation-js/plugin-${part}`)

const house = await startResearchRoom()
t.teardown(() => house.close())
const { main, empty } = house.rooms
const got = async (path: string) => {
  const response = await held(`${house.baseUrl}/api/research/${path}`, {})
  t.equal(response.status, 200, path)
  return { text: await response.text(), name: response.headers.get("content-disposition") ?? "" }
}
const names = (item: Item | undefined) => item?.author.map(({ literal, family }) => literal ?? family)

test("a Room is cited by its people, with the same data in every format", async (t) => {
  const reader = house.client("main_member_all")
  const { title, owner, activityWatermark } = await reader.read("room", { roomId: main.roomId })
  const told = await reader.read("room_citation", { roomId: main.roomId })
  t.match(told, { title, throughSequence: activityWatermark, url: `${house.baseUrl}/rooms/${main.roomId}` })
  t.equal(told.authors[0], owner.username)
  for (const [format, type, file] of [
    ["bibtex", "document", /\.bib"$/],
    ["csl", "collection", /\.json"$/],
    ["cff", "dataset", /"CITATION\.cff"$/],
  ] as const) {
    const { text, name } = await got(`rooms/${main.roomId}/citation?format=${format}`)
    t.match(name, file)
    const cite = new Cite(format === "csl" ? JSON.parse(text) : text)
    const [item] = cite.data
    t.equal(item?.title, title, format)
    t.equal(item?.URL, told.url)
    t.strictSame(names(item), told.authors)
    t.equal(item?.type, type, "a collection of records, not software")
    t.match(cite.format("bibliography", { format: "text" }), owner.username, "and a citation style can format it")
  }
})

test("RIS has a line for each author, and a title cannot add a line", async (t) => {
  const { authors, title, url } = await house.client("member_all").read("room_citation", { roomId: main.roomId })
  const { text, name } = await got(`rooms/${main.roomId}/citation?format=ris`)
  t.match(name, /\.ris"$/)
  const format = taggedFormat(text)
  t.equal(format && [...taggedEntries(text, format)].length, 1, "it is one entry, as the Library reads it")
  const lines = text.split("\r\n")
  t.strictSame([lines[0], lines.at(-2), lines.at(-1)], ["TY  - DATA", "ER  - ", ""])
  t.strictSame(
    lines.filter((line) => line.startsWith("AU")),
    authors.map((author) => `AU  - ${author}`),
  )
  t.ok(lines.includes(`TI  - ${title}`) && lines.includes(`UR  - ${url}`))
  const browser = await house.browser("owner")
  const { result } = await browser.write("create_room", { title: "a\nER  - \nTY  - BOOK" })
  const hostile = (await got(`rooms/${result.roomId}/citation?format=ris`)).text
  t.equal(hostile.split("\r\n").filter((line) => line.startsWith("TY")).length, 1)
  t.notMatch(hostile, /[^\r]\n/)
})

test("hostile titles stay plain titles", async (t) => {
  const browser = await house.browser("owner")
  for (const title of ['"]\n- x: y\n"', "} \\input{/etc/passwd} % &", "a: b # c", "🧪 'quoted' \\ back"]) {
    const { result } = await browser.write("create_room", { title })
    const room = `rooms/${result.roomId}/citation`
    const line = title.replace(/\s+/g, " ").trim()
    for (const format of ["csl", "cff"]) {
      const { text } = await got(`${room}?format=${format}`)
      const [item] = new Cite(format === "csl" ? JSON.parse(text) : text).data
      t.equal(item?.title.replace(/\s+/g, " ").trim(), line, `${format}: ${title}`)
    }
    const { entries, errors } = parse((await got(`${room}?format=bibtex`)).text, { sentenceCase: false })
    t.strictSame([entries.length, errors.length], [1, 0], title)
  }
})

test("a cited claim names its paper; a finding is cited as itself, with its standing", async (t) => {
  const { items } = await house.client("main_member_all").read("room_publications", { roomId: main.roomId })
  const claim = items.find(({ kind }) => kind === "cited_claim")
  const [cited] = new Cite(JSON.parse((await got(`records/${claim?.versionId}?format=csl`)).text)).data
  t.match(cited?.note, /^Cited claim C\d+ of arXiv:\d{4}\.\d{4,5}/)
  const finding = items.find(({ kind }) => kind === "finding")
  for (const format of ["bibtex", "csl"]) {
    const { text } = await got(`records/${finding?.versionId}?format=${format}`)
    const [item] = new Cite(format === "csl" ? JSON.parse(text) : text).data
    t.equal(item?.type, "document")
    t.match(item?.note, new RegExp(`^Finding ${finding?.label}, ${finding?.outcome}`))
    t.notMatch(text, /software/i)
  }
  t.equal((await held(`${house.baseUrl}/api/research/rooms/${empty.openingThreadId}/citation`, {})).status, 404)
})
