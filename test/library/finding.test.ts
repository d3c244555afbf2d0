/**
 * Finding papers in a Library of any size: one's own tags, words, orders, and an export of everything for other
 * programs.
 */
import fc from "fast-check"
import t, { test } from "tap"
import { enumerations } from "../../src/contract/schema/enumerations.ts"
import type { AnswerOf } from "../../src/contract/reads/index.ts"
import {
  collectionOf,
  keyOf,
  makeKnown,
  paperId,
  paperIds,
  readText,
  refused,
  share,
  openLibrary,
  toldOf,
} from "./library.ts"

const lab = await openLibrary(t)
const { ada, grace, mary } = lab

const known = (
  arxivId: string,
  title: string,
  more: { authors?: string[]; abstract?: string; publishedAt?: string } = {},
) =>
  makeKnown(
    lab,
    [
      toldOf(arxivId, title, {
        authors: more.authors ?? ["Ada Lovelace"],
        abstract: more.abstract,
        categories: ["cs.LG"],
        published: more.publishedAt,
      }),
    ],
    "import",
  )
const [ramp, adam, wave] = [paperId(1), paperId(2), paperId(3)]
await known(ramp, "Warm-up, measured", {
  abstract: "A gradual schedule for large batches.",
  publishedAt: "2024-01-03T00:00:00.000Z",
})
await known(adam, "adaptive moments", {
  authors: ["Erwin Schrödinger", "The ATLAS Collaboration"],
  publishedAt: "2023-05-01T00:00:00.000Z",
})
await ada.write("save_papers", { arxivIds: [ramp, adam] })
await ada.write("save_papers", { arxivIds: [wave], titles: [{ arxivId: wave, title: "Zebra waves" }] })

type Query = Parameters<typeof ada.read<"library_papers">>[1]
const found = async (query: Query, who: Pick<typeof ada, "read"> = ada) =>
  (await who.read("library_papers", query)).items.map(({ arxivId }) => arxivId)

test("saved papers are found by every word known of them, and by what their reader wrote", async (t) => {
  t.strictSame(await found({ query: "warm-up" }), [ramp])
  t.strictSame(
    await found({ query: "SCHEDULES gradu" }),
    [ramp],
    "of the abstract, in another form, the last word by its prefix",
  )
  t.strictSame(await found({ query: "schrodinger" }), [adam], "of an author, with an accent or without")
  t.strictSame(await found({ query: "zebra" }), [wave], "of a title that came with it")
  t.strictSame(await found({ query: ramp }), [ramp], "by its id")
  t.strictSame(await found({ query: "warm-up zebra" }), [], "every word must match")
  for (const query of ["?!", '"', "*", "owner", "a OR b", "NEAR(", "paper : x"])
    t.strictSame(await found({ query }), [], query)

  const collectionId = await collectionOf(ada, "Shared", [ramp, adam])
  await share(ada, collectionId, grace, "grace")
  await ada.write("write_annotation", { arxivId: adam, expectedRevision: 0, notes: "Compare with the *cosine* decay." })
  const highlight = { arxivId: wave, quote: "a stripe of no width", page: 3, colour: "green" } as const
  const { highlightId } = (
    await ada.write("add_highlight", { ...highlight, expectedRevision: 0, comment: "Doubtful." })
  ).result
  const { noteId } = (await ada.write("post_note", { collectionId, arxivId: ramp, text: "See figure quokka." })).result
  await grace.write("post_note", { collectionId, arxivId: ramp, text: "Or figure wombat." })
  t.strictSame(await found({ query: "cosine" }), [adam], "by one's own note")
  t.strictSame(await found({ query: "stripe doubtful" }), [wave], "by a highlight and its comment")
  t.strictSame(await found({ query: "quokka" }), [ramp], "by a note in a Collection")
  t.strictSame(await found({ query: "wombat" }), [], "but not by another person's")
  t.strictSame(await found({ query: "cosine" }, grace), [], "nor can the other person find it by one's own")
  await ada.write("delete_note", { noteId })
  await ada.write("amend_highlight", { highlightId, expectedRevision: 1, comment: null })
  await ada.write("write_annotation", { arxivId: adam, expectedRevision: 1, notes: "" })
  t.strictSame(
    await Promise.all(["quokka", "doubtful", "cosine"].map((query) => found({ query }))),
    [[], [], []],
    "deleted text is not found",
  )
  t.strictSame(await found({ query: "stripe" }), [wave])
  await ada.write("remove_highlight", { highlightId, expectedRevision: 2 })
  t.strictSame(await found({ query: "stripe" }), [])
  await ada.write("post_note", { collectionId, arxivId: adam, text: "A last numbat." })
  t.strictSame(await found({ query: "numbat" }), [adam])
  await ada.write("delete_collection", { collectionId })
  t.strictSame(await found({ query: "numbat" }), [], "nor are notes of a deleted Collection")

  await known(wave, "Breathing waves")
  t.strictSame(
    [await found({ query: "zebra" }), await found({ query: "breathing" })],
    [[], [wave]],
    "arXiv's metadata replaces another source's",
  )
  await ada.write("unsave_papers", { arxivIds: [wave] })
  t.strictSame(await found({ query: "breathing" }), [])
  await ada.write("save_papers", { arxivIds: [wave] })
  t.strictSame(await found({ query: "breathing" }), [wave])
})

test("a key finds nothing by text that it may not read", async (t) => {
  await mary.write("save_papers", { arxivIds: [paperId(10)] })
  const theirs = await collectionOf(grace, "Of grace", [paperId(10)])
  await share(grace, theirs, mary, "mary")
  await mary.write("post_note", { collectionId: theirs, arxivId: paperId(10), text: "heliotrope" })
  await mary.write("write_annotation", { arxivId: paperId(10), expectedRevision: 0, notes: "ultramarine" })
  const counts = async (key: Parameters<typeof lab.agentOf>[1]) => {
    const agent = await lab.agentOf(mary, key)
    return Promise.all(
      ["heliotrope", "ultramarine", paperId(10)].map(
        async (query) => (await agent.read("library_papers", { query })).items.length,
      ),
    )
  }
  t.strictSame(await counts({}), [1, 1, 1])
  t.strictSame(
    await counts({ permissions: ["read_library"] }),
    [1, 0, 1],
    "without the permission for them annotations are not searched",
  )
  t.strictSame(await counts({ reach: "owned" }), [0, 1, 1], "nor are notes in a Collection out of reach")
  const selected = await lab.agentOf(mary, { reach: "selected", collectionIds: [theirs] })
  for (const read of ["library_papers", "library_tags"] as const)
    t.match(await refused(selected.read(read, {})), { status: 403, refusal: "not_authorized" })
  t.match(await selected.read("library_paper", { arxivId: paperId(10) }), { tags: null, saved: null })
})

test("papers are tagged by one person, and only they find them by it", async (t) => {
  const [one = "", two = "", other = ""] = paperIds(20, 3)
  const tag = (arxivIds: string[], tags: string[]) => grace.write("tag_papers", { arxivIds, tags })
  const first = { requestId: lab.instance.world.id(), arxivIds: [one, `${two}v2`], tags: ["To Read", "warm-up"] }
  t.strictSame((await grace.write("tag_papers", first)).result, {
    tags: ["to read", "warm-up"],
    tagged: [one, two],
    alreadyTagged: [],
    saved: [one, two],
    alreadySaved: [],
    label: null,
  })
  t.match(await grace.write("tag_papers", first), { replayed: true })
  t.match((await tag([one, other], ["to read"])).result, {
    tagged: [other],
    alreadyTagged: [one],
    saved: [other],
    alreadySaved: [one],
  })
  const list = async () => (await grace.read("library_tags", {})).items
  t.strictSame(await list(), [
    { tag: "to read", papers: 3 },
    { tag: "warm-up", papers: 2 },
  ])
  t.strictSame(await found({ tag: "Warm-up" }, grace), [two, one], "in either letter case")
  t.strictSame(await found({ tag: "warm-up", query: one }, grace), [one])
  t.strictSame(
    await found({ query: "to read" }, grace),
    [other, two, one],
    "a tag is searched like a word of the paper",
  )
  t.match(await grace.read("library_paper", { arxivId: one }), { tags: ["to read", "warm-up"] })
  t.match((await grace.read("library_papers", {})).items[0], { arxivId: other, tags: ["to read"] })
  const agent = await lab.agentOf(grace)
  t.match(
    (await agent.read("library_papers", { tag: "warm-up" })).items[1],
    { arxivId: one, tags: ["to read", "warm-up"] },
    "the person's agent sees them",
  )
  t.strictSame((await agent.read("library_tags", {})).items, await list())

  const shared = await collectionOf(grace, "Tagged", [one])
  await share(grace, shared, ada, "ada")
  t.match(await ada.read("library_paper", { arxivId: one }), { tags: [] }, "nobody else does")
  t.strictSame((await ada.read("library_tags", {})).items, [])
  t.notMatch(JSON.stringify(await ada.read("library_collection", { collectionId: shared })), /to read/)

  t.match((await grace.write("untag_papers", { arxivIds: [one, other], tags: ["warm-up"] })).result, {
    untagged: [one],
    notTagged: [other],
  })
  await grace.write("unsave_papers", { arxivIds: [two, other] })
  t.strictSame(await list(), [{ tag: "to read", papers: 1 }], "a paper that is not saved has none")
  await grace.write("save_papers", { arxivIds: [two] })
  t.match(await grace.read("library_paper", { arxivId: two }), { tags: [] })
  t.match(await refused(grace.write("tag_papers", { arxivIds: [one], tags: ["a, b"] })), {
    status: 422,
    issues: ["/tags/0"],
  })
  for (const wrong of ["", " x", "x\ny", "x".repeat(51)])
    t.match(await refused(tag([one], [wrong])), { status: 422 }, JSON.stringify(wrong))
  const many = Array.from({ length: 20 }, (_, index) => `t${index}`)
  t.match(await refused(tag([paperId(29), one], many)), {
    status: 409,
    refusal: "limit_reached",
    current: { limit: "paperTags", most: 20, now: 1 },
  })
  t.match(
    await refused(grace.read("library_paper", { arxivId: paperId(29) })),
    { refusal: "unknown_paper" },
    "nothing of it was written",
  )
})

test("papers are listed in the requested order, a page at a time", async (t) => {
  t.strictSame(await found({ sort: "title" }), [adam, wave, ramp], "by title, ignoring case")
  t.strictSame(
    await found({ sort: "published" }),
    [ramp, adam, wave],
    "newest first, and those with unknown dates last",
  )
  t.strictSame(await found({}), [wave, adam, ramp], "newest saved first")
  t.match(await refused(ada.read("library_papers", { sort: "size" as "title" })), { status: 422, issues: ["/sort"] })

  // All pages together are the whole list, for any query.
  const ids = paperIds(100, 130)
  for (let from = 0; from < ids.length; from += 50)
    await mary.write("save_papers", { arxivIds: ids.slice(from, from + 50) })
  for (const [index, id] of ids.entries())
    if (index % 3 === 0)
      await known(id, `Title ${(index * 7) % 130}`, { publishedAt: `20${10 + (index % 15)}-01-01T00:00:00.000Z` })
  await mary.write("tag_papers", { arxivIds: ids.slice(20, 70), tags: ["some"] })
  await mary.write("tag_papers", { arxivIds: ids.slice(70, 90), tags: ["some"] })
  await fc.assert(
    fc.asyncProperty(
      fc.record(
        {
          sort: fc.constantFrom(...enumerations.paperOrder),
          tag: fc.constant("some"),
          query: fc.constantFrom("title", "2401", "lovelace"),
        },
        { requiredKeys: [] },
      ),
      async (query) => {
        const whole: string[] = []
        for (let offset: number | null = 0; offset !== null; ) {
          const page: AnswerOf<"library_papers"> = await mary.read("library_papers", { ...query, offset })
          whole.push(...page.items.map((item) => item.paperId))
          if (page.items.length > 50 || page.hasMore !== (page.nextOffset !== null))
            throw new Error("a page is too long, or its hasMore is wrong")
          offset = page.nextOffset
        }
        const due = ids.filter(
          (_, index) =>
            (query.tag === undefined || (index >= 20 && index < 90)) &&
            (query.query === undefined || query.query === "2401" || index % 3 === 0),
        )
        const rest = query.tag === undefined && (query.query === undefined || query.query === "2401") ? 1 : 0
        if (new Set(whole).size !== whole.length || whole.length !== due.length + rest)
          throw new Error(`${whole.length} of ${due.length + rest}`)
      },
    ),
    { numRuns: 30 },
  )
})

test("the whole list can be exported as a file, with one's own tags", async (t) => {
  await ada.write("tag_papers", { arxivIds: [ramp], tags: ["50% & more"] })
  const token = await keyOf(ada)
  const file = async (path: string) => {
    const response = await fetch(`${lab.baseUrl}/api/agent/library/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    return {
      type: response.headers.get("content-type"),
      name: response.headers.get("content-disposition"),
      text: await response.text(),
    }
  }
  const bibtex = await file("papers?format=bibtex")
  t.match(bibtex, { type: "application/x-bibtex; charset=utf-8", name: 'attachment; filename="library.bib"' })
  t.match(bibtex.text, /keywords = \{50\\% \\& more\}/)
  const ris = await file("papers?format=ris&sort=title")
  t.match(ris, {
    type: "application/x-research-info-systems; charset=utf-8",
    name: 'attachment; filename="library.ris"',
  })
  t.match(ris.text, /AU {2}- Schrödinger, Erwin\r\nAU {2}- The ATLAS Collaboration\r\n/)
  t.match(ris.text, /KW {2}- 50% & more\r\n/)
  for (const [format, { text }] of Object.entries({ bibtex, ris })) {
    const { papers, unreadable } = await readText(text)
    t.strictSame([papers.length, unreadable], [3, []], `${format} is read back whole`)
    t.match(
      papers.find((paper) => paper.paperId === adam)?.given,
      { title: "adaptive moments", authors: ["Erwin Schrödinger", /ATLAS Collaboration/] },
      format,
    )
  }
  const csl = JSON.parse((await file("papers?format=csl&sort=title")).text)
  t.match(csl, [
    {
      type: "article",
      title: "adaptive moments",
      author: [{ family: "Schrödinger", given: "Erwin" }, { literal: "The ATLAS Collaboration" }],
      issued: { "date-parts": [[2023, 5, 1]] },
    },
    { title: "Breathing waves", issued: { "date-parts": [[2024]] } },
    {
      title: "Warm-up, measured",
      DOI: `10.48550/arXiv.${ramp}`,
      URL: `https://arxiv.org/abs/${ramp}`,
      keyword: "50% & more",
    },
  ])
  t.strictSame(
    JSON.parse((await file("papers?format=csl&query=nothing")).text),
    [],
    "an empty list gives an empty file",
  )
  t.equal(JSON.parse((await file("papers?format=csl&query=%3F")).text).length, 0)
  t.equal(
    (await readText((await file(`papers?format=bibtex&tag=${encodeURIComponent("50% & more")}`)).text)).papers.length,
    1,
  )
  const collectionId = await collectionOf(ada, "As a file", [ramp, adam])
  t.match(await file(`collections/${collectionId}?format=ris`), {
    name: `attachment; filename="collection-${collectionId}.ris"`,
  })
  const collection = await file(`collections/${collectionId}?format=csl`)
  t.strictSame(
    JSON.parse(collection.text).map(({ title }: { title: string }) => title),
    ["Warm-up, measured", "adaptive moments"],
  )
  t.notMatch(collection.text, /50% & more/, "shared papers reveal none of one's own tags")
  t.equal(
    (await file(`collections/${collectionId}?format=bibtex`)).text,
    (await file(`collections/${collectionId}/bibtex`)).text,
  )

  // Takes more than one turn, while others write.
  const key = await keyOf(mary)
  const [all] = await Promise.all([
    fetch(`${lab.baseUrl}/api/agent/library/papers?format=csl`, { headers: { authorization: `Bearer ${key}` } }).then(
      (response) => response.json(),
    ),
    mary.write("unsave_papers", { arxivIds: [paperId(229)] }),
  ])
  t.ok((all as unknown[]).length >= 130)
})

test("a reading position keeps the number of pages once it was set", async (t) => {
  const set = async (body: { page: number; pages?: number }) =>
    (await ada.write("set_reading_position", { arxivId: ramp, ...body })).result
  t.match(await set({ page: 3 }), { page: 3, pages: null })
  t.match(await set({ page: 7, pages: 23 }), { page: 7, pages: 23 })
  t.match(await set({ page: 9 }), { page: 9, pages: 23 }, "and keeps it")
  t.match(await ada.read("reading_position", { arxivId: ramp }), { page: 9, pages: 23 })
  t.match(await refused(set({ page: 9, pages: 8 })), { status: 422, issues: ["/page"] })
  t.match(await set({ page: 30 }), { page: 30, pages: null }, "until it cannot be right")
})
