/**
 * Two names that turn out to be the same paper: for people who have both, what they kept under each is joined, and
 * nothing is lost.
 */
import fc from "fast-check"
import t, { test } from "tap"
import { checkData } from "../../src/check/check.ts"
import { runs } from "../support/chance.ts"
import { collectionOf, makeKnown, paperId, refused, share, openLibrary, toldOf } from "./library.ts"

const lab = await openLibrary(t)
const { ada, grace, mary } = lab
const doiOf = (number: number) => `10.1000/joined.${number}`
const arxivOf = (number: number) => paperId(40_000 + number)

/** Stores arXiv's statement that both are one paper, requested for those who filed it. */
const told = (number: number, origin: "arxiv" | "import" = "arxiv") =>
  makeKnown(lab, [toldOf(arxivOf(number), `Paper ${number}`, { doi: doiOf(number) })], origin)

test(
  "a paper saved under its DOI and its arXiv id becomes one once arXiv says so, with everything that was kept " +
    "under both",
  async (t) => {
    const [doi, arxivId] = [doiOf(1), arxivOf(1)]
    const agent = await lab.agentOf(ada)
    t.match((await agent.write("save_papers", { identifiers: [doi, `https://arxiv.org/abs/${arxivId}v2`] })).result, {
      saved: [doi, arxivId],
      unreadable: [],
    })
    const collectionId = await collectionOf(ada, "Of both")
    await ada.write("add_papers", { collectionId, identifiers: [doi, arxivId] })
    await share(ada, collectionId, grace, "grace")
    await ada.write("tag_papers", { paperIds: [doi], tags: ["from the journal", "both"] })
    await ada.write("tag_papers", { arxivIds: [arxivId], tags: ["preprint", "both"] })
    await ada.write("write_annotation", { paperId: doi, expectedRevision: 0, notes: "On the journal's." })
    await ada.write("write_annotation", { arxivId, expectedRevision: 0, notes: "On the preprint." })
    await ada.write("add_highlight", {
      paperId: doi,
      expectedRevision: 1,
      quote: "of the journal",
      page: 3,
      colour: "green",
    })
    await ada.write("set_reading_position", { paperId: doi, page: 7, pages: 12 })
    const first = (await ada.write("post_note", { collectionId, paperId: doi, text: "On the DOI." })).result
    t.match(first, { paperId: doi, arxivId: null })
    await grace.write("post_note", { collectionId, arxivId, text: "On the id." })
    await grace.write("write_annotation", { paperId: doi, expectedRevision: 0, notes: "Grace's own." })
    t.match(await ada.read("library_collection", { collectionId }), { counts: { papers: 2, notes: 2, unread: 1 } })

    await told(1)

    const { items } = await agent.read("library_papers")
    t.match(items, [
      {
        paperId: arxivId,
        arxivId,
        doi,
        title: "Paper 1",
        tags: ["both", "from the journal", "preprint"],
        collections: [{ id: collectionId }],
      },
    ])
    t.equal(items.length, 1)
    const held = await ada.read("library_collection", { collectionId })
    t.match(held, { counts: { papers: 1, notes: 2, unread: 1 }, items: [{ paperId: arxivId, notes: 2 }] })
    t.strictSame(
      held.notes.map(({ text }) => text),
      ["On the DOI.", "On the id."],
    )
    const own = await ada.read("library_annotations", { paperId: doi })
    t.match(
      own,
      { paperId: arxivId, notes: "On the preprint.\n\nOn the journal's.", highlights: [{ quote: "of the journal" }] },
      "either name leads to it",
    )
    t.equal(own.revision, 3)
    t.match(await ada.read("reading_position", { arxivId }), { page: 7, pages: 12 })
    t.match(await grace.read("library_annotations", { arxivId }), { notes: "Grace's own." })
    t.match((await agent.write("save_papers", { identifiers: [doi] })).result, { saved: [], alreadySaved: [arxivId] })
    t.match((await agent.write("add_papers", { collectionId, identifiers: [doi] })).result, {
      added: [],
      alreadyThere: [arxivId],
    })
    t.match(
      (
        await agent.write("post_note", {
          collectionId,
          paperId: doi,
          text: "By the old name.",
          replyToNoteId: first.noteId,
        })
      ).result,
      {
        paperId: arxivId,
      },
    )
    t.match(await refused(agent.write("remove_paper", { collectionId, paperId: doi })), { refusal: "thread_has_notes" })
    t.strictSame(
      (await ada.read("library_papers", { query: "journal preprint" })).items.map((item) => item.paperId),
      [arxivId],
      "and all of it is searchable",
    )
    t.match(await refused(ada.read("library_paper", { paperId: doi, arxivId: arxivOf(2) })), {
      status: 422,
      issues: ["/arxivId"],
    })
    t.match(await refused(ada.read("library_paper", {})), { status: 422, issues: ["/paperId"] })
  },
)

test("a person with a paper under one name only does not learn the other from what others filed", async (t) => {
  const [doi, arxivId] = [doiOf(3), arxivOf(3)]
  await mary.write("save_papers", { identifiers: [doi] })
  await ada.write("save_papers", { arxivIds: [arxivId] })
  await told(3)
  t.match(await mary.read("library_paper", { paperId: doi }), { paperId: doi, arxivId: null, metadata: "unknown" })
  t.match(await refused(mary.read("library_paper", { arxivId })), { refusal: "unknown_paper" })
  t.match((await ada.read("library_paper", { arxivId })).doi, doi)
  t.match(
    (await ada.write("save_papers", { identifiers: [doi] })).result,
    { saved: [], alreadySaved: [arxivId] },
    "a person who was told files it under the one name at once",
  )
  t.match((await mary.write("save_papers", { arxivIds: [arxivId] })).result, { saved: [arxivId] }, "she was not told")
  await lab.instance.ledger.transact(() => lab.instance.metadataIntake.reveal([arxivId]))
  t.match(
    (await mary.read("library_papers")).items.map((item) => item.paperId),
    [arxivId],
    "until arXiv's metadata is shown to her too",
  )

  await told(4, "import")
  await mary.write("save_papers", { identifiers: [doiOf(4)] })
  t.match(
    (await mary.write("save_papers", { arxivIds: [arxivOf(4)] })).result,
    { saved: [], alreadySaved: [arxivOf(4)] },
    "imported metadata is public",
  )
})

test("a BibTeX entry with both names joins them, for its reader alone", async (t) => {
  const [doi, arxivId] = [doiOf(5), arxivOf(5)]
  await ada.write("save_papers", {
    identifiers: [doi, "@article{z, title={A paper of 1999}, author={Ada Lovelace}, year={1999}}"],
  })
  await grace.write("save_papers", { identifiers: [doi] })
  const [reference] = (await ada.read("library_papers")).items.filter((item) => item.title === "A paper of 1999")
  await ada.write("tag_papers", { paperIds: [reference?.paperId ?? ""], tags: ["by its words"] })
  const { result } = await ada.write("import_papers", {
    text:
      `@article{a, title={Both}, doi={${doi}}, eprint={${arxivId}}}\n@article{z, title={A paper of 1999}, ` +
      "author={Ada Lovelace}, year={1999}, doi={10.1000/of.1999}}",
  })
  t.match(result, { saved: [], alreadySaved: [arxivId, "10.1000/of.1999"] })
  t.match(
    (await ada.read("library_papers")).items.find((item) => item.paperId === "10.1000/of.1999"),
    { title: "A paper of 1999", tags: ["by its words"] },
    "what was known by its words is now known by its DOI",
  )
  t.match(await ada.read("library_paper", { paperId: reference?.paperId ?? "" }), { paperId: "10.1000/of.1999" })
  t.match(
    (await grace.read("library_papers")).items.map((item) => item.paperId),
    [doi, arxivOf(1)].slice(0, 1),
    "grace's is her own",
  )
})

test(
  "whatever people do with both names, nothing they kept is lost, " + "and replaying the journal gives the same",
  async (t) => {
    let number = 100
    const people = { ada, grace }
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            who: fc.constantFrom("ada" as const, "grace" as const),
            under: fc.constantFrom("doi" as const, "arxiv" as const),
            does: fc.constantFrom("save", "tag", "annotate", "note", "unsave"),
          }),
          { minLength: 2, maxLength: 10 },
        ),
        fc.nat(9),
        async (steps, when) => {
          number += 1
          const ids = { doi: doiOf(number), arxiv: arxivOf(number) }
          const collectionId = await collectionOf(ada, `Property ${number}`)
          await share(ada, collectionId, grace, "grace")
          const due = { ada: new Set<string>(), grace: new Set<string>() }
          const saved = { ada: new Set<string>(), grace: new Set<string>() }
          const notes: string[] = []
          let isTold = false
          for (const [index, { who, under, does }] of [...steps.entries()]) {
            if (index === when) {
              await told(number)
              isTold = true
            }
            const person = people[who]
            const paperId = ids[under]
            const word = `w${number}x${index}`
            if (does === "save" || does === "tag") {
              await person.write("save_papers", { identifiers: [paperId] })
              saved[who].add(under)
            }
            if (does === "tag") {
              await person.write("tag_papers", { paperIds: [paperId], tags: [word] })
              due[who].add(word)
            }
            if (does === "unsave") {
              // Tags are removed with an unsaved paper, so only a paper without tags is unsaved.
              if (due[who].size > 0) continue
              await person.write("unsave_papers", { paperIds: [paperId] })
              if (isTold) saved[who].clear()
              else saved[who].delete(under)
            }
            if (does === "annotate") {
              await person.write("save_papers", { identifiers: [paperId] })
              saved[who].add(under)
              const { revision, notes: before } = await person.read("library_annotations", { paperId })
              await person.write("write_annotation", {
                paperId,
                expectedRevision: revision,
                notes: `${before} ${word}`,
              })
              due[who].add(word)
            }
            if (does === "note") {
              await person.write("add_papers", { collectionId, identifiers: [paperId] })
              saved[who].add(under)
              await person.write("post_note", { collectionId, paperId, text: word })
              notes.push(word)
            }
          }
          await told(number)
          const held = await ada.read("library_collection", { collectionId })
          const kept = held.notes.map(({ text }) => text).sort()
          if (kept.join() !== [...notes].sort().join()) throw new Error(`notes ${kept.join()}, not ${notes.join()}`)
          if (
            held.counts.notes !== notes.length ||
            held.items.reduce((sum, item) => sum + item.notes, 0) !== notes.length
          )
            throw new Error("counts of notes")
          for (const [name, person] of Object.entries(people)) {
            const mine = (await person.read("library_papers", { query: `${ids.arxiv}` })).items.filter(
              (item) => item.paperId === ids.arxiv || item.paperId === ids.doi,
            )
            const all = [
              ...mine,
              ...(await person.read("library_papers", { query: `joined.${number}` })).items.filter(
                (item) => item.paperId === ids.doi,
              ),
            ]
            const found = new Set(all.flatMap((item) => item.tags))
            for (const paperId of new Set(all.map((item) => item.paperId)))
              for (const word of (await person.read("library_annotations", { paperId })).notes.split(/\s+/))
                found.add(word)
            for (const word of due[name as keyof typeof due])
              if (!found.has(word)) throw new Error(`${name} lost ${word}`)
            const under = saved[name as keyof typeof saved]
            if (under.size === 2 && new Set(all.map((item) => item.paperId)).size !== 1)
              throw new Error(`${name} has it twice`)
          }
        },
      ),
      { numRuns: runs(100, 12) },
    )
    t.strictSame(checkData(lab.instance.db).problems, [])
  },
)

test("what a source said when two names were joined stays, even if its metadata is lost", async (t) => {
  await ada.write("save_papers", { identifiers: [doiOf(6), arxivOf(6)] })
  await told(6)
  lab.instance.db.prepare("DELETE FROM papers WHERE paper_id = +?").run(arxivOf(6))
  t.match(await ada.read("library_paper", { arxivId: arxivOf(6) }), { title: "Paper 6", metadata: "unknown" })
})
