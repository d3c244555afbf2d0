/**
 * Citations of records over HTTP: another program can parse them, keys stay stable while standing changes, and texts
 * cannot inject TeX.
 */
import { parse } from "@retorquere/bibtex-parser"
import fc from "fast-check"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { texOf } from "../../../src/research/citations/citations.ts"
import { ask } from "../../support/ask.ts"
import { action, freshId, hypothesis } from "../../support/bodies.ts"
import { held } from "../../support/contract.ts"

const room = await startResearchRoom()
t.teardown(() => room.close())
const { main, empty } = room.rooms
const grace = room.client("member_all", { fetch: held })
const ada = room.client("main_owner_all", { fetch: held })

const { items } = await grace.read("room_publications", { roomId: main.roomId })
const labelled = (label: string) => items.find((item) => item.label === label) as (typeof items)[number]

interface Entry {
  readonly type: string
  readonly key: string
  readonly fields: Readonly<Record<string, unknown>>
}
const entryOf = (bibtex: string): Entry => {
  const { entries, errors } = parse(bibtex, { sentenceCase: false }) as unknown as {
    entries: Entry[]
    errors: unknown[]
  }
  if (entries.length !== 1 || errors.length > 0) throw new Error(`not one entry: ${bibtex} ${JSON.stringify(errors)}`)
  return entries[0] as Entry
}
const bibtex = async (versionId: string) => entryOf(await grace.text("record", { versionId, format: "bibtex" }))
const csl = async (versionId: string) =>
  (JSON.parse(await grace.text("record", { versionId, format: "csl" })) as Record<string, unknown>[])[0] as Record<
    string,
    string
  >

// shows: Added: a record's citation in BibTeX and CSL-JSON.
t.test("A record is cited in BibTeX with everything needed to find it again", async (t) => {
  const record = labelled("F1")
  const { type, key, fields } = await bibtex(record.versionId)
  t.equal(type, "misc")
  t.equal(key, `ada${record.createdAt.slice(0, 4)}-F1-${record.contentDigest.slice(7, 15)}`)
  t.match(fields, {
    title: record.wording,
    year: record.createdAt.slice(0, 4),
    url: `${room.baseUrl}/records/${record.versionId}`,
  })
  t.match(
    fields.note,
    /^Finding F1, positive, naming 5 of 5 attempts of E1; corrected: L1 corrects it; sha256:[0-9a-f]{64}$/,
  )
  t.equal(String(fields.note).endsWith(record.contentDigest), true)
  t.equal((await fetch(String(fields.url))).status, 200, "its address opens it")
})

// shows: Added: a record's citation in BibTeX and CSL-JSON.
t.test("The same record is cited in CSL-JSON, as reference managers read it", async (t) => {
  const record = labelled("H5")
  t.match(await csl(record.versionId), {
    id: (await bibtex(record.versionId)).key,
    type: "document",
    genre: "Hypothesis",
    number: "H5",
    title: record.wording,
    author: [{ literal: record.author.username }],
    issued: { "date-parts": [record.createdAt.slice(0, 10).split("-").map(Number)] },
    "container-title": "Does RL add solutions, or only find them faster?",
    URL: `${room.baseUrl}/records/${record.versionId}`,
    status: "disputed",
    note: `Hypothesis H5; disputed: L5 disputes it; ${record.contentDigest}`,
  })
})

t.test("Each form has its own media type; without a form, or with json, it is the record itself", async (t) => {
  const url = `${room.baseUrl}/api/research/records/${labelled("C1").versionId}`
  const typeOf = async (query: string) => (await ask(`${url}${query}`)).headers.get("content-type")
  t.equal(await typeOf("?format=bibtex"), "application/x-bibtex; charset=utf-8")
  t.equal(await typeOf("?format=csl"), "application/vnd.citationstyles.csl+json; charset=utf-8")
  t.equal(await typeOf("?format=json"), "application/json; charset=utf-8")
  t.equal((await ask(`${url}?format=json`)).text, (await ask(url)).text)
  t.match(await ask(`${url}?format=ris`), {
    status: 422,
    body: { refusal: "invalid_parameter", issues: [{ path: "/format" }] },
  })
  t.match(await ask(`${room.baseUrl}/api/research/records/${freshId()}?format=bibtex`), {
    status: 404,
    body: { refusal: "unknown_record" },
  })
})

t.test("The OpenAPI document lists every form", async (t) => {
  const openapi = (await ask(`${room.baseUrl}/api/openapi.json`)).body as unknown as {
    paths: Record<
      string,
      { get: { parameters: { name: string; schema: { $ref: string } }[]; responses: { 200: { content: object } } } }
    >
    components: { schemas: Record<string, { enum: string[] }> }
  }
  const { parameters, responses } = (
    openapi.paths["/api/research/records/{versionId}"] as (typeof openapi.paths)[string]
  ).get
  t.strictSame(Object.keys(responses[200].content), [
    "application/json",
    "application/x-bibtex",
    "application/vnd.citationstyles.csl+json",
  ])
  // Enumerations are named components, so that generators of clients need not invent a name.
  const named = parameters.find(({ name }) => name === "format")?.schema.$ref ?? ""
  t.strictSame(openapi.components.schemas[named.replace("#/components/schemas/", "")]?.enum, ["json", "bibtex", "csl"])
})

t.test("A record's citation shows what later links say about it; its key stays", async (t) => {
  const { versionId } = labelled("F2")
  const before = await bibtex(versionId)
  const said: string[] = []
  for (const [name, label] of [
    ["assert_dispute", "disputed"],
    ["assert_correction", "corrected"],
    ["assert_retraction", "retracted"],
  ] as const) {
    const more = name === "assert_correction" ? { correction: "Read less." } : {}
    const { result } = await ada.write(name, {
      targetVersionId: versionId,
      explanation: "It was mistaken.",
      ...more,
    } as never)
    said.push(
      `${(result as { label: string }).label} ` +
        `${{ disputed: "disputes", corrected: "corrects", retracted: "retracts" }[label]} it`,
    )
    const after = await bibtex(versionId)
    t.equal(after.key, before.key, `${label}: the key is unchanged`)
    t.match(after.fields.note, `; ${label}: ${said.join(", ")}; sha256:`)
    t.match(await csl(versionId), { id: before.key, status: label })
  }
})

t.test("Two records never share a key, even in different Rooms", async (t) => {
  const { roomId, openingThreadId } = empty
  const first = await grace.write("publish_hypothesis", hypothesis({ roomId, threadId: openingThreadId }))
  t.equal(first.result.label, "H1")
  const keys = await Promise.all(
    [first.result.versionId, ...items.map(({ versionId }) => versionId)].map(
      async (versionId) => (await bibtex(versionId)).key,
    ),
  )
  t.equal(new Set(keys).size, keys.length)
})

t.test("A wording in any script and with any character survives parsing by another program", async (t) => {
  const { roomId, openingThreadId } = empty
  for (const wording of [
    "100 % of {A & B} cost $5 and $6, #1_a^b~c\\input{x}",
    "Ünïcödé 測試 “quotes” – dash",
    "unbalanced }{ braces {",
    "It is\n  wrapped",
  ]) {
    const body = action(hypothesis({ roomId, threadId: openingThreadId }))
    const { result } = await grace.write("publish_hypothesis", { ...body, assertion: { ...body.assertion, wording } })
    const { fields } = await bibtex(result.versionId)
    t.equal(fields.title, wording.replace(/\s+/g, " "), wording)
    t.equal((await csl(result.versionId)).title, wording, "and in CSL-JSON unchanged")
  }
})

t.test("Formulas stay formulas, and nothing else in a text becomes a command", (t) => {
  t.equal(texOf("a loss of $\\frac{1}{n}\\sum_i x_i$ at $t > 0$"), "a loss of $\\frac{1}{n}\\sum_i x_i$ at $t > 0$")
  t.equal(texOf("$$\\eta_t = \\eta$$"), "$\\eta_t = \\eta$")
  for (const attack of [
    "$\\input{/etc/passwd}$",
    "$\\write18{rm}$",
    "$^^5cinput$",
    "$\\csname x\\endcsname$",
    "$a % b$",
    "\\def\\x{}",
    "$\\text{\\openin}$",
    "$}{$",
  ]) {
    t.notMatch(texOf(attack).replace(/\\(?:text[a-z]+\{\}|[&%$#_])/g, ""), /[\\%^~]/, attack)
  }
  const harmless = (tex: string) => {
    const unescaped = tex.replace(/\\[&%$#_]/g, "")
    const braces = unescaped.replace(/[^{}]/g, "")
    let left = braces
    while (left.includes("{}")) left = left.replaceAll("{}", "")
    return left === "" && !/%|~|\^\^|\\(?:input|def|a(?!lpha))/.test(unescaped) && unescaped.split("$").length % 2 === 1
  }
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("\\", "{", "}", "$", "^", "%", "~", "_", "a", " ", "input", "def", "alpha") }),
      (text) => harmless(texOf(text)),
    ),
    { numRuns: 5_000 },
  )
  t.end()
})
