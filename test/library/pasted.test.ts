/** What people and agents have of a paper: other programs' files, pasted addresses, a title. */
import fc from "fast-check"
import t, { test } from "tap"
import { mentionedArxivId } from "../../src/contract/schema/paper-mention.ts"
import type { Operation } from "../../src/contract/definitions/operation.ts"
import { operationNamed } from "../../src/contract/operations/index.ts"
import { bodyOf } from "../../src/web/forms/draft.ts"
import { formOf } from "../../src/web/forms/fields.ts"
import { overHttp } from "../mcp/agent.ts"
import { collectionOf, keyOf, makeKnown, readText, refused, openLibrary, toldOf } from "./library.ts"

// As DBLP, Hugging Face, Zotero and people write them.
test("papers are found in the forms that other sites use", async (t) => {
  const { papers, unreadable } = await readText(String.raw`
@article{DBLP:journals/corr/KingmaB14, author={Diederik P. Kingma and Jimmy Ba}, title={Adam},
  journal={CoRR}, volume={abs/1412.6980}, year={2014}}
@article{old, title={Older}, journal={CoRR}, volume={cs.LG/0102027}, year={2001}}
@misc{hf, title={On the hub}, howpublished={\url{https://huggingface.co/papers/2307.09288}}}
@misc{versioned, title={Versioned}, url={https://arxiv.org/pdf/2402.17764v2.pdf}}
@misc{mirror, title={Mirror}, note={https://ar5iv.labs.arxiv.org/html/2106.09685}}
@article{pages, title={No mention}, volume={2401.12345}, pages={1234.56789}, journal={Annals}}
`)
  t.match(
    papers.map(({ paperId }) => paperId),
    ["1412.6980", "cs/0102027", "2307.09288", "2402.17764", "2106.09685", /^ref:/],
  )
  t.strictSame(unreadable, [])
})

test("RIS is read like BibTeX", async (t) => {
  const { papers, unreadable } = await readText(
    [
      "\uFEFFTY  - JOUR",
      "ID  - vaswani2017",
      "AU  - Vaswani, Ashish",
      "AU  - The ATLAS Collaboration",
      "TI  - Attention Is All",
      "      You Need",
      "DA  - 2017/06/12/",
      "UR  - https://arxiv.org/abs/1706.03762v5",
      "ER  - ",
      "",
      "TY  - BOOK\r\nT1  - The Art\r\nER  -",
      "TY  - GEN",
      "DO  - 10.48550/ARXIV.1412.6980",
      "TY  - GEN",
      "T1  - Again",
      "AN  - arXiv:1706.03762",
      `N2  - ${"long ".repeat(10_000)}`,
    ].join("\n"),
  )
  t.match(papers, [
    {
      paperId: "1706.03762",
      citationKey: "vaswani2017",
      given: {
        title: "Attention Is All You Need",
        authors: ["Ashish Vaswani", "The ATLAS Collaboration"],
        publishedAt: "2017-06-12T00:00:00.000Z",
      },
    },
    { paperId: /^ref:/, given: { title: "The Art" } },
    { paperId: "1412.6980" },
  ])
  t.match(unreadable, [{ input: /^Again arXiv:1706\.03762/, why: /is longer than 20,000 characters/ }])
  await fc.assert(
    fc.asyncProperty(
      fc.string({
        unit: fc.constantFrom("TY  - ", "ER  - ", "\n", "AU  - ", "UR  - ", "arXiv:1706.03762", ",", " ", "x"),
        maxLength: 40,
      }),
      async (text) => void (await readText(`TY  - X${text}`)),
    ),
    { numRuns: 300 },
  )
})

test("an arXiv address is understood in every form that people paste", (t) => {
  for (const pasted of [
    "2401.01234",
    " 2401.01234v3 ",
    "arXiv:2401.01234",
    "arXiv: 2401.01234v2 [cs.LG]",
    "arxiv.org/abs/2401.01234",
    "https://arxiv.org/abs/2401.01234v2",
    "http://www.arxiv.org/pdf/2401.01234.pdf",
    "https://arxiv.org/pdf/2401.01234v1.pdf#page=3",
    "https://arxiv.org/html/2401.01234v1/#S2",
    "https://export.arxiv.org/abs/2401.01234?context=cs",
    "https://doi.org/10.48550/arXiv.2401.01234",
    "doi:10.48550/ARXIV.2401.01234",
    "https://huggingface.co/papers/2401.01234",
    "https://www.alphaxiv.org/abs/2401.01234v1",
    "https://ar5iv.org/abs/2401.01234",
    "see https://arxiv.org/abs/2401.01234, section 2",
  ])
    t.equal(mentionedArxivId(pasted), "2401.01234", pasted)
  for (const [pasted, id] of [
    ["https://arxiv.org/abs/hep-th/9901001v2", "hep-th/9901001"],
    ["arXiv:math.GT/0309136", "math/0309136"],
    ["https://arxiv.org/abs/math.gt%2F0309136", "math/0309136"],
    ["https://example.org/2401.01234", undefined],
    ["12.3456", undefined],
    ["https://arxiv.org/list/cs.LG/recent", undefined],
    ["", undefined],
  ] as const)
    t.equal(mentionedArxivId(pasted), id, pasted)
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 100 }), (text) => {
      const found = mentionedArxivId(text)
      if (found !== undefined && mentionedArxivId(found) !== found) throw new Error(text)
    }),
  )
  t.end()
})

const lab = await openLibrary(t)
const { ada } = lab

test("a text that names no paper says so, and nothing is imported", async (t) => {
  const collectionId = await collectionOf(ada, "Nothing")
  for (const [text, says] of [
    ["?!", /No paper could be read in this\. “\?!” does not say which paper it means\. Nothing was stored/],
    [
      "@misc{a, note={x}}",
      /names no paper: it has neither a title nor a DOI, an ISBN or an arXiv id\. Nothing was stored/,
    ],
    ["ISBN 978-0-262-03384-9", /its check digit is wrong/],
    ["TY  - BOOK\nPY  - 1968\nER  - \n", /names no paper/],
    ['{"color": "red", "doi": "10.5555/x.y", "size": 3}', /Nothing was stored/],
    ['"Key","Title","DOI"\n"AB","Slow rivers","10.5555/x.y"', /Nothing was stored/],
    ["<modsCollection><mods><identifier>10.5555/x</identifier></mods></modsCollection>", /markup that is not known/],
    ["%PDF-1.7\n1 0 obj\n<< /Title (Slow rivers) >>\nhttps://doi.org/10.5555/x.y", /is a PDF, which is not read/],
  ] as const) {
    t.match(await refused(ada.write("import_papers", { collectionId, text })), { status: 422, issues: ["/text"] })
    await t.rejects(ada.write("import_papers", { collectionId, text }), { message: says })
  }
  t.match(await ada.read("library_collection", { collectionId }), { counts: { papers: 0 } })
})

test("an agent is told of a form that is not known, over HTTP and MCP, and nothing of it is saved", async (t) => {
  const token = await keyOf(ada)
  const agents = { http: lab.open(token), mcp: await overHttp(lab.baseUrl, token) }
  t.teardown(agents.mcp.close)
  const before = (await ada.read("library_papers")).items.length
  for (const text of [
    '{"color": "red", "doi": "10.5555/x.y", "size": 3}',
    "<modsCollection><mods><identifier>10.5555/x</identifier></mods></modsCollection>",
  ]) {
    const input = { identifiers: [text] }
    const failure: unknown = await agents.http.write("save_papers", input).catch((error: unknown) => error)
    t.match(failure, { status: 422, issues: [{ path: "/identifiers", message: /that is not known/ }] })
    const over = await agents.mcp.call("write", { operation: "save_papers", input })
    t.match(over, { isError: true, text: /that is not known/ })
  }
  t.equal((await ada.read("library_papers")).items.length, before)
})

test("a short receipt says what could not be read, before what was filed", async (t) => {
  const token = await keyOf(ada)
  const agent = await overHttp(lab.baseUrl, token)
  t.teardown(agent.close)
  const { collectionId } = (await ada.write("create_collection", { name: "Pasted" })).result
  const identifiers = ["arXiv:1810.04805", "10.1038/nature14539", "ISBN 978-0-262-03384-9"]
  for (const [operation, more] of [["save_papers"], ["add_papers", { collectionId }]] as const) {
    const { text } = await agent.call("write", { operation, input: { identifiers, ...more } })
    t.match(text, /its check digit is wrong/, operation)
  }
  const kept = await ada.write("import_papers", { collectionId, text: "@misc{k,title={Slow rivers}\n" })
  t.match(kept.result.readAs, [{ input: "@misc{k,title={Slow rivers}" }], "an entry that does not end has a beginning")
})

test("people paste anything that names papers into the forms, one per line", (t) => {
  const form = formOf(operationNamed("add_papers") as Operation)
  const written = (text: string) => bodyOf(form, new URLSearchParams({ "/identifiers": text })).body.identifiers
  t.strictSame(
    written("https://arxiv.org/abs/2401.01234v2\r\n10.1038/nature14539\n10.1038/nature14539\n\nISBN 978-0-262-03384-8"),
    ["https://arxiv.org/abs/2401.01234v2", "10.1038/nature14539", "ISBN 978-0-262-03384-8"],
  )
  t.equal(written(" "), undefined)
  const claim = formOf(operationNamed("publish_cited_claim") as Operation)
  t.match(bodyOf(claim, new URLSearchParams({ "/paper/arxivId": "https://huggingface.co/papers/2401.01234" })).body, {
    paper: { arxivId: "2401.01234" },
  })
  t.end()
})

test("the title saved with a paper is kept until arXiv's is known, and only its reader sees it", async (t) => {
  const agent = await lab.agentOf(ada)
  const given = { arxivId: "2403.01234", title: "As the agent read it" }
  const first = { requestId: lab.instance.world.id(), arxivIds: ["2403.01234", "2403.01235"], titles: [given] }
  t.match(await agent.write("save_papers", first), { result: { saved: ["2403.01234", "2403.01235"] } })
  t.match(await agent.write("save_papers", first), { replayed: true }, "and counts when a retry is compared")
  t.match(await refused(agent.write("save_papers", { ...first, titles: [{ ...given, title: "Another" }] })), {
    status: 409,
  })
  const paper = () => ada.read("library_paper", { arxivId: "2403.01234" })
  t.match(await paper(), { title: "As the agent read it", metadata: "unknown", saved: true })
  t.match(await ada.read("library_paper", { arxivId: "2403.01235" }), { title: null, metadata: "unknown" })
  await agent.write("save_papers", { arxivIds: ["2403.01234"], titles: [{ ...given, title: "Said again" }] })
  t.match(
    (await ada.read("library_papers", {})).items[1],
    { title: "As the agent read it" },
    "a saved paper stays unchanged",
  )

  // In a shared Collection each member sees the file's title, and for papers that they saved their own title.
  const collectionId = await collectionOf(ada, "Shared")
  await ada.write("add_papers", { collectionId, arxivIds: ["2403.01234"] })
  await ada.write("import_papers", {
    collectionId,
    text: "@misc{x, title={From the file}, eprint={2403.01236}, archiveprefix={arXiv}}",
  })
  const invited = await ada.write("invite_to_collection", { collectionId, username: "mary" })
  await lab.mary.write("accept_collection_invitation", { invitationId: invited.result.invitationId })
  const titles = async (who: typeof ada) =>
    (await who.read("library_collection", { collectionId })).items.map(({ arxivId, title }) => [arxivId, title])
  t.strictSame(await titles(ada), [
    ["2403.01236", "From the file"],
    ["2403.01234", "As the agent read it"],
  ])
  t.strictSame(await titles(lab.mary), [
    ["2403.01236", "From the file"],
    ["2403.01234", null],
  ])
  t.match(await lab.mary.read("library_paper", { arxivId: "2403.01236" }), { title: "From the file", saved: false })
  t.match(await ada.read("library_paper", { arxivId: "2403.01236" }), { title: "From the file", saved: true })

  await makeKnown(lab, [toldOf("2403.01234", "ArXiv's own")], "import")
  t.match(await paper(), { title: "ArXiv's own", metadata: "known" })
  t.match(await refused(agent.write("save_papers", { arxivIds: ["2403.01237"], titles: [given] })), {
    status: 422,
    issues: ["/titles/0/arxivId"],
  })
})

test("a title given by an agent is shown until arXiv's is known", async (t) => {
  const agent = await lab.agentOf(ada)
  const collectionId = await collectionOf(ada, "Told by an agent")
  const titles = [{ arxivId: "2402.01234v2", title: "What the agent read there <b>" }]
  await agent.write("add_papers", { collectionId, arxivIds: ["2402.01234", "2402.01235"], titles })
  const { items } = await ada.read("library_collection", { collectionId })
  t.strictSame(Object.fromEntries(items.map(({ arxivId, title, metadata }) => [arxivId, [title, metadata]])), {
    "2402.01235": [null, "unknown"],
    "2402.01234": ["What the agent read there <b>", "unknown"],
  })
  const saved = (await ada.read("library_papers", {})).items.find(({ arxivId }) => arxivId === "2402.01234")
  t.match(saved, { title: "What the agent read there <b>", metadata: "unknown" })
  await makeKnown(lab, [toldOf("2402.01234", "ArXiv's own")], "import")
  const after = await ada.read("library_collection", { collectionId })
  t.match(
    after.items.find(({ arxivId }) => arxivId === "2402.01234"),
    { title: "ArXiv's own", metadata: "known" },
  )
  t.match(
    await refused(agent.write("add_papers", { collectionId, arxivIds: ["2402.01236"], titles })),
    { status: 422, issues: ["/titles/0/arxivId"] },
    "only for papers that are sent",
  )
})
