/** People paste any text to save papers, and the page shows the outcome for each part of it. */
import { pattern } from "../support/pattern.ts"
import fc from "fast-check"
import t, { test } from "tap"
import { readPlain } from "../../src/library/pasted.ts"
import { passwordOf } from "../support/service.ts"
import { paperId, openLibrary } from "./library.ts"

/** The papers that a text names, with titles for those known by their words alone, and what could not be read. */
const read = (text: string) => {
  const { papers, unreadable } = readPlain([text])
  return [
    papers.map(({ paperId, given }) => (paperId.startsWith("ref:") ? given?.title : paperId)),
    unreadable.map((part) => `${part.input} ${part.why}`),
  ]
}

test("papers are found in lists, in references of every style, and in prose", (t) => {
  t.strictSame(
    read(
      "2401.01234 arXiv:2401.01235v2\r\nhttps://arxiv.org/abs/hep-th/9901001, " +
        "https://example.org/paper\n10.1038/nature14539\ndoi:10.48550/" +
        "arXiv.2401.01237\n978-0-262-03384-8\n0-201-89683-4",
    ),
    [
      [
        ...[
          "2401.01234",
          "2401.01235",
          "hep-th/9901001",
          "https://example.org/paper",
          "10.1038/nature14539",
          "2401.01237",
        ],
        ...["isbn:9780262033848", "isbn:9780201896831"],
      ],
      [],
    ],
  )
  t.strictSame(
    read(`[1] A. Vaswani et al. Attention is all you need. arXiv preprint
    arXiv:1706.03762, 2017.
[2] Y. LeCun, Y. Bengio, and G. Hinton. Deep learning.
Nature, 521:436-444, 2015.
[3] D. P. Kingma and J. Ba. Adam. CoRR, abs/1412.6980, 2014.`),
    [["1706.03762", "Y. LeCun, Y. Bengio, and G. Hinton. Deep learning. Nature, 521:436-444, 2015.", "1412.6980"], []],
    "numbered, over several lines",
  )
  t.strictSame(
    read(
      "He, K. Deep residual learning. https://arxiv.org/abs/1512.03385\nKnuth, D. The Art of Computer Programming. " +
        "1968.\nGoyal, P. Accurate. arXiv:1706.02677.",
    ),
    [["1512.03385", "Knuth, D. The Art of Computer Programming. 1968.", "1706.02677"], []],
    "one per line",
  )
  t.strictSame(
    read("We follow (Goyal et al., arXiv:1706.02677) and Xiong et al. [arXiv:2002.04745], not 1234.56789."),
    [["1706.02677", "2002.04745"], []],
  )
  t.strictSame(
    read("see https://arxiv.org/abs/1706.03762v5 and 2109.01652"),
    [["1706.03762", "2109.01652"], []],
    "a whole line",
  )
  t.strictSame(read("arXiv: 2401.01236 [cs.LG]"), [["2401.01236"], []])
  t.strictSame(read("doi: 10.1109/5.771073, ISBN: 0-262-03384-4"), [["10.1109/5.771073", "isbn:9780262033848"], []])
  t.strictSame(
    read("978-0-262-03384-8 978-0-201-89683-1; ISBN 0-262-03384-4 2009"),
    [["isbn:9780262033848", "isbn:9780201896831"], []],
    "one after the other, and a year is none of its digits",
  )
  t.match(read("ISBN 026203384 2009, ISBN 02620338449"), [[], [/check digit/, /has 11 digits/]], "none is cut to fit")
  t.strictSame(read(" \n\n"), [[], []])
  t.match(
    readPlain([
      "[7] C. E. Shannon. A mathematical theory of communication. 1948. doi:10.1002/j.1538-7305.1948.tb01338.x",
    ]).papers,
    [{ paperId: "10.1002/j.1538-7305.1948.tb01338.x", given: { title: /^C\. E\. Shannon\. A mathematical theory/ } }],
    "a reference's own data is shown until a source is known",
  )
  t.end()
})

test("a DOI is found in every form that people paste", (t) => {
  for (const [text, doi] of [
    ["10.1038/NATURE14539", "10.1038/nature14539"],
    ["DOI 10.1038/nature14539.", "10.1038/nature14539"],
    ["(https://doi.org/10.1038/nature14539)", "10.1038/nature14539"],
    ["http://dx.doi.org/10.1002%2Fabc", "10.1002/abc"],
    ["https://onlinelibrary.wiley.com/doi/full/10.1002/abc.12?x=1#y", "10.1002/abc.12"],
    ["https://www.biorxiv.org/content/10.1101/2020.01.01.123456v2.full.pdf", "10.1101/2020.01.01.123456"],
    ["https://link.springer.com/content/pdf/10.1007/978-3-319-24574-4_28.pdf", "10.1007/978-3-319-24574-4_28"],
    [
      "doi:10.1002/(SICI)1097-4636(199823)43:4<338::AID-JBM16>3.0.CO;2-B.",
      "10.1002/(sici)1097-4636(199823)43:4<338::aid-jbm16>3.0.co;2-b",
    ],
    ["10.48550/arXiv.hep-th/9711200", "hep-th/9711200"],
  ] as const)
    t.strictSame(read(text), [[doi], []], text)
  t.strictSame(read("10.1109/5.771073,10.1145/3292500.3330701"), [["10.1109/5.771073", "10.1145/3292500.3330701"], []])
  t.end()
})

test("unreadable parts are listed with their text and the reason, and nothing else is lost", (t) => {
  for (const [text, reason] of [
    ["ISBN 978-0-262-03384-9", /^ISBN 978-0-262-03384-9 is not an ISBN: its check digit is wrong/],
    ["0-262-03384-5", /^0-262-03384-5 is not an ISBN/],
    ["ISBN 978-0-262", /is not an ISBN: it has 7 digits/],
    ["doi:10.12", /^doi:10\.12 is not a DOI/],
    ["https://doi.org/10/abcd", /is a short DOI/],
    ["arXiv:2413.99999", /^arXiv:2413\.99999 is not an arXiv id/],
    ["https://arxiv.org/list/cs.LG/recent", /is not an arXiv id/],
    ["hm", /^hm does not say which paper it means/],
    [`${"word ".repeat(500)}`, /is longer than 2,000 characters/],
  ] as const) {
    const [papers, unreadable] = read(`2401.01234\n\n${text}\n\n10.1038/nature14539`)
    t.strictSame(papers, ["2401.01234", "10.1038/nature14539"], text.slice(0, 40))
    t.match(unreadable, [reason])
  }
  t.match(
    read("[4] Cormen, T. Introduction to Algorithms. ISBN 978-0-262-03384-9, 2009"),
    [[/^Cormen, T\./], [/check digit/]],
    "a reference with a wrong ISBN is kept by its words",
  )
  t.end()
})

test("no mentioned paper is missed, none is invented, and no text takes long", (t) => {
  const id = fc.nat(80_000).map(paperId)
  const arxiv = fc.tuple(
    id,
    fc.constantFrom<(id: string) => string>(
      (one) => `https://arxiv.org/abs/${one}v3`,
      (one) => `arXiv:${one}`,
      (one) => one,
      (one) => `doi:10.48550/arXiv.${one}`,
      (one) => `http://www.arxiv.org/pdf/${one}.pdf`,
      (one) => `eprint = {${one}}`,
      (one) => `CoRR abs/${one}`,
    ),
  )
  const doi = fc.tuple(
    fc
      .stringMatching(/^10\.[1-9][0-9]{3,4}\/[a-z0-9][a-z0-9.\-_]{0,20}[a-z0-9]$/)
      .filter((name) => !/v[0-9]+$|(?:pdf|html?|full|abstract|arxiv.*)$/.test(name)),
    fc.constantFrom<(doi: string) => string>(
      (one) => `https://doi.org/${one}`,
      (one) => `doi:${one}`,
      (one) => one.toUpperCase(),
    ),
  )
  const between = fc.constantFrom(" ", ", ", "\n", "\n\n", " and ", ".\n[7] Someone. ", "; see also ", ")\n")
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.oneof(arxiv, doi), between), { maxLength: 20 }), (parts) => {
      const text = parts.map(([[one, write], after]) => `${write(one)}${after}`).join("")
      const due = [...new Set(parts.map(([[one]]) => one))]
      const found = readPlain([text])
        .papers.map((paper) => paper.paperId)
        .filter((each) => !each.startsWith("ref:"))
      if (found.join() !== due.join()) throw new Error(`${JSON.stringify(text)}: ${found.join()}`)
    }),
    { numRuns: 500 },
  )
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      const { papers, unreadable } = readPlain([text])
      if (papers.some((paper) => !/^(?:ref:|isbn:)/.test(paper.paperId)) && !/\d{4}/.test(text)) throw new Error(text)
      if (unreadable.some((part) => part.input.length > 300 || part.input === "")) throw new Error(text)
    }),
  )
  for (const piece of [
    ...[
      "arxiv:",
      "[1",
      ")",
      "a-",
      "abs/",
      "eprint=",
      "2401.01234 ",
      "@a{",
      "x\n",
      "10.48550/arxiv.",
      "https://arxiv.org/abs/",
      " ",
      "\u3000",
    ],
    ...[
      "10.1234/",
      "10.1234/a ",
      "10.1234/a,",
      "isbn",
      "978",
      "978-0-262-03384-8 ",
      "doi:x ",
      "\\bibitem[",
      "97",
      "<",
      "1. x\n",
    ],
  ]) {
    const begun = process.cpuUsage()
    readPlain([piece.repeat(200_000 / piece.length)])
    const { user } = process.cpuUsage(begun)
    t.ok(user < 2e6, `${JSON.stringify(piece)}, ${Math.round(user / 1e3)} ms`)
  }
  t.end()
})

const lab = await openLibrary(t)
const { ada, baseUrl } = lab

/** Sends a form of the page, and returns the page that comes back. */
async function signedIn(username: string) {
  const send = (path: string, form: Record<string, string>, cookie = "") =>
    fetch(baseUrl + path, {
      method: "POST",
      body: new URLSearchParams(form),
      redirect: "manual",
      headers: { origin: new URL(baseUrl).origin, ...(cookie && { cookie }) },
    })
  const signIn = await send("/web/sign-in", {
    "/username": username,
    "/password": passwordOf(username),
    username,
    password: passwordOf(username),
  })
  const cookie = signIn.headers
    .getSetCookie()
    .map((each) => each.split(";")[0])
    .join("; ")
  return async (form: Record<string, string>) => {
    const response = await send("/web/paste", form, cookie)
    const page = await response.text()
    const [, outcome = ""] = /<div class="outcome[^>]*>([\s\S]*?)<\/div>/.exec(page) ?? []
    const [, box = ""] = /<textarea id="paste"[^>]*>([\s\S]*?)<\/textarea>/.exec(page) ?? []
    return {
      status: response.status,
      told: outcome
        .replace(/<[^>]+>/g, " ")
        .replace(/\s+/g, " ")
        .trim(),
      box,
      seen: /name="seen" value="([^"]*)"/.exec(page)?.[1] ?? "",
    }
  }
}
const paste = await signedIn("ada")

test("the box shows the outcome of each pasted part, without a script", async (t) => {
  const requestId = lab.instance.world.id()
  const text = "2401.01234\nhttps://arxiv.org/abs/2401.01235v2\n10.1002/j.1538-7305.1948.tb01338.x\n978-0-262-03384-8"
  const first = await paste({ requestId, text })
  t.equal(first.status, 200)
  t.match(
    first.told,
    pattern(
      /^4 papers saved New: arXiv:2401\.01234 , arXiv:2401\.01235 , /,
      /doi:10\.1002\/j\.1538-7305\.1948\.tb01338\.x , ISBN 978-0-262-03384-8$/,
    ),
  )
  const again = await paste({ requestId, text })
  t.equal(again.told, first.told, "sent again, as a browser does on reload, nothing is done twice")
  t.match(
    (await paste({ text: "2401.01234 2401.01236" })).told,
    /^1 paper saved New: arXiv:2401\.01236 Already there: arXiv:2401\.01234$/,
  )
  t.equal((await ada.read("library_papers", {})).items.length, 5)

  const { collectionId } = (await ada.write("create_collection", { name: "Pasted" })).result
  t.match((await paste({ text: "2401.01236 2401.01237", collectionId })).told, /^2 papers added to “Pasted”/)
  t.match(
    (await paste({ text: "2401.01237", of: collectionId })).told,
    /^Nothing new: these papers were there already Already there: arXiv:2401\.01237$/,
  )
  const strange = await paste({ text: "2401.01239", collectionId: lab.instance.world.id() })
  t.match(strange.told, /^Nothing was saved .*no such Collection in reach/)
  t.equal(strange.box, "2401.01239", "what was not stored is still in the box")
})

test("uncertain matches are shown before anything is stored, and stored when the form is sent again", async (t) => {
  const before = (await ada.read("library_papers", {})).items.length
  const text = "Knuth, D. The Art of Computer Programming. 1968.\n\nISBN 978-0-262-03384-9\n\n10.1038/nature14539"
  const shown = await paste({ text })
  t.match(
    shown.told,
    pattern(
      /^1 paper recognised; 1 reference kept as written, not saved yet Knuth, D\. The Art of Computer /,
      /Programming\. 1968\. without an identifier, kept as written /,
      /doi:10\.1038\/nature14539 1 part could not be read: /,
      /ISBN 978-0-262-03384-9 is not an ISBN: its check digit is wrong/,
    ),
  )
  t.equal(shown.box, text)
  t.equal((await ada.read("library_papers", {})).items.length, before, "nothing is stored yet")
  t.match((await paste({ text, seen: shown.seen })).told, /^2 papers saved .* 1 part could not be read/)
  t.match((await ada.read("library_papers", {})).items[1], {
    title: "Knuth, D. The Art of Computer Programming. 1968.",
    arxivId: null,
    doi: null,
    source: "given",
  })

  t.match(
    (await paste({ text: "nonsense 12345" })).told,
    /^No paper recognised 1 part could not be read: nonsense 12345 does not say which paper it means$/,
  )
  t.match((await paste({ text: "three words of nonsense" })).told, /^No paper recognised; 1 reference kept as written,/)
  const asked = await paste({ text: "10.1109/5.771073", preview: "1" })
  t.match(
    asked.told,
    /^1 paper recognised, not saved yet doi:10\.1109\/5\.771073$/,
    "a preview shows the certain ones too",
  )
  t.match(
    (await paste({ text: "10.1109/5.771074", seen: asked.seen })).told,
    /^1 paper saved/,
    "another text is read anew",
  )
  t.match(
    (await paste({ text: "hm", seen: asked.seen })).told,
    /^No paper recognised 1 part could not be read: hm does not say which paper/,
  )
})

test("a file of references goes through the same box", async (t) => {
  const bibtex =
    "@misc{one, title={Of a file}, author={Lovelace, Ada}, eprint={2402.00001}, " +
    "archiveprefix={arXiv}}\n@book{knuth, title={The Art}, isbn={0-201-89683-4}}"
  t.match((await paste({ text: bibtex })).told, /^2 papers saved New: arXiv:2402\.00001 , ISBN 978-0-201-89683-1$/)
  t.match((await ada.read("library_papers", {})).items, [
    { isbn: "9780201896831", title: "The Art" },
    { arxivId: "2402.00001", title: "Of a file", authors: ["Ada Lovelace"] },
  ])
  const { collectionId } = (await ada.write("create_collection", { name: "From files" })).result
  t.match((await paste({ text: bibtex, collectionId })).told, /^2 papers added to “From files” New: arXiv:2402\.00001/)
  t.match(
    await (
      await fetch(`${baseUrl}/api/agent/library/collections/${collectionId}/bibtex`, {
        headers: { authorization: `Bearer ${await keyToken()}` },
      })
    ).text(),
    /@misc\{one,[^]*@book\{knuth,[^]*isbn = \{9780201896831\}/,
    "with its key",
  )
  t.match(
    (await paste({ text: "TY  - JOUR\nTI  - Of RIS\nUR  - https://arxiv.org/abs/2402.00002\nER  - " })).told,
    /^1 paper saved New: arXiv:2402\.00002/,
  )
  t.match(
    (await paste({ text: "@misc{a, note={x}}" })).told,
    /^No paper recognised 1 part could not be read: .* names no paper/,
  )
})

test("a text with very many papers, or a very long one, is refused whole", async (t) => {
  const ids = Array.from({ length: 1_001 }, (_, index) => paperId(1_000 + index)).join(" ")
  const { told, box } = await paste({ text: ids })
  t.match(
    told,
    /^Nothing was saved This names 1,001 papers\. At most 1,000 can be imported at once: paste it in parts\./,
  )
  t.equal(box, ids)
  t.match((await paste({ text: "x".repeat(500_001) })).told, /longer than 500,000 characters/)
})

test("nobody can paste for another person", async (t) => {
  const send = (headers: Record<string, string>) =>
    fetch(`${baseUrl}/web/paste`, {
      method: "POST",
      body: new URLSearchParams({ text: "2401.09999" }),
      headers,
      redirect: "manual",
    })
  t.equal((await send({ origin: new URL(baseUrl).origin })).status, 401)
  t.equal((await send({ origin: "https://elsewhere.example" })).status, 403)
})

async function keyToken(): Promise<string> {
  const { result } = await ada.write("issue_key", { label: "k", permissions: ["read_library"], reach: "all" })
  return result.token as string
}
