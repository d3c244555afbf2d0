/** Files that the Library exports are read again as the same papers, whatever their names. */
import { pattern } from "../support/pattern.ts"
import fc from "fast-check"
import { parse as parseIsbn } from "isbn3"
import { test } from "tap"
import { stored } from "../../src/contract/json.ts"
import { type BibliographyFormat, bibliographyOf, unchanged, type Cited } from "../../src/library/bibliography/file.ts"
import { referenceOf } from "../../src/library/papers/found.ts"
import type { Given } from "../../src/library/papers/papers.ts"
import { readTexts } from "../../src/library/pasted.ts"
import { runs } from "../support/chance.ts"
import { paperId } from "./library.ts"

const file = async (format: BibliographyFormat, papers: readonly Cited[]) =>
  await new Response(
    bibliographyOf("papers", format, papers, unchanged).bytes as ReadableStream<Uint8Array<ArrayBuffer>>,
  ).text()

const words = fc
  .array(fc.stringMatching(/^[A-Za-zé0-9]{1,9}$/), { minLength: 2, maxLength: 6 })
  .map((all) => all.join(" "))
const title = fc.oneof(
  words,
  words,
  // U+FFFD stands for a sign that was lost, so a text that has it is refused.
  fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 40 })
    .filter((text) => /\p{L}/u.test(text) && !/\uFFFD/.test(text)),
)
const given = fc
  .record(
    {
      title,
      authors: fc.array(
        fc.constantFrom(
          "Claude E. Shannon",
          "The ATLAS Collaboration",
          "Erwin Schrödinger",
          "Grace Hopper Jr",
          "Plato",
        ),
        {
          minLength: 1,
          maxLength: 3,
        },
      ),
      year: fc.integer({ min: 1600, max: 2030 }),
      venue: words,
      volume: fc.constantFrom("27", "A"),
      issue: fc.constantFrom("3", "7553"),
      pages: fc.constantFrom("379–423", "12", "S3–S9"),
    },
    { requiredKeys: ["title"] },
  )
  .map((said): Given => ({ ...said, title: said.title.replace(/\s+/g, " ").trim().normalize() }))
const isbn = fc
  .stringMatching(/^97[89][0-9]{9}$/)
  .map((digits) => {
    const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0)
    return `${digits}${(10 - (sum % 10)) % 10}`
  })
  .filter((digits) => parseIsbn(digits) !== null)
const doi = fc.oneof(
  fc.stringMatching(/^10\.[1-9][0-9]{3,4}\/[a-z0-9][a-z0-9._-]{0,20}[a-z0-9]$/),
  fc.constantFrom("10.1002/(sici)1097-4636(199823)43:4<338::aid-jbm16>3.0.co;2-b", "10.1000/a_b%c#d", "10.1000/x,y;z"),
)
const cited = fc.oneof(
  fc
    .tuple(fc.nat(80_000).map(paperId), given, fc.option(doi))
    .map(([id, said, other]) => ({ paperId: id, given: { ...said, ...(other !== null && { doi: other }) } })),
  fc.tuple(doi, given).map(([id, said]) => ({ paperId: id, given: said })),
  fc.tuple(isbn, given).map(([id, said]) => ({ paperId: `isbn:${id}`, given: { ...said, isbn: id } })),
  given.map((said) => ({ paperId: referenceOf(said), given: said })),
)
const asCited = ({ paperId: id, given: said }: { paperId: string; given: Given }): Cited => ({
  paperId: id,
  record: null,
  sameAs: null,
  given: stored<Given>(JSON.stringify(said)),
  citationKey: null,
})

test("BibTeX, RIS and CSL-JSON come back as the same papers, with their metadata", async (t) => {
  for (const format of ["bibtex", "ris", "csl"] as const)
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(cited, { maxLength: 6, selector: (paper) => paper.paperId }), async (papers) => {
        const text = await file(format, papers.map(asCited))
        const found = await readTexts([text])
        const [back, due] = [found.papers.map((paper) => paper.paperId), papers.map((paper) => paper.paperId)]
        if (back.join() !== due.join() || found.unreadable.length > 0)
          throw new Error(`${back.join()} for ${due.join()}, ${JSON.stringify(found.unreadable)}, of\n${text}`)
        for (const [index, { given: said }] of papers.entries()) {
          const again: Given = found.papers[index]?.given ?? {}
          const isPlain = /^[A-Za-z0-9 ]+$/.test(said.title ?? "")
          for (const [member, value] of Object.entries(isPlain ? said : {}))
            if (JSON.stringify(again[member as keyof Given]) !== JSON.stringify(value))
              throw new Error(`${member} is ${JSON.stringify(again)} for ${JSON.stringify(said)}, of\n${text}`)
        }
      }),
      // A preprint with a volume and no venue, which a random run rarely makes.
      { numRuns: runs(300, 60), examples: [[[{ paperId: "2401.10000", given: { title: "0 A", volume: "27" } }]]] },
    )
  t.pass("in all three formats")
})

test("programs find the DOI and the ISBN in the fields that they read", async (t) => {
  const papers: Cited[] = [
    asCited({
      paperId: "10.1002/j.1538-7305.1948.tb01338.x",
      given: {
        title: "A Mathematical Theory of Communication",
        authors: ["C. E. Shannon"],
        year: 1948,
        venue: "Bell System Technical Journal",
        volume: "27",
        issue: "3",
        pages: "379–423",
      },
    }),
    asCited({
      paperId: "isbn:9780262033848",
      given: { title: "Introduction to Algorithms", venue: "MIT Press", isbn: "9780262033848" },
    }),
    { ...asCited({ paperId: "1706.03762", given: {} }), given: null },
  ]
  const bibtex = await file("bibtex", papers)
  t.match(
    bibtex,
    pattern(
      /^@article\{10\.1002\/j\.1538-7305\.1948\.tb01338\.x,\n {2}title = [^\n]*\n {2}author = \{Shannon, /,
      /C\. E\.\},\n {2}year = \{1948\},\n {2}journal = \{Bell System Technical Journal\},\n/,
      / {2}volume = \{27\},\n {2}number = \{3\},\n {2}pages = \{379--423\},\n/,
      / {2}doi = \{10\.1002\/j\.1538-7305\.1948\.tb01338\.x\},/,
    ),
  )
  t.match(
    bibtex,
    /@book\{isbn:9780262033848,\n {2}title = [^\n]*\n {2}publisher = \{MIT Press\},\n {2}isbn = \{9780262033848\}/,
  )
  t.match(
    await file("ris", papers),
    pattern(
      /TY {2}- JOUR\r\n[^]*VL {2}- 27\r\nIS {2}- 3\r\nSP {2}- 379\r\nEP {2}- 423\r\n/,
      /DO {2}- 10\.1002[^]*TY {2}- BOOK\r\n[^]*SN {2}- 9780262033848\r\n/,
    ),
  )
  t.match(JSON.parse(await file("csl", papers)), [
    {
      type: "article-journal",
      DOI: "10.1002/j.1538-7305.1948.tb01338.x",
      "container-title": "Bell System Technical Journal",
      page: "379–423",
      issued: { "date-parts": [[1948]] },
    },
    { type: "book", ISBN: "9780262033848", publisher: "MIT Press" },
    { type: "article", DOI: "10.48550/arXiv.1706.03762", issued: { "date-parts": [[2017]] } },
  ])
})
