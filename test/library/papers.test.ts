/**
 * Metadata of papers: imported from arXiv's own files, or requested from arXiv politely, and shown only to people who
 * may know it.
 */
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { test } from "tap"
import { atomPapers } from "../../src/library/papers/sources.ts"
import { importPapers, ImportError, snapshotPaper } from "../../src/library/papers/import.ts"
import { collectionOf, refused, share, openLibrary } from "./library.ts"

/** A line as in arXiv's snapshot. */
const line = (id: string, more: object = {}) =>
  JSON.stringify({
    id,
    submitter: "A. Submitter",
    authors: "Ada B. Lovelace and Grace Hopper",
    title: "A title broken\n  into lines",
    comments: "12 pages",
    "journal-ref": null,
    doi: null,
    "report-no": null,
    categories: "cs.LG stat.ML",
    license: null,
    abstract: "  An abstract, broken\ninto lines too.\n",
    versions: [
      { version: "v1", created: "Mon, 2 Apr 2007 19:18:42 GMT" },
      { version: "v2", created: "Tue, 24 Jul 2007 20:10:27 GMT" },
    ],
    update_date: "2008-11-26",
    authors_parsed: [
      ["Lovelace", "Ada B.", ""],
      ["Hopper", "Grace", "Jr"],
    ],
    ...more,
  })

const entry = (id: string, title = "On &lt;em&gt; and $x &lt; y$") => `<entry>
    <id>http://arxiv.org/abs/${id}</id><updated>2023-08-02T00:41:18Z</updated>\
<published>2017-06-12T17:57:34Z</published>
    <title>${title}</title><summary>  What it
 says.</summary>
    <author><name>Kurt Gödel</name></author><author><name>Emmy Noether</name>\
<arxiv:affiliation xmlns:arxiv="http://arxiv.org/schemas/atom">Göttingen</arxiv:affiliation></author>
    <arxiv:primary_category xmlns:arxiv="http://arxiv.org/schemas/atom" term="cs.CL" \
scheme="http://arxiv.org/schemas/atom"/>
    <category term="cs.CL" scheme="http://arxiv.org/schemas/atom"/>\
<category term="cs.LG" scheme="http://arxiv.org/schemas/atom"/>
  </entry>`
const feed = (...entries: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><title type="html">ArXiv ` +
  `Query</title>${entries.join("\n")}</feed>`

test("a valid line of the snapshot becomes a record, and any other does not", async (t) => {
  const nowhere = { volume: null, issue: null, pages: null, isbn: null, url: null }
  t.strictSame(
    snapshotPaper(line("0704.0001", { doi: "10.1103/PhysRevD.76.013009", "journal-ref": "Phys.Rev.D76:013009,2007" })),
    {
      paperId: "0704.0001",
      sameAs: "10.1103/physrevd.76.013009",
      record: {
        title: "A title broken into lines",
        authors: ["Ada B. Lovelace", "Grace Hopper Jr"],
        ...nowhere,
        venue: "Phys.Rev.D76:013009,2007",
        year: 2007,
        publishedAt: "2007-04-02T19:18:42.000Z",
        abstract: "An abstract, broken into lines too.",
        categories: ["cs.LG", "stat.ML"],
        source: "arxiv",
      },
    },
  )
  t.match(snapshotPaper(line("math.GT/0309136", { authors_parsed: undefined, versions: undefined })), {
    paperId: "math/0309136",
    sameAs: null,
    record: { authors: ["Ada B. Lovelace", "Grace Hopper"], publishedAt: null },
  })
  for (const wrong of [
    "",
    "{",
    "null",
    "[]",
    "3",
    "{}",
    line("no-id"),
    line("0704.0001", { title: " " }),
    line("0704.0001", { title: 3 }),
  ])
    t.equal(snapshotPaper(wrong), null, wrong.slice(0, 40))
})

test("an Atom answer becomes records, whatever it contains", async (t) => {
  const record = {
    authors: ["Kurt Gödel", "Emmy Noether"],
    abstract: "What it says.",
    categories: ["cs.CL", "cs.LG"],
    year: 2017,
    publishedAt: "2017-06-12T17:57:34.000Z",
    source: "arxiv",
  }
  const doi = '<arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1000/ABC 10.1000/def</arxiv:doi></entry>'
  t.match(
    atomPapers(
      feed(entry("1706.03762v7"), entry("hep-th/9901001v3", "2401.1e5").replace("</entry>", doi), entry("bad id")),
    ),
    {
      papers: [
        { paperId: "1706.03762", sameAs: null, record: { ...record, title: "On <em> and $x < y$" } },
        { paperId: "hep-th/9901001", sameAs: "10.1000/abc", record: { ...record, title: "2401.1e5" } },
      ],
      others: 1,
    },
  )
  t.strictSame(atomPapers(feed()), { papers: [], others: 0 })
  for (const wrong of ["<html><body>Rate exceeded.</body></html>", "<feed><entry>", "not xml"])
    t.throws(() => atomPapers(wrong), wrong)
})

test("an import reads lines and Atom, plain or zipped, and reports what it left out", async (t) => {
  const lab = await openLibrary(t)
  const { ledger, world, metadataIntake } = lab.instance
  const parts = { ledger, world, metadataIntake }
  const folder = t.testdir({})
  const file = (name: string, content: string | Buffer) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const lines = Array.from({ length: 1_300 }, (_, index) => line(`2405.${String(10_000 + index)}`))
  const progress: number[] = []
  t.strictSame(
    await importPapers(parts, file("snapshot.json", `${lines.join("\n")}\n\n{"broken":\n${line("nonsense")}`), {
      onProgress: (bytes) => void progress.push(bytes),
    }),
    { papers: 1_300, skipped: 2 },
  )
  t.ok(
    progress.length >= 3 && progress.every((bytes, index) => bytes >= (progress[index - 1] ?? 0)),
    "progress is reported",
  )
  t.strictSame(
    await importPapers(parts, file("snapshot.json.gz", gzipSync(`${line("2405.00001")}\r\n${line("2405.00002")}`))),
    {
      papers: 2,
      skipped: 0,
    },
  )
  t.strictSame(await importPapers(parts, file("atom.xml", `\n${feed(entry("1706.03762v7"), entry("x"))}`)), {
    papers: 1,
    skipped: 1,
  })
  for (const [name, content] of Object.entries({
    empty: "",
    text: "hello",
    html: "<html></html>",
    list: "[1, 2",
    "not-a-snapshot": Array.from({ length: 600 }, () => '{"a":1}').join("\n"),
    "cut.gz": gzipSync(lines.join("\n")).subarray(0, 900),
  })) {
    await t.rejects(importPapers(parts, file(name, content)), ImportError, name)
  }
  await t.rejects(importPapers(parts, join(folder, "nowhere")), ImportError)
  await t.rejects(importPapers(parts, folder), ImportError)

  const { ada } = lab
  t.match(
    await ada.read("library_paper", { arxivId: "2405.10000" }),
    { title: "A title broken into lines", metadata: "known", saved: false },
    "imported metadata is public",
  )
  await ada.write("save_papers", { arxivIds: ["2405.10000", "1706.03762"] })
  t.match((await ada.read("library_papers")).items, [
    { arxivId: "1706.03762", title: "On <em> and $x < y$", metadata: "known" },
    { arxivId: "2405.10000", metadata: "known" },
  ])
})

test("papers import, from the command line", async (t) => {
  const folder = t.testdir({
    "snapshot.json": [line("2406.00001"), line("2406.00002"), "{}"].join("\n"),
    "notes.txt": "hello",
  })
  const main = join(import.meta.dirname, "../../src/main.ts")
  const run = (...words: string[]) =>
    promisify(execFile)(process.execPath, [main, "papers", "import", ...words, "--data", join(folder, "data")]).then(
      ({ stdout, stderr }) => ({ stdout, stderr, code: 0 }),
      ({ stdout, stderr, code }: { stdout: string; stderr: string; code: number }) => ({ stdout, stderr, code }),
    )
  t.strictSame(await run(join(folder, "snapshot.json")), {
    code: 0,
    stdout: "The metadata of 2 papers was imported. 1 line without a paper was skipped.\n",
    stderr: "",
  })
  t.match(await run(join(folder, "notes.txt")), {
    code: 2,
    stdout: "",
    stderr: /is none of these: arXiv's snapshot, an Atom answer of its API, Crossref's data file/,
  })
  t.match(await run(join(folder, "nowhere.json")), { code: 2, stderr: /cannot be read \(ENOENT\)/ })
})

/** Stands in for arXiv's API: it counts requests, and knows some papers. */
async function standIn(known: (id: string) => string | undefined) {
  const asked: { ids: string[]; at: number; agent: string | undefined }[] = []
  let failing = 0
  let open = 0
  let most = 0
  const server = createServer((request, response) => {
    most = Math.max(most, ++open)
    response.on("close", () => open--)
    const { searchParams } = new URL(request.url ?? "/", "http://arxiv")
    asked.push({
      ids: (searchParams.get("id_list") ?? "").split(","),
      at: performance.now(),
      agent: request.headers["user-agent"],
    })
    if (failing-- > 0) return void response.writeHead(503, { "retry-after": "1" }).end("busy")
    const entries = (searchParams.get("id_list") ?? "").split(",").flatMap((id) => known(id) ?? [])
    setTimeout(() => response.writeHead(200, { "content-type": "application/atom+xml" }).end(feed(...entries)), 20)
  }).listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  return {
    api: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/query`,
    asked,
    fail: (times: number) => void (failing = times),
    mostAtOnce: () => most,
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
  "arXiv is asked in batches, one at a time, with pauses, once per paper, " + "and never before a write is answered",
  async (t) => {
    const arxiv = await standIn((id) => (id.startsWith("2407.9") ? undefined : entry(`${id}v2`, `Paper ${id}`)))
    const lab = await openLibrary(t, { arxiv: { api: arxiv.api, pause: 60 } })
    t.teardown(() => arxiv.close())
    const { ada, grace } = lab
    const ids = Array.from({ length: 60 }, (_, index) => `2407.${String(10_000 + index)}`)
    arxiv.fail(1)
    const receipt = await ada.write("save_papers", { arxivIds: ids.slice(0, 50) })
    t.match(receipt.result, { saved: ids.slice(0, 50) })
    t.equal(arxiv.asked.length, 0, "answered before any request to arXiv")
    const collectionId = await collectionOf(ada, "To be known", [...ids.slice(50), "2407.90001", "hep-th/9711200"])
    await until(
      async () =>
        (await ada.read("library_collection", { collectionId })).items.filter(({ metadata }) => metadata === "known")
          .length === 11,
    )
    t.match(await ada.read("library_paper", { arxivId: ids[0] as string }), {
      title: `Paper ${ids[0]}`,
      metadata: "known",
      authors: ["Kurt Gödel", "Emmy Noether"],
    })
    t.match(
      await ada.read("library_paper", { arxivId: "2407.90001" }),
      { title: null, metadata: "unknown" },
      "arXiv does not have it",
    )

    const before = arxiv.asked.length + 1
    await ada.write("save_papers", { arxivIds: ["2407.90002"] })
    await until(() => arxiv.asked.at(-1)?.ids.includes("2407.90002") === true)
    t.strictSame(
      arxiv.asked.at(-1)?.ids,
      ["2407.90002"],
      "newly filed papers are requested alone: nothing twice, not even papers that arXiv lacks",
    )
    t.equal(arxiv.asked.length, before)
    const counts = new Map<string, number>()
    for (const { ids: each } of arxiv.asked.slice(1)) for (const id of each) counts.set(id, (counts.get(id) ?? 0) + 1)
    t.strictSame(
      [...counts.values()].filter((count) => count > 1),
      [],
      "each paper once, except in the failed request",
    )
    t.ok(arxiv.asked.every(({ ids: each, agent }) => each.length <= 50 && agent?.startsWith("research-room/")))
    const gaps = arxiv.asked.slice(1).map(({ at }, index) => at - (arxiv.asked[index] as { at: number }).at)
    t.ok(
      gaps.every((gap) => gap >= 55),
      `pauses of ${gaps.map(Math.round).join(", ")} ms`,
    )
    t.ok((gaps[0] ?? 0) >= 110, "a longer one after the failure")
    t.equal(arxiv.mostAtOnce(), 1)

    // Grace files a paper that ada has: she waits as if nobody had it, and arXiv is not asked again.
    const first = ids[0] as string
    t.match(
      await refused(grace.read("library_paper", { arxivId: first })),
      { status: 404, refusal: "unknown_paper" },
      "she does not learn that somebody filed it",
    )
    await grace.write("save_papers", { arxivIds: [first] })
    t.match(
      (await grace.read("library_papers")).items,
      [{ arxivId: first, metadata: "unknown", title: null }],
      "nor is it shown in her own Library at once",
    )
    await until(async () => (await grace.read("library_papers")).items[0]?.metadata === "known")
    t.equal(arxiv.asked.length, before)

    await share(ada, collectionId, grace, "grace")
    t.ok(
      (await grace.read("library_collection", { collectionId })).items.some(({ metadata }) => metadata === "known"),
      "a shared Collection shares its metadata",
    )
  },
)

test("with arXiv unreachable everything works, and known metadata stays", async (t) => {
  let tries = 0
  const broken = createServer()
    .on("connection", (socket) => {
      tries += 1
      socket.destroy()
    })
    .listen(0, "127.0.0.1")
  await new Promise((resolve) => broken.once("listening", resolve))
  const lab = await openLibrary(t, {
    arxiv: { api: `http://127.0.0.1:${(broken.address() as AddressInfo).port}/api/query`, pause: 5 },
  })
  t.teardown(() => broken.close())
  const agent = await lab.agentOf(lab.ada)
  for (let index = 0; index < 5; index++) await agent.write("save_papers", { arxivIds: [`2408.0000${index + 1}`] })
  await until(() => tries > 0)
  t.match(await agent.read("library_papers"), { items: Array.from({ length: 5 }, () => ({ metadata: "unknown" })) })
})
