/** How people want to be cited: what they enter about themselves, and everywhere it is shown. */
import { createRequire } from "node:module"
import { parse } from "@retorquere/bibtex-parser"
import { parseAtomFeed, parseJsonFeed } from "feedsmith"
import fc from "fast-check"
import { ResearchRoomClient } from "research-room/client"
import tap, { test } from "tap"
import { checkData } from "../../src/check/check.ts"
import { isOrcid } from "../../src/contract/nouns/people.ts"
import { unpack } from "../research/added/unpacked.ts"
import { ask } from "../support/ask.ts"
import { hypothesis } from "../support/bodies.ts"
import { elsewhere } from "../support/elsewhere.ts"
import { openOwn } from "../support/lab.ts"
import { passwordOf } from "../support/service.ts"

interface Item {
  readonly author: readonly {
    readonly literal?: string
    readonly family?: string
    readonly given?: string
    readonly ORCID?: string
  }[]
}
// Its parts ship without types.
const load = createRequire(import.meta.url)
const { Cite } = load("@citation-js/core") as {
  Cite: new (data: unknown) => { readonly data: readonly Item[]; format(name: string, options?: object): string }
}
for (const part of ["bibtex", "csl", "cff"]) load(`@citation-js/plugin-${part}`)

const ORCID = "0000-0002-1825-0097"
const address = `https://orcid.org/${ORCID}`
const own = await openOwn(tap, { people: ["ada", "grace"] })
const { ada, grace } = own
const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "Cited", license: "CC-BY-4.0" }))
  .result
await ada.write("add_member", { roomId, username: "grace" })
const { result: record } = await ada.write("publish_hypothesis", hypothesis({ roomId, threadId }))
const describe = (body: object, who = ada) => who.request("POST", "/api/account/description", body)
const text = async (path: string) => (await fetch(own.baseUrl + path)).text()
const person = async (name: string) => (await ask(`${own.baseUrl}/api/research/people/${name}`)).body
const lovelace = { name: "Ada Lovelace", givenName: "Ada", familyName: "Lovelace", orcid: address }

test("the last character of an ORCID follows from the others", (t) => {
  for (const right of [ORCID, "0000-0001-5109-3700", "0000-0002-1694-233X", "0000-0000-0000-0001"])
    t.ok(isOrcid(right), right)
  // By the definition of ISO 7064, which the program computes differently: the weighted sum of the digits is 1 modulo
  // 11.
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9]{15}[0-9X]$/), (digits) => {
      const weighed = [...digits].reduce(
        (sum, digit, at) => sum + (digit === "X" ? 10 : Number(digit)) * 2 ** (15 - at),
        0,
      )
      if (isOrcid(digits) !== (weighed % 11 === 1)) throw new Error(digits)
    }),
  )
  t.end()
})

test("a person without a description is cited by username", async (t) => {
  t.match(await person("grace"), {
    username: "grace",
    name: null,
    givenName: null,
    familyName: null,
    orcid: null,
    instanceId: null,
  })
  t.match(await text(`/api/research/rooms/${roomId}/citation?format=bibtex`), "author = {{ada} and {grace}}")
  t.equal((await fetch(`${own.baseUrl}/api/research/people/nobody`)).status, 404)
})

test("a person enters a name and an ORCID, and removes them", async (t) => {
  t.match(await (await describe({ name: "  Ada \n Lovelace ", orcid: ORCID })).json(), {
    username: "ada",
    name: "Ada Lovelace",
    givenName: null,
    orcid: ORCID,
  })
  for (const orcid of [ORCID, address, `http://www.orcid.org/${ORCID}`]) {
    t.match(await (await describe({ orcid })).json(), { name: null, orcid: ORCID }, "omitted parts are removed")
  }
  t.match(
    await (await describe({ givenName: "Ada", familyName: "Lovelace" })).json(),
    { name: "Ada Lovelace" },
    "a full name made from its parts",
  )
  for (const [said, path] of [
    [{ orcid: "0000-0002-1825-0098" }, "/orcid"],
    [{ orcid: "0000000218250097" }, "/orcid"],
    [{ orcid: `${address}/works` }, "/orcid"],
    [{ orcid: "https://elsewhere.example/0000-0002-1825-0097" }, "/orcid"],
    [{ givenName: "Ada" }, "/familyName"],
    [{ name: " " }, "/name"],
    [{ name: "x".repeat(201) }, "/name"],
    [{ name: 7 }, "/name"],
    [{ title: "Countess" }, "/title"],
  ] as const) {
    const refused = await describe(said)
    t.match(
      [refused.status, await refused.json()],
      [422, { refusal: "invalid_schema", issues: [{ path }] }],
      JSON.stringify(said),
    )
  }
  t.equal((await describe({}, own.stranger() as never)).status, 401)
  t.match(await (await describe({})).json(), { name: null, orcid: null })
  t.equal((await describe(lovelace)).status, 200)
  const form = { username: "ada", password: passwordOf("ada") }
  const { headers } = await ask(`${own.baseUrl}/api/session`, { body: form, headers: { origin: own.baseUrl } })
  const cookie = headers.getSetCookie()[0]?.split(";")[0] ?? ""
  const account = await fetch(`${own.baseUrl}/account`, { headers: { cookie } })
  t.match(await account.text(), /name="familyName"[^>]* value="Lovelace"/)
})

test("citations name them by the parts of their name, with their ORCID", async (t) => {
  for (const place of [`records/${record.versionId}?`, `rooms/${roomId}/citation?`]) {
    const bibtex = await text(`/api/research/${place}format=bibtex`)
    const { entries, errors } = parse(bibtex, { sentenceCase: false })
    t.strictSame(errors, [])
    t.match(entries[0]?.fields.author?.[0], { lastName: "Lovelace", firstName: "Ada" })
    t.match(bibtex, `author+an:orcid = {1="${address}"}`)
    for (const format of ["bibtex", "csl"]) {
      const given = format === "csl" ? (JSON.parse(await text(`/api/research/${place}format=csl`)) as unknown) : bibtex
      const cite = new Cite(given)
      t.match(cite.data[0]?.author[0], { family: "Lovelace", given: "Ada" }, `${place} ${format}`)
      t.match(
        cite.format("bibliography", { format: "text", template: "apa" }),
        "Lovelace, A.",
        "a style can abbreviate it",
      )
    }
  }
  const csl = JSON.parse(await text(`/api/research/rooms/${roomId}/citation?format=csl`)) as Item[]
  t.strictSame(csl[0]?.author, [{ family: "Lovelace", given: "Ada", ORCID: address }, { literal: "grace" }])
  const cff = await text(`/api/research/rooms/${roomId}/citation?format=cff`)
  t.match(cff, `  - family-names: "Lovelace"\n    given-names: "Ada"\n    orcid: "${address}"\n  - name: "grace"\n`)
  t.match(new Cite(cff).data[0]?.author, [{ family: "Lovelace", given: "Ada" }, {}])
  t.match(await person(`ada`), { name: "Ada Lovelace", orcid: ORCID })
})

test("pages and feeds use that name", async (t) => {
  const page = await text(`/records/${record.versionId}`)
  t.match(page, '<meta name="citation_author" content="Ada Lovelace">')
  t.match(page, `<meta name="citation_author_orcid" content="${address}">`)
  const linked = (html: string) =>
    JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)?.[1] ?? "{}") as Record<
      string,
      object
    >
  const named = { "@type": "Person", "@id": address, name: "Ada Lovelace", givenName: "Ada", familyName: "Lovelace" }
  t.strictSame(linked(page).author, named)
  t.strictSame(linked(await text(`/rooms/${roomId}`)).author, named)
  t.match((await fetch(`${own.baseUrl}/records/${record.versionId}`)).headers.get("link"), `<${address}>; rel="author"`)

  const theirs = await fetch(`${own.baseUrl}/people/ada`)
  const html = await theirs.text()
  t.match(html, /<h1>Ada Lovelace<\/h1>/)
  t.match(html, `href="${address}"`)
  t.match(html, `href="/records/${record.versionId}"`)
  t.match(linked(html).mainEntity, { ...named, alternateName: "ada" })
  t.match(html, `href="${own.baseUrl}/people/ada/feed.atom"`, "and links to the feed of their work")
  t.match(await text(`/rooms/${roomId}/people`), `href="${address}"`)
  t.equal((await fetch(`${own.baseUrl}/people/nobody`)).status, 404)

  for (const place of [`/people/ada`, `/rooms/${roomId}`, `/threads/${threadId}`, "/search"]) {
    const query = place === "/search" ? "?query=ramp" : ""
    const { entries } = parseAtomFeed(await text(`${place}/feed.atom${query}`))
    t.match(entries?.[0]?.authors, [{ name: "Ada Lovelace", uri: address }], place)
    const { items } = parseJsonFeed(JSON.parse(await text(`${place}/feed.json${query}`)))
    t.match(items?.[0]?.authors, [{ name: "Ada Lovelace", url: address }], place)
  }
})

test("hostile names are shown as plain text", async (t) => {
  for (const name of [
    '"]\n- x: y',
    "} and {Eve",
    "\\input{/etc/passwd} % &",
    '</script><script>alert("x")</script>',
    "a: b # c",
    "🧪 O'Brien",
  ]) {
    t.equal((await describe({ name, givenName: name, familyName: name })).status, 200, name)
    const line = name.replace(/\s+/g, " ").trim()
    const { entries, errors } = parse(await text(`/api/research/rooms/${roomId}/citation?format=bibtex`), {
      sentenceCase: false,
    })
    t.strictSame([entries.length, errors.length, entries[0]?.fields.author?.length], [1, 0, 2], line)
    const { data } = new Cite(await text(`/api/research/rooms/${roomId}/citation?format=cff`))
    t.match(data[0]?.author[0], { family: line, given: line })
    t.notMatch(await text(`/records/${record.versionId}`), "<script>alert")
    t.strictSame(parseAtomFeed(await text("/people/ada/feed.atom")).entries?.[0]?.authors?.[0]?.name, line)
  }
  await describe(lovelace)
})

test("it is an entry of the journal, and is exported with a Room", async (t) => {
  t.strictSame(checkData(own.instance.db).problems, [], "a replay gives the same")
  const reader = new ResearchRoomClient({ baseUrl: own.baseUrl })
  const exported = async () => (await fetch(`${own.baseUrl}/api/research/rooms/${roomId}/export`)).bytes()
  const first = await exported()
  const crate = unpack(first)
  t.strictSame(crate.faults(), [])
  t.match(crate.entity(address), {
    "@type": "Person",
    name: "Ada Lovelace",
    familyName: "Lovelace",
    alternateName: "ada",
  })
  t.strictSame(crate.entity("./")?.creator, { "@id": address })
  t.strictSame(crate.entity("records/H1.json")?.author, { "@id": address })
  t.match(crate.lines("people.jsonl"), [
    { username: "ada", orcid: ORCID },
    { username: "grace", name: null },
  ])

  const here = elsewhere(t)
  await here.import(first)
  const userId = (await reader.read("room", { roomId })).owner.userId
  const known = () => here.tables.people.described(userId)
  t.match(known(), { name: "Ada Lovelace", givenName: "Ada", familyName: "Lovelace", orcid: ORCID })
  t.ok(Buffer.from(first).equals(await here.export(roomId)), "and exported again byte for byte")

  await describe({ name: "Ada King" })
  await here.import(await exported())
  t.match(known(), { name: "Ada King", orcid: null }, "a newer crate updates them, even with nothing else new")
  await ada.write("post_message", { threadId, text: "One more." } as never)
  await here.import(await exported())
  await describe(lovelace)
  await here.import(first)
  t.match(known(), { name: "Ada King" }, "an older one does not")
  t.strictSame(here.problems(), [])

  const twice = grace
  await describe({ name: "Another Ada", orcid: ORCID }, twice)
  const both = unpack(await exported())
  t.strictSame(both.faults(), [])
  t.equal(
    both.graph.filter((entity) => entity["@id"] === address).length,
    1,
    "two people with the same ORCID are kept apart",
  )
  t.equal(both.graph.filter((entity) => entity["@type"] === "Person").length, 2)
})
