/** BibTeX import and export: real people's files, the cost of a hostile one, and that a paper keeps its key. */
import fc from "fast-check"
import t from "tap"
import { pattern } from "../support/pattern.ts"
import { test } from "tap"
import { stored } from "../../src/contract/json.ts"
import { texValue, writeBibtex } from "../../src/library/bibliography/file.ts"
import type { PaperRecord } from "../../src/library/papers/papers.ts"
import { collectionOf, paperId, readText, refused, openLibrary } from "./library.ts"

const file = String.raw`
Something that is no entry.
@string{cl = "Computation and Language"}
@article{vaswani2017, title={{Attention} Is All You {N}eed}, author={Vaswani, Ashish and {The ATLAS Collaboration}},
  eprint={1706.03762v5}, archivePrefix={arXiv}, primaryClass={cs.CL}, journal=cl, date={2017-06-12}}
@misc{kingma:adam, author="Kingma, Diederik P. and Ba, Jimmy", title={Adam: na\"ive \emph{and} $x_1$},
  journal={arXiv preprint arXiv:1412.6980}, year=2014}
@article{maldacena, title={The large $N$ limit}, author={Maldacena, Juan},
  eprint={9711200}, archiveprefix={arXiv}, primaryclass={hep-th}}
@online{byurl, title={By address}, url={https://arxiv.org/pdf/2001.08361v1}}
@article{bydoi, title={By DOI}, doi={10.48550/arXiv.1908.03265}}
@article{twice, title={Adam, once more}, eprint={1412.6980}}
@book{knuth, title={The Art}, year={1968}}
@article{elsewhere, title={Other archive}, eprint={123}, eprinttype={pubmed}}
@article{broken, title={Unclosed}
@misc{byurl, title={The same key again}, eprint={2002.04745}}
`

test(
  "every entry is a paper, known by its arXiv id, its DOI or its own words, " + "and what cannot be read is listed",
  async (t) => {
    const { papers, unreadable } = await readText(file)
    t.match(
      papers.map(({ paperId, citationKey }) => [paperId, citationKey]),
      [
        ["1706.03762", "vaswani2017"],
        ["1412.6980", "kingma:adam"],
        ["hep-th/9711200", "maldacena"],
        ["2001.08361", "byurl"],
        ["1908.03265", "bydoi"],
        [/^ref:/, "knuth"],
        [/^ref:/, "elsewhere"],
        [/^ref:/, "broken"],
        ["2002.04745", undefined],
      ],
    )
    t.strictSame(papers[0]?.given, {
      type: "article-journal",
      title: "Attention Is All You Need",
      authors: ["Ashish Vaswani", "The ATLAS Collaboration"],
      names: [{ family: "Vaswani", given: "Ashish" }, { literal: "The ATLAS Collaboration" }],
      publishedAt: "2017-06-12T00:00:00.000Z",
      year: 2017,
      issued: { "date-parts": [[2017, 6, 12]] },
      venue: "Computation and Language",
    })
    t.match(
      papers[1]?.given,
      { title: "Adam: naïve and x₁", authors: ["Diederik P. Kingma", "Jimmy Ba"], year: 2014 },
      "the first of two entries is kept",
    )
    t.strictSame(unreadable, [{ input: "Something that is no entry.", why: "is outside the file's entries" }])
    t.match((await readText("@article{broken, title={Unclosed")).unreadable, [
      { input: "@article{broken, title={Unclosed", why: /braces or quotes do not match/ },
    ])
  },
)

test("no file delays the service", async (t) => {
  const hostile = [
    "@article{a, title=".repeat(10_000),
    `@misc{x,title={${"{".repeat(100_000)}}}`,
    `@misc{x,author={${"A and ".repeat(40_000)}}}`,
    `@string{a=a}\n@misc{x,t=a#${"a#".repeat(9_000)}a}`,
    `@misc{x,title={${"\\emph{".repeat(2_500)}}}`,
    `@misc{x,author={${"A and ".repeat(3_000)}}}`,
  ]
  for (const text of hostile) {
    const begun = performance.now()
    t.ok((await readText(text)).papers.length <= 1)
    const took = performance.now() - begun
    t.ok(took < 5_000, `${text.slice(0, 20)}… took ${Math.round(took)} ms`)
  }
  await fc.assert(
    fc.asyncProperty(
      fc.string({
        unit: fc.constantFrom(
          "@",
          "{",
          "}",
          "\\",
          '"',
          "#",
          ",",
          "=",
          "a",
          "\n",
          "misc",
          " ",
          "title",
          "1706.03762",
          "eprint",
        ),
        maxLength: 60,
      }),
      async (text) => {
        await readText(text)
      },
    ),
    { numRuns: 300 },
  )
})

const fieldOf = (bibtex: string, name: string) => new RegExp(`^  ${name} = \\{(.*)\\},?$`, "m").exec(bibtex)?.[1]

test("exported BibTeX is read again as the same papers", async (t) => {
  const record = (title: string, authors: string[], publishedAt: string | null = "2017-06-12T00:00:00.000Z") =>
    stored<PaperRecord>(JSON.stringify({ title, authors, categories: ["cs.CL", "cs.LG"], publishedAt }))
  const nothing = { record: null, sameAs: null, given: null }
  const text = writeBibtex([
    {
      ...nothing,
      paperId: "1706.03762",
      citationKey: "vaswani2017",
      record: record("Attention & 100% of $x_1 \\& y$", [
        "Ashish Vaswani",
        "The ATLAS and CMS Collaborations",
        "Erdős, Paul",
      ]),
    },
    { ...nothing, paperId: "hep-th/9711200", citationKey: null },
    {
      ...nothing,
      paperId: "math/0309136",
      citationKey: null,
      record: record("Unbalanced } brace {{ and a lone $", [], null),
    },
  ])
  t.match(
    text,
    pattern(
      /^@misc\{vaswani2017,\n {2}title = \{\{Attention \\& 100\\% of \$x_1 \\& y\$\}\},\n/,
      / {2}author = \{Vaswani, Ashish and \{The ATLAS and CMS Collaborations\} and Erdős, Paul\},\n/,
      / {2}year = \{2017\},\n {2}date = \{2017-06-12\},\n {2}eprint = \{1706\.03762\},\n/,
      / {2}archivePrefix = \{arXiv\},\n {2}primaryClass = \{cs\.CL\},/,
    ),
  )
  t.match(text, /@misc\{arXiv:hep-th\/9711200,\n {2}year = \{1997\}/, "the year is in the id")
  t.match(
    text,
    /@misc\{arXiv:math\/0309136,\n {2}title = \{\{Unbalanced brace and a lone \\\$\}\},\n {2}year = \{2003\}/,
  )
  const { papers, unreadable } = await readText(text)
  t.strictSame(
    papers.map(({ paperId }) => paperId),
    ["1706.03762", "hep-th/9711200", "math/0309136"],
  )
  t.strictSame(papers[0]?.given?.authors, ["Ashish Vaswani", "The ATLAS and CMS Collaborations", "Paul Erdős"])
  t.strictSame(unreadable, [])
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (title) => {
      const value = texValue(title)
      let depth = 0
      for (const brace of value.replace(/\\[{}]/g, "").match(/[{}]/g) ?? [])
        if ((depth += brace === "{" ? 1 : -1) < 0) throw new Error(value)
      if (depth !== 0 || (value.replace(/\\\$/g, "").match(/\$/g) ?? []).length % 2 !== 0) throw new Error(value)
    }),
  )
})

const lab = await openLibrary(t)
const { ada, grace } = lab

test("a Collection imports a whole file, and exports it under the same keys", async (t) => {
  const collectionId = await collectionOf(ada, "From a file", ["1412.6980"])
  const { result } = await ada.write("import_papers", { collectionId, text: file })
  t.match(result, {
    added: ["1706.03762", "hep-th/9711200", "2001.08361", "1908.03265", /^ref:/, /^ref:/, /^ref:/, "2002.04745"],
    alreadyThere: ["1412.6980"],
    alreadySaved: ["1412.6980"],
  })
  t.equal(result.unreadable.length, 1)
  const { items } = await ada.read("library_collection", { collectionId })
  t.match(
    items.find(({ arxivId }) => arxivId === "1706.03762"),
    {
      title: "Attention Is All You Need",
      authors: ["Ashish Vaswani", "The ATLAS Collaboration"],
      abstract: null,
      metadata: "unknown",
    },
    "the file's data, until arXiv's is known",
  )
  const out = await ada.request("GET", `/api/library/collections/${collectionId}/bibtex`)
  t.equal(out.headers.get("content-type"), "application/x-bibtex; charset=utf-8")
  const text = await out.text()
  t.strictSame(
    [...text.matchAll(/^@(?:misc|article|book)\{(.*),$/gm)].map((match) => match[1]),
    [
      "arXiv:1412.6980",
      "vaswani2017",
      "maldacena",
      "byurl",
      "bydoi",
      "knuth",
      "elsewhere",
      "broken",
      "arXiv:2002.04745",
    ],
  )
  t.equal(fieldOf(text, "title"), "{Attention Is All You Need}")
  const again = await ada.write("import_papers", { collectionId, text })
  t.match(again.result, { added: [], unreadable: [] }, "export and import change nothing")
  t.equal(await (await ada.request("GET", `/api/library/collections/${collectionId}/bibtex`)).text(), text)
})

test("an agent's key downloads a Collection's BibTeX, within its reach", async (t) => {
  const collectionId = await collectionOf(ada, "For a paper", ["1706.03762"])
  const token = (await ada.write("issue_key", { label: "bib", permissions: ["read_library"], reach: "all" })).result
    .token as string
  const asked = (bearer: string) =>
    fetch(`${lab.baseUrl}/api/agent/library/collections/${collectionId}/bibtex`, {
      headers: { authorization: `Bearer ${bearer}` },
    })
  const found = await asked(token)
  t.equal(found.status, 200)
  t.equal(found.headers.get("content-disposition"), `attachment; filename="collection-${collectionId}.bib"`)
  t.match(await found.text(), /eprint = \{1706\.03762\}/)
  const other = (await grace.write("issue_key", { label: "bib", permissions: ["read_library"], reach: "all" })).result
    .token as string
  t.match(await (await asked(other)).json(), { refusal: "unknown_collection" })
  const notes = (await ada.write("issue_key", { label: "notes", permissions: ["post_notes"], reach: "all" })).result
    .token as string
  t.match(await (await asked(notes)).json(), { refusal: "not_authorized" })
})

test("an import follows the rules of every write", async (t) => {
  const collectionId = await collectionOf(ada, "Rules")
  const entries = (count: number, from: number) =>
    Array.from({ length: count }, (_, index) => `@misc{k${from + index}, eprint={${paperId(from + index)}}}`).join("\n")
  await ada.write("import_papers", { collectionId, text: entries(990, 0) })
  t.match(await refused(ada.write("import_papers", { collectionId, text: entries(11, 1_000) })), {
    status: 409,
    refusal: "limit_reached",
    current: { limit: "collectionPapers", now: 990, added: 11 },
  })
  t.match(await ada.read("library_collection", { collectionId }), { counts: { papers: 990 } })
  t.match(await refused(grace.write("import_papers", { collectionId, text: file })), {
    status: 404,
    refusal: "unknown_collection",
  })
  t.match(await refused(ada.write("import_papers", { collectionId, text: "x".repeat(500_001) })), {
    status: 422,
    refusal: "invalid_request",
    issues: ["/text"],
  })
  const request = { requestId: crypto.randomUUID(), collectionId, text: entries(3, 2_000) }
  const first = await ada.write("import_papers", request)
  t.match(await ada.write("import_papers", request), { replayed: true, result: first.result })
})
