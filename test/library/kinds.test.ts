/**
 * What people paste, kind by kind: files as programs export them and texts as people copy them, each read as what it
 * is. People and papers are made up.
 */
import { test } from "tap"
import { stored } from "../../src/contract/json.ts"
import { type Cited, type BibliographyFormat, bibliographyOf, unchanged } from "../../src/library/bibliography/file.ts"
import { dateOf } from "../../src/library/papers/csl.ts"
import { plain } from "../../src/library/papers/record.ts"
import type { Given } from "../../src/library/papers/papers.ts"
import { readTexts } from "../../src/library/pasted.ts"

const read = (text: string) => readTexts([text])
const idsIn = async (text: string) => (await read(text)).papers.map(({ paperId }) => paperId)
const titlesIn = async (text: string) => (await read(text)).papers.map(({ given }) => given?.title)

test("a file is recognised by what is in it, and one in an unknown form is refused whole", async (t) => {
  const entry = "TY  - JOUR\nTI  - Slow rivers\nAU  - Lund, Eva\nPY  - 2012\nER  - \n"
  const files: readonly (readonly [string, string, readonly string[]])[] = [
    ["RIS", "ris", [entry, `Provider: An Archive\nDatabase: x\n\n${entry}`, entry.replace(/^/gm, "  ")]],
    ["RIS in quotes", "ris", [entry.replace(/^(.+)$/gm, '"$1"'), `\uFEFF\n\n${entry}`]],
    ["PubMed", "pubmed", ["PMID- 12\nTI  - Slow\n      rivers.\nFAU - Lund, Eva\nDP  - 2012\n"]],
    ["EndNote", "endnote", ["%0 Journal Article\n%A Lund, Eva\n%T Slow rivers\n%D 2012\n"]],
    ["BibTeX", "bibtex", ["@article{k, title={Slow rivers}, author={Lund, Eva}, year=2012}"]],
    [
      "CSL-JSON",
      "csl_json",
      [
        '[{"type":"article","title":"Slow ' +
          'rivers","author":[{"family":"Lund","given":"Eva"}],"issued":{"date-parts":[["2012"]]}}]',
        '{"language":"en","title":"Slow rivers","author":[{"literal":"Eva Lund"}],"issued":{"raw":"2012"}}',
        '{"author":"Lund, Eva","issued":{"literal":"2012"},"title":["Slow rivers"]}',
      ],
    ],
    [
      "Crossref",
      "crossref_json",
      [
        '{"status":"ok","message":{"items":[{"indexed":{},"title":["Slow ' +
          'rivers"],"author":[{"family":"Lund","given":"Eva"}],"issued":{"date-parts":[[2012]]}}]}}',
      ],
    ],
  ]
  for (const [name, format, texts] of files)
    for (const text of texts) {
      const { papers, readAs = [], unreadable } = await read(text)
      t.strictSame([papers.length, unreadable.length], [1, 0], name)
      t.match(papers[0]?.given, { title: "Slow rivers", authors: ["Eva Lund"], year: 2012 }, name)
      t.match(readAs, [{ format, title: "Slow rivers", paperId: papers[0]?.paperId }], name)
    }
  const unknown = [
    '[{"DOI": "10.5555/cut.off", "title": "Cut',
    '{"color": "red", "size": 3}',
    "[1, 2, 3]",
    '<?xml version="1.0"?><xml><records><record>10.5555/x.y</record></records></xml>',
    '<!DOCTYPE html><html><body><a href="https://doi.org/10.5555/x.y">x</a></body></html>',
    '"Key","Item Type","Publication Year","Author","Title","DOI"\n"AB","article","2012","Lund","Slow","10.5555/x.y"',
    "M\uFFFDller, J. (2012). Slow rivers in the north. 10.5555/x.y",
  ]
  for (const text of unknown) {
    const { papers, unreadable } = await read(text)
    t.strictSame([papers.length, unreadable.length], [0, 1], text)
    t.ok(text.startsWith((unreadable[0]?.input ?? "?").slice(0, 10)), "and it is named by its first words")
  }
})

test("a DOI ends where it ends, however it was written down", async (t) => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['{"DOI":"10.5555/kind.a1","title":"x"} and more', ["10.5555/kind.a1"]],
    ['<a href="https://doi.org/10.5555/kind.a2">A paper on rain</a>', ["10.5555/kind.a2"]],
    ["['10.5555/kind.a3','10.5555/kind.a4']", ["10.5555/kind.a3", "10.5555/kind.a4"]],
    ['"10.5555/kind.a5","10.5555/kind.a6"', ["10.5555/kind.a5", "10.5555/kind.a6"]],
    ["<https://doi.org/10.5555/kind.a7>", ["10.5555/kind.a7"]],
    ["see <doi>10.5555/kind.a8</doi>", ["10.5555/kind.a8"]],
    ["doi = &quot;10.5555/kind.a9&quot;", ["10.5555/kind.a9"]],
    ["(10.5555/kind(2012)b1)", ["10.5555/kind(2012)b1"]],
    [
      "10.1002/(SICI)1097-0258(19970515)16:9<981::AID-SIM510>3.0.CO;2-N",
      ["10.1002/(sici)1097-0258(19970515)16:9<981::aid-sim510>3.0.co;2-n"],
    ],
    [
      "https://doi.org/10.1002%2F%28SICI%291097-0258%2816%3A9%3C981%3A%3AAID%3E3",
      ["10.1002/(sici)1097-0258(16:9<981::aid>3"],
    ],
    ["doi:10.1007/978-3-319-24574-4\\_28", ["10.1007/978-3-319-24574-4_28"]],
  ]
  for (const [text, ids] of cases) t.strictSame(await idsIn(text), ids, text)
  const fields: readonly (readonly [string, string])[] = [
    ["doi={10.1007/978-3-319-24574-4\\_28}", "10.1007/978-3-319-24574-4_28"],
    ["doi={10.1007/11925941{\\_}3}", "10.1007/11925941_3"],
    ["url={https://doi.org/10.1007/11925941\\_4}", "10.1007/11925941_4"],
    ["doi={10.1002/x{\\textless}981::a{\\textgreater}3}", "10.1002/x<981::a>3"],
    ["doi={10.1002/x$<$981::a$>$3}", "10.1002/x<981::a>3"],
    ["doi={10.5555/a\\&b}", "10.5555/a&b"],
    ["doi={https://doi.org/10.5555%2Fa.b}", "10.5555/a.b"],
    ["doi={}, note={DOI: 10.5555/n.1}", "10.5555/n.1"],
  ]
  for (const [field, id] of fields) t.strictSame(await idsIn(`@article{k, title={Rain}, ${field}}`), [id], field)
  for (const tag of ["M3", "N1", "L3", "UR"])
    t.strictSame(await idsIn(`TY  - JOUR\nTI  - Rain\n${tag}  - doi:10.5555/in.${tag}\nER  - `), [
      `10.5555/in.${tag.toLowerCase()}`,
    ])
})

test("markup is taken out of titles and names, and signs that are no markup stay", async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ["Cats &amp; dogs: a &lt;i&gt;longitudinal&lt;/i&gt; study", "Cats & dogs: a longitudinal study"],
    ["Growth at x<sub>2</sub> &#8211; the H<sub>2</sub>O case", "Growth at x2 – the H2O case"],
    ["Transport for T < 10 K and fields > 3 T", "Transport for T < 10 K and fields > 3 T"],
    ["Patients with p<0.05 and HR>1.2 in <i>E. coli</i>", "Patients with p<0.05 and HR>1.2 in E. coli"],
    ["if a<b and c>d, what then", "if a<b and c>d, what then"],
    ["a <x and more", "a <x and more"],
    ["<jats:p>First.</jats:p><jats:p>Second.</jats:p>", "First. Second."],
    ["The <mml:math><mml:mi>x</mml:mi></mml:math> case", "The x case"],
    ["AT&T and R&D at 5&6", "AT&T and R&D at 5&6"],
    ['<span class="nocase">DNA</span> &eacute;t&eacute;', "DNA été"],
  ]
  for (const [text, right] of cases) t.equal(plain(text), right, text)
  t.match(
    (
      await read(
        "TY  - JOUR\nTI  - A\nAU  - M&uuml;ller, J&ouml;rg\nAU  - O&apos;Neil, Sam\nJO  - Pets &amp; People\nER  - ",
      )
    ).papers[0]?.given,
    {
      authors: ["Jörg Müller", "Sam O'Neil"],
      venue: "Pets & People",
    },
  )
  const dotless = String.raw`Garc{\'\i}a, Luc{\'\i}a and Mart{\'{\i}}nez, Jos{\'e} and Mart\'{\i}n, Ana`
  t.match((await read(`@article{g, title={Na{\\"\\i}ve p < 0.05}, author={${dotless}}, year=2001}`)).papers[0]?.given, {
    title: "Naïve p < 0.05",
    authors: ["Lucía García", "José Martínez", "Ana Martín"],
  })
})

test("names keep their parts, and those who are not named are nobody", async (t) => {
  const authors = async (names: string) => {
    const { names: parts, moreAuthors } =
      (await read(`@article{k, title={Rain}, author={${names}}}`)).papers[0]?.given ?? {}
    return [parts, moreAuthors === true]
  }
  const lee = { family: "Lee", given: "Ann" }
  t.strictSame(await authors("{The PGF/TikZ Team} and others"), [[{ literal: "The PGF/TikZ Team" }], true])
  t.strictSame(await authors("Lee, Ann and et al."), [[lee], true])
  t.strictSame(await authors("Lee, Ann; Diaz, Bo; others"), [[lee, { family: "Diaz", given: "Bo" }], true])
  t.strictSame(await authors("van der Berg, Jan and Garc\\'ia M\\'arquez, Gabriel and Smith, Jr., Tom"), [
    [
      { family: "Berg", given: "Jan", "non-dropping-particle": "van der" },
      { family: "García Márquez", given: "Gabriel" },
      { family: "Smith", given: "Tom", suffix: "Jr." },
    ],
    false,
  ])
  const ris = await read("TY  - JOUR\nTI  - A\nAU  - Smith, Tom, Jr.\nAU  - de la Cruz, Ana\nAU  - et al.\nER  - ")
  t.match(ris.papers[0]?.given, {
    names: [
      { family: "Smith", given: "Tom", suffix: "Jr." },
      { family: "Cruz", given: "Ana", "non-dropping-particle": "de la" },
    ],
    moreAuthors: true,
  })
})

test("a name, a date and those who are not named come out of every export as they came in", async (t) => {
  const given: Given = {
    title: "Particles ~ in names 100\\%",
    type: "chapter",
    authors: ["Jan van der Berg", "Tom Smith Jr."],
    names: [
      { family: "Berg", given: "Jan", "non-dropping-particle": "van der" },
      { family: "Smith", given: "Tom", suffix: "Jr." },
    ],
    moreAuthors: true,
    issued: { "date-parts": [[2011]], season: 1 },
    year: 2011,
    venue: "A Book of Names",
    publisher: "Example Press",
  }
  const cited: Cited = {
    paperId: "10.5555/names",
    record: null,
    sameAs: null,
    given: stored<Given>(JSON.stringify(given)),
    citationKey: "k",
  }
  const file = (format: BibliographyFormat) =>
    new Response(
      bibliographyOf("x", format, [cited], unchanged).bytes as ReadableStream<Uint8Array<ArrayBuffer>>,
    ).text()
  const [bibtex, ris, csl] = [await file("bibtex"), await file("ris"), await file("csl")]
  t.match(bibtex, "author = {van der Berg, Jan and Smith, Jr., Tom and others}")
  t.match(
    bibtex,
    /@incollection\{k,[^]*title = \{\{Particles \\textasciitilde\{\} in names 100\\textbackslash\{\}\\%\}\}/,
  )
  t.match(bibtex, /date = \{2011-21\}[^]*booktitle = \{A Book of Names\}[^]*publisher = \{Example Press\}/)
  t.match(ris, /TY {2}- CHAP[^]*AU {2}- van der Berg, Jan\r\nAU {2}- Smith, Tom, Jr\.\r\n[^]*T2 {2}- A Book of Names/)
  t.match(JSON.parse(csl), [{ type: "chapter", author: given.names, issued: given.issued, publisher: "Example Press" }])
  for (const text of [bibtex, csl]) {
    const [again] = (await read(text)).papers
    t.match(again?.given, { names: given.names, issued: given.issued, type: "chapter", venue: given.venue })
  }
  t.notMatch(`${ris}${csl}`, /others/)
})

test("a date keeps what can be of it", (t) => {
  const cases: Readonly<Record<string, unknown>> = {
    "2016a": { "date-parts": [[2016]] },
    "in press": { literal: "in press" },
    "ca. 1999": { "date-parts": [[1999]], circa: true },
    "Oct 2016": { "date-parts": [[2016, 10]] },
    "2015-10/2016-02": {
      "date-parts": [
        [2015, 10],
        [2016, 2],
      ],
    },
    "1957?": { "date-parts": [[1957]], circa: true },
    "Spring 2011": { "date-parts": [[2011]], season: 1 },
    "2012, June": { "date-parts": [[2012, 6]] },
    "March 5, 2012": { "date-parts": [[2012, 3, 5]] },
    "2012 Mar 5": { "date-parts": [[2012, 3, 5]] },
    "2015-13-45": { "date-parts": [[2015]] },
    "2015-02-30": { "date-parts": [[2015, 2]] },
    "2011-24": { "date-parts": [[2011]], season: 4 },
    "n.d.": { literal: "n.d." },
  }
  for (const [text, right] of Object.entries(cases)) t.strictSame(dateOf(text), right, text)
  t.end()
})

test("one paper by three ways is one paper", async (t) => {
  const texts = [
    "@article{a, title={{Naps} at sea: a trial}, author={Garc{\\'\\i}a M{\\'a}rquez, Gabriel}, year={2013a}}",
    "TY  - JOUR\nTI  - Naps at sea: a trial\nAU  - García Márquez, Gabriel\nPY  - 2013/01/02/\nER  - \n",
    '{"title":"Naps at <i>sea</i>: a trial","author":[{"given":"Gabriel","family":"García ' +
      'Márquez"}],"issued":{"raw":"2013"}}',
  ]
  const ids = new Set((await Promise.all(texts.map(idsIn))).flat())
  t.equal(ids.size, 1)
  t.match([...ids], [/^ref:/])
  t.strictSame(await titlesIn(texts[0] ?? ""), ["Naps at sea: a trial"])
})

test("a chapter is not its book", async (t) => {
  const isbn = "978-0-262-03384-8"
  const chapter = [
    "TY  - CHAP",
    "TI  - The third chapter",
    "T2  - A whole book",
    `SN  - ${isbn}`,
    "PB  - A Press",
    "PY  - 2009",
    "ER  - ",
  ].join("\n")
  const { papers } = await read(
    `${chapter}\n${chapter.replace("CHAP", "BOOK").replace("The third chapter", "A whole book")}`,
  )
  t.match(
    papers.map(({ paperId, given }) => [paperId, given?.title, given?.venue]),
    [
      [/^ref:/, "The third chapter", "A whole book"],
      ["isbn:9780262033848", "A whole book", "A whole book"],
    ],
  )
})
