/** Small files of each kind that people paste, in `cases`, each read as what it says. People and papers are made up. */
import { readFileSync } from "node:fs"
import t from "tap"
import { fileText } from "../../src/contract/text.ts"
import type { Found } from "../../src/library/papers/found.ts"
import type { Given } from "../../src/library/papers/papers.ts"
import { readTexts } from "../../src/library/pasted.ts"

const read = (text: string): Promise<Found> => readTexts([text])
const inFile = (name: string) => read(readFileSync(new URL(`cases/${name}`, import.meta.url), "utf8"))
const given = ({ papers }: Found): Partial<Given>[] => papers.map((paper) => paper.given ?? {})
const titles = (found: Found) => given(found).map(({ title }) => title)

t.test("each file of the collection", async (t) => {
  const head = await inFile("ris-provider-header.ris")
  t.strictSame(
    [titles(head), head.unreadable],
    [["Palladium on porous glass as a reusable catalyst", "Solvent free coupling of aryl halides in a ball mill"], []],
  )
  t.match(given(await inFile("ris-entities.ris")), [
    {
      title: "Cats & dogs: a longitudinal study of 100% natural food",
      authors: ["Sam O'Neil"],
      venue: "Pets & People",
    },
    { title: "Growth at x2 – the H2O case", authors: ["Jörg Müller"], venue: "Wet Matter" },
  ])
  const csl = await inFile("csl-from-doi-org.json")
  t.match(csl.papers, [
    {
      paperId: "10.5555/csl.first",
      given: { title: "Cloud seeding at small scales", names: [{ family: "Holm", given: "Nils" }], year: 2015 },
    },
  ])
  t.equal(csl.papers.length, 1)
  t.strictSame(
    (await inFile("dblp-escaped-doi.bib")).papers.map(({ paperId }) => paperId),
    [
      "10.1007/978-3-319-24574-4_28",
      "10.1007/11925941_3",
      "10.1007/11925941_4",
      "10.1002/(sici)1097-0258(19970515)16:9<981::aid-sim510>3.0.co;2-n",
      "10.5555/a&b",
    ],
  )
  t.strictSame(titles(await inFile("angle-brackets.ris")), [
    "Transport for T < 10 K and fields > 3 T",
    "Patients with p<0.05 and HR>1.2 in E. coli",
  ])
  t.match(given(await inFile("dotless.bib")), [
    { title: "Dotless letters in naïve names", authors: ["Lucía García", "José Martínez", "Ana Martín"], year: 2001 },
  ])
  t.match(
    given(await inFile("and-others.bib")).map(({ authors, moreAuthors = false }) => [authors, moreAuthors]),
    [
      [["The PGF/TikZ Team"], true],
      [["Ann Lee", "Bo Diaz"], true],
      [["Ann Lee"], true],
      [["Ann Lee", "Bo Diaz", "Cy Park"], false],
    ],
  )
  t.strictSame(given(await inFile("names-export.bib"))[0]?.names, [
    { family: "Berg", given: "Jan", "non-dropping-particle": "van der" },
    { family: "García Márquez", given: "Gabriel" },
    { family: "Smith", given: "Tom", suffix: "Jr." },
    { family: "Cruz", given: "Ana", "non-dropping-particle": "de la" },
  ])
  t.strictSame(
    given(await inFile("years.bib")).map(({ issued }) => issued),
    [
      { "date-parts": [[2016]] },
      { literal: "in press" },
      { "date-parts": [[1999]], circa: true },
      { "date-parts": [[2016, 10]] },
      {
        "date-parts": [
          [2015, 10],
          [2016, 2],
        ],
      },
      { "date-parts": [[1957]], circa: true },
      { "date-parts": [[2011]], season: 1 },
      { "date-parts": [[2012, 6]] },
    ],
  )
  t.match((await inFile("pubmed.nbib")).papers, [
    {
      paperId: "10.5555/sleep.2012.03",
      given: {
        title: "Sleep length and reaction time in shift workers: a cross-over trial over two winters",
        names: [{ family: "Berg", given: "Lena" }],
        venue: "The journal of shift work",
        pages: "101-9",
      },
    },
    { paperId: "10.5555/naps.2013.01", given: { title: "Naps at sea", year: 2013 } },
  ])
  const quoted = (await inFile("doi-in-quotes.txt")).papers.map(({ paperId }) => paperId)
  t.strictSame(
    quoted,
    ["b2", "b4", "b5", "b6", "b9", "b10"].map((id) => `10.5555/kind.${id}`),
  )
})

t.test("PubMed's export, by PubMed and by others", async (t) => {
  const nbib = (lines: string) => read(`\nPMID- 7\nOWN - NLM\n${lines}\n`)
  t.match(given(await nbib("TI  - Snow.\nCN  - The Snow Group\nDP  - 2014 Winter"))[0], {
    title: "Snow",
    authors: ["The Snow Group"],
    issued: { "date-parts": [[2014]], season: 4 },
  })
  t.match(given(await nbib("TI  - What melts?\nAU  - van der Berg L Jr\nAU  - Holm NK"))[0]?.authors, [
    /Berg/,
    "NK Holm",
  ])
  t.match((await nbib("TI  - Ice.\nAID - S0001(12)3 [pii]\nAID - 10.5555/ice [doi]")).papers[0]?.paperId, "10.5555/ice")
  t.match(given(await nbib("BTI - A book of ice.\nPT  - Book\nISBN- 9780262033848 (print)"))[0]?.isbn, "9780262033848")
  t.match(titles(await read("PMID- 1\nTI  - One.\n\nPMID- 2\nTI  - Two\n      lines.\n")), ["One", "Two lines"])
  const eric =
    "OWN - ERIC\nTI  - Tests by hand\nAU  - Lund, Eva\nOID - ED1\nDP  - 2017\nLID - http://eric.example/ED1\n\n"
  const found = await read(`\n${eric}${eric.replace("Tests", "Marks").replace("2017", "Apr 2019")}`)
  t.strictSame([titles(found), found.unreadable], [["Tests by hand", "Marks by hand"], []])
  t.strictSame(given(found)[1]?.issued, { "date-parts": [[2019, 4]] })
})

const ARTICLE = `<PubmedArticle><MedlineCitation><PMID Version="1">7</PMID><Article>
<Journal><JournalIssue><Volume>4</Volume><Issue>2</Issue><PubDate><Year>2008</Year><Month>Feb</Month></PubDate>
</JournalIssue><Title>Journal of snow</Title></Journal>
<ArticleTitle>Growth of <i>E. coli</i> at x<sub>2</sub> &lt; 3 &amp; below.</ArticleTitle>
<Pagination><StartPage>132</StartPage><EndPage>142</EndPage></Pagination>
<ELocationID EIdType="pii">x1</ELocationID><ELocationID EIdType="doi">10.5555/snow.7</ELocationID>
<AuthorList><Author><LastName>van der Berg</LastName><ForeName>Lena</ForeName><Suffix>Jr</Suffix></Author>
<Author><CollectiveName>The Snow Group</CollectiveName></Author></AuthorList></Article></MedlineCitation>
<PubmedData><ArticleIdList><ArticleId IdType="pubmed">7</ArticleId></ArticleIdList><ReferenceList><Reference>
<ArticleIdList><ArticleId IdType="doi">10.5555/not.this</ArticleId></ArticleIdList></Reference></ReferenceList>
</PubmedData></PubmedArticle>`

t.test("the XML of PubMed", async (t) => {
  const set = (...articles: string[]) =>
    read(
      `<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet>
<PubmedArticleSet>\n${articles.join("\n")}\n</PubmedArticleSet>`,
    )
  const found = await set(ARTICLE)
  t.match(found, {
    papers: [
      {
        paperId: "10.5555/snow.7",
        given: {
          title: "Growth of E. coli at x2 < 3 & below",
          names: [{ family: "van der Berg", given: "Lena", suffix: "Jr" }, { literal: "The Snow Group" }],
          issued: { "date-parts": [[2008, 2]] },
          venue: "Journal of snow",
          volume: "4",
          issue: "2",
          pages: "132–142",
        },
      },
    ],
    readAs: [{ format: "pubmed" }],
    unreadable: [],
  })
  t.equal(found.papers.length, 1, "the references of a paper are not papers of the file")
  t.match(titles(await read(ARTICLE)), [/E. coli/], "one article without its set")
  const when = ARTICLE.replace(/<PubDate>[^]*<\/PubDate>/, "<PubDate><MedlineDate>2015 Jan-Feb</MedlineDate></PubDate>")
  t.equal(given(await set(when))[0]?.year, 2015)
  t.strictSame(
    titles(
      await set(ARTICLE.replace(/<ArticleTitle>.*<\/ArticleTitle>/, "<ArticleTitle>[Snow in May].</ArticleTitle>")),
    ),
    ["Snow in May"],
  )
  const book = `<PubmedBookArticle><BookDocument><PMID>8</PMID>
<Book><Publisher><PublisherName>A Press</PublisherName></Publisher>
<BookTitle>A book of ice</BookTitle><PubDate><Year>2011</Year></PubDate><Isbn>9780262033848</Isbn></Book>
<ArticleTitle>Cold feet.</ArticleTitle></BookDocument></PubmedBookArticle>`
  const both = await set(book, book.replace(/<ArticleTitle>.*<\/ArticleTitle>/, ""))
  t.match(both.papers, [
    { given: { type: "chapter", title: "Cold feet", venue: "A book of ice", publisher: "A Press" } },
    { paperId: "isbn:9780262033848", given: { type: "book", title: "A book of ice", year: 2011 } },
  ])
})

t.test("EndNote's XML and its older forms", async (t) => {
  const style = (text: string, face = "normal") => `<style face="${face}" font="default">${text}</style>`
  const record = (type: string, inner: string) =>
    `<record><database name="x.enl">x.enl</database><ref-type name="${type}">17</ref-type>${inner}</record>`
  const file = (...records: string[]) =>
    read(`<?xml version="1.0" encoding="UTF-8"?><xml><records>${records.join("")}</records></xml>`)
  const names =
    "<contributors><authors><author>Lund, Eva</author><author>de la Cruz, Ana</author></authors></contributors>"
  const title = `<titles><title>${style("Ice in ")}${style("E. coli", "italic")}</title>
<secondary-title>Ice Notes</secondary-title></titles>`
  const found = await file(
    record(
      "Journal Article",
      `${names}${title}<volume>3</volume><number>1</number><dates><year>2009</year></dates><isbn>1234-5678</isbn>`,
    ),
    record(
      "Book",
      `<titles><title>A whole book</title></titles><isbn>0-262-03384-4</isbn><publisher>A Press</publisher>`,
    ),
    record(
      "Journal Article",
      `<titles><title>Late</title></titles><electronic-resource-num>10.5555/late</electronic-resource-num>`,
    ),
    record(
      "Web Page",
      `<titles><title>Ice on a page</title></titles>
<urls><related-urls><url>https://ice.example/x</url></related-urls></urls>`,
    ),
    record("Journal Article", ""),
  )
  t.match(found.papers, [
    { given: { title: "Ice in E. coli", authors: ["Eva Lund", "Ana de la Cruz"], venue: "Ice Notes", year: 2009 } },
    { paperId: "isbn:9780262033848", given: { title: "A whole book", venue: "A Press" } },
    { paperId: "10.5555/late", given: { title: "Late" } },
    { given: { title: "Ice on a page" } },
  ])
  t.match(found.unreadable, [{ why: /names no paper/ }])
  t.match(found.readAs, [{ format: "endnote" }])
  const refer = "%T Corn\n%A Newman, W. H.\n%I A Station\n%D 1891\n%K Corn -- Yields\n"
  t.match(given(await read(`${refer}\n%A Lund, Eva\n%T Slow rivers\n%D 2012\n\n`)), [
    { title: "Corn", authors: ["W. H. Newman"], year: 1891 },
    { title: "Slow rivers", year: 2012 },
  ])
  t.match(
    given(
      await read("%0 Book\n%A Lund, Eva\n%T A whole book\n%@ 9780262033848\n%0 Thesis\n%T Ice\n%8 May 2\n%D 2011\n"),
    ),
    [
      { type: "book", isbn: "9780262033848" },
      { type: "thesis", issued: { "date-parts": [[2011, 5, 2]] } },
    ],
  )
})

t.test("what is in no form that is known is refused whole, with the reason", async (t) => {
  const mods =
    '<mods version="3.6">\n<titleInfo><title>Ice</title></titleInfo>\n<identifier>10.5555/x</identifier>\n</mods>'
  for (const text of [
    mods,
    `<?xml version="1.0"?>\n<modsCollection>${mods}</modsCollection>`,
    "<doi_records>\n  <doi_record><crossref>10.5555/x</crossref></doi_record>\n</doi_records>\n",
    "<xml><records><record><title>Ice</title></record></records></xml>",
    '<rdf:RDF xmlns:rdf="x">\n<rdf:Description rdf:about="10.5555/x"/>\n</rdf:RDF>',
    "<html><body><p>10.5555/x</p></body></html>",
  ]) {
    const { papers, unreadable } = await read(text)
    t.strictSame(papers, [], text)
    t.match(unreadable, [{ why: /markup that is not known: only PubMed's and EndNote's XML/ }])
  }
  t.equal((await read("<doi>10.5555/kind.a8</doi>")).papers.length, 1, "an id in a tag is no document")
})

t.test("BibTeX as programs write it, though it is none by the letter", async (t) => {
  const key = async (entry: string) =>
    (await read(entry)).papers.map(({ given, citationKey }) => [given?.title, citationKey])
  t.strictSame(await key("@article{smith_????,\n title = {Ice}\n}"), [["Ice", undefined]])
  t.strictSame(await key("@article{Van Berg 2012, title = {Ice}}"), [["Ice", undefined]])
  t.strictSame(await key("@web_page{s1, title = {Ice}, url = {https://ice.example}}"), [["Ice", "s1"]])
  t.strictSame(await key("@article{DBLP:conf/x/Y12, title = {Ice}}"), [["Ice", "DBLP:conf/x/Y12"]])
  t.strictSame(await key("@ARTICLE (x1, TITLE = {Ice})"), [["Ice", "x1"]])
  t.strictSame(await key("@string{j = {J}}\n% a note\n@article{x2, title = {Ice}, journal = j}"), [["Ice", "x2"]])
})

t.test("a file in the letters of an older program is read, and no letter of it is lost", async (t) => {
  const entry = "@article{k, title={“Été” in Łódź – a naïve survey}, author={Müller, Jörg}, year=2001}"
  const western = "@article{k, title={Naïve ice}, author={Müller, Jörg}, year=2001}"
  const mark = "\uFEFF"
  for (const [bytes, title] of [
    [Buffer.from(entry), "“Été” in Łódź – a naïve survey"],
    [Buffer.from(mark + entry), "“Été” in Łódź – a naïve survey"],
    [Buffer.from(mark + entry, "utf16le"), "“Été” in Łódź – a naïve survey"],
    [Buffer.from(mark + entry, "utf16le").swap16(), "“Été” in Łódź – a naïve survey"],
    [Buffer.from(western, "latin1"), "Naïve ice"],
    [Buffer.from(western.replace("Naïve ice", "\x93Ice\x94 \x96 naïve"), "latin1"), "“Ice” – naïve"],
  ] as const) {
    const found = await read(fileText(bytes))
    t.match(given(found), [{ title, authors: ["Jörg Müller"] }])
    t.strictSame(found.unreadable, [])
  }
})

t.test("titles as dblp writes them", async (t) => {
  const entry = (title: string) => `@inproceedings{DBLP:conf/x/${title.length},
  author    = {Ann Lee and
               Bo Diaz},
  title     = {${title}},
  booktitle = {Proceedings of the 1st Meeting on Ice, {ICE} 2011},
  year      = {2011},
  url       = {https://doi.org/10.5555/a\\_b},
  doi       = {10.5555/A\\_B},
  timestamp = {Tue, 11 Jun 2019 15:37:38 +0200},
  bibsource = {dblp computer science bibliography, https://dblp.org}
}`
  for (const [written, right] of [
    [String.raw`{COMIC:} Ice Without Parameter\n               Selection`, "COMIC: Ice Without Parameter Selection"],
    [String.raw`Melt\({}^{\mbox{2}}\): {A} Study of l\({}_{\mbox{0}}\)`, "Melt²: A Study of l₀"],
    [String.raw`Top-\emph{k} Ice under {\(\beta\)}-Noise`, "Top-k Ice under β-Noise"],
    [String.raw`A 360{\textdegree} View with k {\textgreater} 3`, "A 360° View with k > 3"],
    [String.raw`{\L}ukasiewicz and Poincar{\'{e}} on {I}ce {\&} Snow`, "Łukasiewicz and Poincaré on Ice & Snow"],
  ] as const) {
    const [paper, ...others] = (await read(entry(written.replace("\\n", "\n")))).papers
    t.match(paper, { paperId: "10.5555/a_b", given: { title: right, year: 2011 } }, right)
    t.strictSame(others, [])
  }
})

t.test("an entry with signs that were lost is refused, and the others are read", async (t) => {
  const works = [
    { DOI: "10.5555/good", title: ["Ice"], reference: [{ unstructured: "M\uFFFDller" }] },
    { DOI: "10.5555/lost", title: ["Na\uFFFDve ice"] },
    { DOI: "10.5555/name", title: ["Snow"], author: [{ family: "M\uFFFDller" }] },
  ]
  const { papers, unreadable } = await read(JSON.stringify({ status: "ok", message: { items: works } }))
  t.strictSame(
    papers.map(({ paperId }) => paperId),
    ["10.5555/good"],
  )
  t.match(unreadable, [{ why: /signs that were lost/ }, { why: /signs that were lost/ }])
  t.equal((await read("TY  - JOUR\nTI  - One\u2028two\nAU  - Lund, Eva\nER  - ")).papers[0]?.given?.title, "One two")
})
