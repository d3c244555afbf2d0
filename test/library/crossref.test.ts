/**
 * Crossref's metadata for DOIs: imported from its own files, or requested from its REST API politely, and trusted only
 * for the DOIs requested.
 */
import { writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { test } from "tap"
import { importPapers, ImportError } from "../../src/library/papers/import.ts"
import { crossrefPapers, paperFromWork } from "../../src/library/papers/sources.ts"
import { collectionOf, paperId, share, openLibrary } from "./library.ts"

/** A work as in the REST API and the public data file. */
const work = (DOI: string, more: object = {}) => ({
  indexed: { "date-parts": [[2024, 1, 1]] },
  "reference-count": 47,
  publisher: "Springer Science and Business Media LLC",
  issue: "7553",
  DOI,
  type: "journal-article",
  created: { "date-parts": [[2015, 5, 27]], "date-time": "2015-05-27T16:42:35Z", timestamp: 1432744955000 },
  page: "436-444",
  source: "Crossref",
  title: ["Deep <i>learning</i>"],
  volume: "521",
  author: [
    { given: "Yann", family: "LeCun", sequence: "first", affiliation: [] },
    { name: "The Deep Consortium", sequence: "additional", affiliation: [] },
  ],
  abstract:
    "<jats:title>Abstract</jats:title><jats:p>What it says of <jats:italic>layers</jats:italic> &amp; more.</jats:p>",
  "container-title": ["Nature"],
  issued: { "date-parts": [[2015, 5, 27]] },
  subject: ["Multidisciplinary"],
  URL: `http://dx.doi.org/${DOI}`,
  relation: {},
  ...more,
})
const answerOf = (type: string, message: object) => ({
  status: "ok",
  "message-type": type,
  "message-version": "1.0.0",
  message,
})
const listOf = (...items: object[]) =>
  answerOf("work-list", { facets: {}, "total-results": items.length, items, "items-per-page": 20, query: {} })

test("a work becomes a record, whatever it contains", (t) => {
  t.strictSame(paperFromWork(work("10.1038/NATURE14539")), {
    paperId: "10.1038/nature14539",
    sameAs: null,
    record: {
      type: "article-journal",
      title: "Deep learning",
      authors: ["Yann LeCun", "The Deep Consortium"],
      names: [{ family: "LeCun", given: "Yann" }, { literal: "The Deep Consortium" }],
      year: 2015,
      publishedAt: "2015-05-27T00:00:00.000Z",
      issued: { "date-parts": [[2015, 5, 27]] },
      venue: "Nature",
      publisher: "Springer Science and Business Media LLC",
      volume: "521",
      issue: "7553",
      pages: "436-444",
      isbn: null,
      url: null,
      abstract: "What it says of layers & more.",
      categories: ["Multidisciplinary"],
      source: "crossref",
    },
  })
  const preprint = (id: string, type: string) => ({
    "has-preprint": [{ "id-type": type, id, "asserted-by": "subject" }],
  })
  t.match(
    paperFromWork(
      work("10.1/x".replace("10.1/", "10.1000/"), { relation: preprint("10.48550/arXiv.1706.03762", "doi") }),
    ),
    {
      sameAs: "1706.03762",
    },
  )
  t.match(paperFromWork(work("10.1000/x", { relation: preprint("arXiv:1706.03762", "arxiv") })), {
    sameAs: "1706.03762",
  })
  t.match(
    paperFromWork(
      work("10.1000/x", { issued: { "date-parts": [[1948]] }, "container-title": [], ISBN: ["978-0-262-03384-8"] }),
    ),
    {
      record: {
        year: 1948,
        publishedAt: null,
        venue: "Springer Science and Business Media LLC",
        isbn: "9780262033848",
      },
    },
  )
  for (const odd of [
    ...[{ title: [] }, { title: "plain" }, { title: [null] }, { DOI: 3 }, { DOI: "none" }].map((more) =>
      work("10.1000/x", more),
    ),
    {},
  ])
    t.equal(paperFromWork(odd), null, JSON.stringify(odd).slice(0, 60))
  for (const more of [
    { author: "x" },
    { author: [null, 3] },
    { issued: { "date-parts": [[null]] } },
    { relation: [] },
    { relation: { "has-preprint": [3] } },
    { page: {} },
  ])
    t.match(paperFromWork(work("10.1000/x", more)), { paperId: "10.1000/x" })
  t.equal(crossrefPapers(JSON.stringify(answerOf("work", work("10.1000/x")))).papers.length, 1)
  t.equal(crossrefPapers(JSON.stringify(listOf(work("10.1000/x"), work("10.1000/y"), {}))).others, 1)
  for (const wrong of ["{}", "3", "null", '{"message": {}}', "not json"]) t.throws(() => crossrefPapers(wrong), wrong)
  t.end()
})

test(
  "an import accepts an answer, a list of them, and the lines of the " + "public data file, plain or zipped",
  async (t) => {
    const lab = await openLibrary(t)
    const { ledger, world, metadataIntake } = lab.instance
    const folder = t.testdir({})
    const imported = (name: string, content: string | Buffer) => {
      writeFileSync(join(folder, name), content)
      return importPapers({ ledger, world, metadataIntake }, join(folder, name))
    }
    t.strictSame(await imported("work.json", JSON.stringify(answerOf("work", work("10.1000/one")))), {
      papers: 1,
      skipped: 0,
    })
    t.strictSame(await imported("pretty.json", JSON.stringify(listOf(work("10.1000/two"), {}), null, 2)), {
      papers: 1,
      skipped: 1,
    })
    t.strictSame(await imported("bare.json", JSON.stringify(work("10.1000/three"), null, 1)), { papers: 1, skipped: 0 })
    t.strictSame(
      await imported("0.json.gz", gzipSync(JSON.stringify({ items: [work("10.1000/four"), work("10.1000/five")] }))),
      {
        papers: 2,
        skipped: 0,
      },
    )
    const lines = Array.from({ length: 700 }, (_, index) => JSON.stringify(work(`10.1000/line.${index}`)))
    t.strictSame(await imported("1.jsonl.gz", gzipSync(`${lines.join("\n")}\n{"DOI": "10.1000/untitled"}\n`)), {
      papers: 700,
      skipped: 1,
    })
    await t.rejects(imported("wrong.json", '{"status": "failed", "message": []}'), ImportError)
    const { ada } = lab
    await ada.write("save_papers", { identifiers: ["10.1000/FOUR", "https://doi.org/10.1000/line.699"] })
    t.match((await ada.read("library_papers")).items, [
      { paperId: "10.1000/line.699", doi: "10.1000/line.699", arxivId: null, metadata: "known", source: "crossref" },
      {
        title: "Deep learning",
        authors: ["Yann LeCun", "The Deep Consortium"],
        venue: "Nature",
        volume: "521",
        year: 2015,
        metadata: "known",
      },
    ])

    await ada.write("save_papers", { identifiers: ["10.1000/late", paperId(50_001)] })
    const relation = { "has-preprint": [{ "id-type": "arxiv", id: paperId(50_001), "asserted-by": "subject" }] }
    await imported("late.json", JSON.stringify(work("10.1000/late", { relation })))
    t.match(
      (await ada.read("library_papers")).items[0],
      { paperId: paperId(50_001), doi: null, title: "Deep learning", source: "given" },
      "names that turn out to be one paper are joined, and its metadata is kept",
    )
    t.equal((await ada.read("library_papers")).items.length, 3)
  },
)

type Answer = (request: IncomingMessage, response: ServerResponse, dois: string[]) => void

/** Stands in for Crossref's REST API: its routes, its errors, and its headers. */
async function standIn(known: (doi: string) => object | undefined) {
  const asked: { path: string; dois: string[]; search: URLSearchParams; at: number; agent: string | undefined }[] = []
  const next: Answer[] = []
  let open = 0
  let most = 0
  const json = (response: ServerResponse, body: object, status = 200) =>
    response
      .writeHead(status, {
        "content-type": "application/json",
        "x-rate-limit-limit": "50",
        "x-rate-limit-interval": "1s",
        "x-api-pool": "polite",
      })
      .end(JSON.stringify(body))
  const server = createServer((request, response) => {
    most = Math.max(most, ++open)
    response.on("close", () => open--)
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://crossref")
    const one = pathname.startsWith("/works/") ? decodeURIComponent(pathname.slice("/works/".length)) : undefined
    const filters = (searchParams.get("filter") ?? "").split(",")
    const dois = one === undefined ? filters.map((filter) => filter.replace(/^doi:/, "")) : [one]
    asked.push({
      path: pathname,
      dois,
      search: searchParams,
      at: performance.now(),
      agent: request.headers["user-agent"],
    })
    const odd = next.shift()
    if (odd !== undefined) return odd(request, response, dois)
    if (one !== undefined) {
      const found = known(one)
      if (found === undefined)
        return void response.writeHead(404, { "content-type": "text/plain" }).end("Resource not found.")
      return void json(response, answerOf("work", found))
    }
    if (filters.some((filter) => !filter.startsWith("doi:")))
      return void json(
        response,
        { status: "failed", "message-type": "validation-failure", message: [{ type: "filter-not-available" }] },
        400,
      )
    setTimeout(() => json(response, listOf(...dois.flatMap((doi) => known(doi) ?? []))), 20)
  }).listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  return {
    api: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked,
    next: (answer: Answer) => void next.push(answer),
    mostAtOnce: () => most,
    json,
    close: () => server.close(),
  }
}

const until = async (what: () => Promise<boolean> | boolean) => {
  for (let tries = 0; tries < 400; tries++) {
    if (await what()) return
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
  throw new Error("timed out")
}

test(
  "Crossref is asked about DOIs only, several per request, one request at " + "a time, with pauses and a contact",
  async (t) => {
    const crossref = await standIn((doi) =>
      doi.startsWith("10.5555/") ? undefined : work(doi, { title: [`Of ${doi}`] }),
    )
    const lab = await openLibrary(t, { crossref: { api: crossref.api, contact: "library@example.org", pause: 60 } })
    t.teardown(() => crossref.close())
    const { ada, grace } = lab
    const dois = Array.from({ length: 30 }, (_, index) => `10.1000/asked.${index}`)
    crossref.next((_request, response) => void response.writeHead(503).end("busy"))
    await ada.write("save_papers", { identifiers: [...dois, "2401.00001", "ISBN 978-0-262-03384-8"] })
    t.equal(crossref.asked.length, 0, "answered before any request to Crossref")
    const collectionId = await collectionOf(ada, "To be known")
    await ada.write("add_papers", {
      collectionId,
      identifiers: ["10.1000/with,comma", "10.5555/nowhere", "10.5555/no,where"],
    })
    await until(
      async () => (await ada.read("library_papers")).items.filter(({ metadata }) => metadata === "known").length === 31,
    )
    t.match(await ada.read("library_paper", { paperId: "10.1000/with,comma" }), {
      title: "Of 10.1000/with,comma",
      source: "crossref",
    })
    await until(() => crossref.asked.some(({ path }) => path === "/works/10.5555%2Fno%2Cwhere"))
    const count = crossref.asked.length
    await new Promise((resolve) => setTimeout(resolve, 200))
    t.equal(crossref.asked.length, count, "an unknown DOI is not requested again")

    t.ok(crossref.asked.every(({ dois: each }) => each.length <= 20))
    t.ok(
      crossref.asked.every(
        ({ agent, search }) =>
          agent?.includes("(mailto:library@example.org)") && search.get("mailto") === "library@example.org",
      ),
    )
    t.ok(
      crossref.asked
        .filter(({ path }) => path === "/works")
        .every(({ search }) => search.get("select")?.includes("container-title")),
    )
    t.ok(
      crossref.asked.every(({ dois: each }) => each.every((doi) => doi.startsWith("10."))),
      "arXiv papers and books are not requested",
    )
    const gaps = crossref.asked.slice(1).map(({ at }, index) => at - (crossref.asked[index] as { at: number }).at)
    t.ok(
      gaps.every((gap) => gap >= 55),
      `pauses of ${gaps.map(Math.round).join(", ")} ms`,
    )
    t.ok((gaps[0] ?? 0) >= 110, "a longer one after the failure")
    t.equal(crossref.mostAtOnce(), 1)

    await grace.write("save_papers", { identifiers: ["10.1000/asked.0"] })
    await until(async () => (await grace.read("library_papers")).items[0]?.metadata === "known")
    t.equal(crossref.asked.length, count, "and nothing is requested again")
    await share(ada, collectionId, grace, "grace")
  },
)

test("Crossref's answers are trusted only for the DOIs that were requested", async (t) => {
  const crossref = await standIn((doi) => work(doi))
  const lab = await openLibrary(t, { crossref: { api: crossref.api, pause: 5 } })
  t.teardown(() => crossref.close())
  const { ada, mary } = lab
  await mary.write("save_papers", { identifiers: ["10.1000/of.mary"] })
  await until(async () => (await mary.read("library_papers")).items[0]?.metadata === "known")
  const reject: Answer[] = [
    (_request, response) =>
      void crossref.json(
        response,
        listOf(work("10.1000/of.mary", { title: ["Another title"] }), work("10.1000/never.asked")),
      ),
    (_request, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
    (_request, response) =>
      void response.writeHead(200, { "content-type": "application/json" }).end("x".repeat(10_000_001)),
    (_request, response) =>
      void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("y".repeat(50_000_000))),
    (request) => void request.socket.destroy(),
    (_request, response) => void response.writeHead(429, { "retry-after": "0" }).end(),
    (_request, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
  ]
  for (const [index, answer] of reject.entries()) {
    crossref.next(answer)
    const before = crossref.asked.length
    await ada.write("save_papers", { identifiers: [`10.1000/of.ada.${index}`] })
    await until(() => crossref.asked.length > before)
  }
  const known = async () =>
    (await ada.read("library_papers")).items.filter(({ metadata }) => metadata === "known").length
  await until(async () => (await known()) === reject.length - 1)
  t.match(
    (await mary.read("library_papers")).items,
    [{ title: "Deep learning" }],
    "a paper that was not requested stays as it is",
  )
  t.match(
    await ada.read("library_paper", { paperId: "10.1000/of.ada.0" }),
    { metadata: "unknown" },
    "and a paper that the answer omits counts as not there",
  )
})

test("a wait that Crossref asks for is observed", async (t) => {
  const crossref = await standIn((doi) => work(doi))
  const lab = await openLibrary(t, { crossref: { api: crossref.api, pause: 5 } })
  t.teardown(() => crossref.close())
  crossref.next((_request, response) => void response.writeHead(429, { "retry-after": "1" }).end())
  await lab.ada.write("save_papers", { identifiers: ["10.1000/waited"] })
  await until(async () => (await lab.ada.read("library_papers")).items[0]?.metadata === "known")
  const [first, second] = crossref.asked
  t.ok((second?.at ?? 0) - (first?.at ?? 0) >= 990, "a second, as it said")
})
