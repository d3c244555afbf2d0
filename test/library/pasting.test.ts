/** Whatever people paste to have papers saved, and what the page says became of each part of it. */
import fc from "fast-check"
import t, { test } from "tap"
import { readPasted } from "../../src/library/pasted.ts"
import { passwordOf } from "../support/service.ts"
import { paperId, startHouse } from "./house.ts"

test("papers are found in lists, in references of every style, and in prose", (t) => {
  const read = (text: string) => {
    const { arxivIds, others } = readPasted(text)
    return [arxivIds, others]
  }
  t.strictSame(
    read(
      "2401.01234 arXiv:2401.01235v2\r\nhttps://arxiv.org/abs/hep-th/9901001, https://example.org/paper\n10.1038/nature14539\ndoi:10.48550/arXiv.2401.01237",
    ),
    [
      ["2401.01234", "2401.01235", "hep-th/9901001", "2401.01237"],
      ["https://example.org/paper", "10.1038/nature14539"],
    ],
  )
  t.strictSame(
    read(`[1] A. Vaswani et al. Attention is all you need. arXiv preprint
    arXiv:1706.03762, 2017.
[2] Y. LeCun, Y. Bengio, and G. Hinton. Deep learning.
Nature, 521:436-444, 2015.
[3] D. P. Kingma and J. Ba. Adam. CoRR, abs/1412.6980, 2014.`),
    [["1706.03762", "1412.6980"], ["[2] Y. LeCun, Y. Bengio, and G. Hinton. Deep learning. Nature, 521:436-444, 2015."]],
    "numbered, over several lines",
  )
  t.strictSame(
    read(
      "He, K. Deep residual learning. https://arxiv.org/abs/1512.03385\nKnuth, D. The Art of Computer Programming. 1968.\nGoyal, P. Accurate. arXiv:1706.02677.",
    ),
    [["1512.03385", "1706.02677"], ["Knuth, D. The Art of Computer Programming. 1968."]],
    "one a line",
  )
  t.strictSame(read("We follow (Goyal et al., arXiv:1706.02677) and Xiong et al. [arXiv:2002.04745], not 1234.56789."), [
    ["1706.02677", "2002.04745"],
    [],
  ])
  t.strictSame(read("arXiv: 2401.01236 [cs.LG]"), [["2401.01236"], []])
  t.strictSame(read(" \n\n"), [[], []])
  t.end()
})

test("no paper that is mentioned is missed, none is made up, and no text takes long", (t) => {
  const id = fc.nat(80_000).map(paperId)
  const mention = fc.tuple(
    id,
    fc.constantFrom<(id: string) => string>(
      (one) => `https://arxiv.org/abs/${one}v3`,
      (one) => `arXiv:${one}`,
      (one) => `doi:10.48550/arXiv.${one}`,
      (one) => `http://www.arxiv.org/pdf/${one}.pdf`,
      (one) => `eprint = {${one}}`,
      (one) => `CoRR abs/${one}`,
    ),
  )
  const between = fc.constantFrom(" ", ", ", "\n", "\n\n", " and ", ".\n[7] Someone. ", "; see also ", ")\n")
  fc.assert(
    fc.property(fc.array(fc.tuple(mention, between), { maxLength: 20 }), (parts) => {
      const text = parts.map(([[one, write], after]) => `${write(one)}${after}`).join("")
      const due = [...new Set(parts.map(([[one]]) => one))]
      const { arxivIds } = readPasted(text)
      if (arxivIds.join() !== due.join()) throw new Error(`${JSON.stringify(text)}: ${arxivIds.join()}`)
    }),
    { numRuns: 500 },
  )
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      const { arxivIds, others } = readPasted(text)
      if (arxivIds.length > 0 && !/\d{4}/.test(text)) throw new Error(text)
      if (others.some((other) => other.length > text.length + 100)) throw new Error(text)
    }),
  )
  for (const piece of [
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
  ]) {
    const begun = performance.now()
    readPasted(piece.repeat(200_000 / piece.length))
    t.ok(performance.now() - begun < 1_000, `${JSON.stringify(piece)}, ${Math.round(performance.now() - begun)} ms`)
  }
  t.end()
})

const house = await startHouse()
t.teardown(() => house.close())
const { ada, baseUrl } = house

/** What a form of the page sends, and the page that comes back. */
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
    }
  }
}
const paste = await signedIn("ada")

test("the box tells of each thing that was pasted what became of it, with no script", async (t) => {
  const requestId = house.instance.world.id()
  const first = await paste({ requestId, text: "2401.01234\nhttps://arxiv.org/abs/2401.01235v2\nhttps://example.org/<b" })
  t.equal(first.status, 200)
  t.match(first.told, /^2 papers saved New: 2401\.01234 , 2401\.01235 Not a paper of arXiv: https:\/\/example\.org\/&lt;b$/)
  const again = await paste({ requestId, text: "2401.01234\nhttps://arxiv.org/abs/2401.01235v2\nhttps://example.org/<b" })
  t.equal(again.told, first.told, "sent again, as a browser does on reload, nothing is done twice")
  t.match((await paste({ text: "2401.01234 2401.01236" })).told, /^1 paper saved New: 2401\.01236 There already: 2401\.01234$/)
  t.match((await paste({ text: "nothing at all" })).told, /^Nothing new was saved Not a paper of arXiv: nothing at all$/)
  t.equal((await ada.read("library_papers", {})).items.length, 3)

  const { collectionId } = (await ada.write("create_collection", { name: "Pasted" })).result
  t.match((await paste({ text: "2401.01236 2401.01237", collectionId })).told, /^2 papers saved and filed under “Pasted”/)
  t.match((await paste({ text: "2401.01237", of: collectionId })).told, /^Nothing new was saved There already: 2401\.01237$/)
  const strange = await paste({ text: "2401.01239", collectionId: house.instance.world.id() })
  t.match(strange.told, /no such Collection in reach/)
  t.equal(strange.box, "2401.01239", "what was not stored is still in the box")
})

test("a file of references goes through the same box", async (t) => {
  const bibtex =
    "@misc{one, title={Of a file}, author={Lovelace, Ada}, eprint={2402.00001}, archiveprefix={arXiv}}\n@book{knuth, title={The Art}}"
  t.match((await paste({ text: bibtex })).told, /^1 paper saved New: 2402\.00001 Not a paper of arXiv: knuth names no arXiv id$/)
  t.match((await ada.read("library_papers", {})).items[0], { arxivId: "2402.00001", title: "Of a file" })
  const { collectionId } = (await ada.write("create_collection", { name: "From files" })).result
  t.match((await paste({ text: bibtex, collectionId })).told, /^1 paper saved and filed under “From files” New: 2402\.00001/)
  t.match(
    await (
      await fetch(`${baseUrl}/api/agent/library/collections/${collectionId}/bibtex`, {
        headers: { authorization: `Bearer ${await keyToken()}` },
      })
    ).text(),
    /@misc\{one,/,
    "with its key",
  )
  t.match(
    (await paste({ text: "TY  - JOUR\nTI  - Of RIS\nUR  - https://arxiv.org/abs/2402.00002\nER  - " })).told,
    /^1 paper saved New: 2402\.00002/,
  )
  t.match((await paste({ text: "@book{knuth, title={The Art}}" })).told, /Its one entry names no arXiv id\. Nothing was imported/)
})

test("of very many papers the first are taken, and the others stay in the box", async (t) => {
  const ids = Array.from({ length: 230 }, (_, index) => paperId(1_000 + index))
  const { told, box } = await paste({ text: ids.join(" ") })
  t.match(told, /^200 papers saved .* and 150 more At one time 200 papers are taken\. 30 others are still in the box/)
  t.strictSame(box.split("\n"), ids.slice(200))
  t.match((await paste({ text: "x".repeat(200_001) })).told, /longer than 200,000 characters/)
})

test("nobody pastes for another", async (t) => {
  const send = (headers: Record<string, string>) =>
    fetch(`${baseUrl}/web/paste`, { method: "POST", body: new URLSearchParams({ text: "2401.09999" }), headers, redirect: "manual" })
  t.equal((await send({ origin: new URL(baseUrl).origin })).status, 401)
  t.equal((await send({ origin: "https://elsewhere.example" })).status, 403)
})

async function keyToken(): Promise<string> {
  const { result } = await ada.write("issue_key", { label: "k", permissions: ["read_library"], reach: "all" })
  return result.token as string
}
