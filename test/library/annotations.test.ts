/**
 * A person's own annotations on a paper: guarded by their revision, and read by nobody but that person and their own
 * keys.
 */
import t, { test } from "tap"
import { collectionOf, paperId, refused, share, openLibrary } from "./library.ts"

const lab = await openLibrary(t)
const { ada, grace } = lab
const arxivId = paperId(1)
await ada.write("save_papers", { arxivIds: [arxivId] })

const highlight = { arxivId, quote: "We used a linear ramp.", page: 7, colour: "yellow" } as const

// shows: An unannotated paper has an empty state; annotations have a revision.
test("an unannotated paper reads as an empty state", async (t) => {
  t.strictSame(await ada.read("library_annotations", { arxivId }), {
    schemaVersion: 1,
    paperId: arxivId,
    arxivId,
    revision: 0,
    notes: "",
    highlights: [],
    updatedAt: null,
  })
  t.match(await refused(ada.read("library_annotations", { arxivId: paperId(2) })), {
    status: 404,
    refusal: "unknown_paper",
  })
})

// shows: An unannotated paper has an empty state; annotations have a revision.
test("every change names the revision that it was made on, and none overwrites another", async (t) => {
  t.match((await ada.write("write_annotation", { arxivId, expectedRevision: 0, notes: "First thoughts." })).result, {
    revision: 1,
  })
  const stale = await refused(
    ada.write("write_annotation", { arxivId, expectedRevision: 0, notes: "From another window." }),
  )
  t.match(stale, { status: 409, refusal: "state_conflict", current: { revision: 1, notes: "First thoughts." } })
  const { result } = await ada.write("add_highlight", {
    ...highlight,
    expectedRevision: 1,
    version: 3,
    prefix: "In training, ",
    suffix: " Then",
    comment: "Ours too.",
  })
  t.match(await refused(ada.write("add_highlight", { ...highlight, expectedRevision: 1 })), {
    status: 409,
    refusal: "state_conflict",
    current: { revision: 2, highlights: 1 },
  })
  t.match(
    await refused(
      ada.write("amend_highlight", { highlightId: result.highlightId, expectedRevision: 1, colour: "pink" }),
    ),
    {
      status: 409,
    },
  )
  await ada.write("amend_highlight", {
    highlightId: result.highlightId,
    expectedRevision: 2,
    colour: "pink",
    comment: null,
  })
  t.match(await ada.read("library_annotations", { arxivId }), {
    revision: 3,
    notes: "First thoughts.",
    highlights: [
      {
        highlightId: result.highlightId,
        quote: "We used a linear ramp.",
        page: 7,
        colour: "pink",
        comment: null,
        version: 3,
        prefix: "In training, ",
        suffix: " Then",
      },
    ],
  })
  await ada.write("remove_highlight", { highlightId: result.highlightId, expectedRevision: 3 })
  await ada.write("write_annotation", { arxivId, expectedRevision: 4, notes: "" })
  t.match(await ada.read("library_annotations", { arxivId }), { revision: 5, notes: "", highlights: [] })
})

test("of two changes at once one is written, and the other is told of the conflict", async (t) => {
  const results = await Promise.allSettled(
    ["one", "two", "three"].map((notes) => ada.write("write_annotation", { arxivId, expectedRevision: 5, notes })),
  )
  t.strictSame(results.map(({ status }) => status).sort(), ["fulfilled", "rejected", "rejected"])
  t.match(await ada.read("library_annotations", { arxivId }), { revision: 6 })
})

test("the bounds of a highlight are checked", async (t) => {
  for (const wrong of [
    { page: 0 },
    { page: 10_001 },
    { page: 1.5 },
    { colour: "beige" },
    { quote: " " },
    { quote: "x".repeat(4_001) },
    { version: 0 },
  ]) {
    const issue = `/${Object.keys(wrong)[0]}`
    t.match(
      await refused(ada.write("add_highlight", { ...highlight, expectedRevision: 6, ...wrong } as never)),
      { status: 422, refusal: "invalid_request", issues: [issue] },
      issue,
    )
  }
  t.match(
    await refused(ada.write("amend_highlight", { highlightId: crypto.randomUUID(), expectedRevision: 6 } as never)),
    { status: 422 },
    "an empty change",
  )
  t.match(
    await refused(ada.write("add_highlight", { ...highlight, arxivId: paperId(3), expectedRevision: 0 })),
    { status: 404, refusal: "unknown_paper" },
    "on a paper that is not filed",
  )
})

test("annotations are private, also on a shared paper; a key reads them within its reach", async (t) => {
  const collectionId = await collectionOf(ada, "Shared", [arxivId])
  const other = await collectionOf(ada, "Another", [paperId(4)])
  await share(ada, collectionId, grace, "grace")
  const { result } = await ada.write("add_highlight", { ...highlight, expectedRevision: 6 })
  t.match(await grace.read("library_annotations", { arxivId }), { revision: 0, notes: "", highlights: [] })
  t.match(await refused(grace.write("remove_highlight", { highlightId: result.highlightId, expectedRevision: 7 })), {
    status: 404,
    refusal: "unknown_object",
  })
  await grace.write("write_annotation", { arxivId, expectedRevision: 0, notes: "Grace's own." })
  t.match(await ada.read("library_annotations", { arxivId }), { revision: 7 })

  const inside = await lab.agentOf(ada, { reach: "selected", collectionIds: [collectionId] })
  const outside = await lab.agentOf(ada, { reach: "selected", collectionIds: [other] })
  t.match(await inside.read("library_annotations", { arxivId }), {
    revision: 7,
    highlights: [{ highlightId: result.highlightId }],
  })
  t.match(await refused(outside.read("library_annotations", { arxivId })), { status: 404, refusal: "unknown_paper" })

  await ada.write("unsave_papers", { arxivIds: [arxivId] })
  await ada.write("delete_collection", { collectionId })
  t.match(await ada.read("library_annotations", { arxivId }), { revision: 7 }, "they outlive the filing")
  t.match(await (await lab.agentOf(ada)).read("library_annotations", { arxivId }), { revision: 7 })
  t.match(await refused(outside.read("library_annotations", { arxivId })), { status: 404, refusal: "unknown_paper" })
})

test("a reading position can be set any number of times, and keeps no receipt", async (t) => {
  t.match(await ada.read("reading_position", { arxivId }), { page: null, offset: null, at: null })
  const request = { requestId: crypto.randomUUID(), arxivId, page: 3, offset: 420 }
  await ada.write("set_reading_position", request)
  t.notOk(
    (await ada.write("set_reading_position", { ...request, page: 4, offset: 10 })).replayed,
    "the same id with another position sets that position",
  )
  t.match(await ada.read("reading_position", { arxivId }), { page: 4, offset: 10 })
  t.match(await refused(grace.write("set_reading_position", { arxivId: paperId(9), page: 1 })), {
    status: 404,
    refusal: "unknown_paper",
  })
})
