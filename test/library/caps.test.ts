/**
 * The caps, exact to one paper; all-or-nothing batches; and several concurrent writers, whose work is neither lost nor
 * doubled.
 */
import t, { test } from "tap"
import { limits } from "../../src/contract/limits.ts"
import { isoTime } from "../../src/ledger/world.ts"
import { collectionOf, everyPermission, paperId, paperIds, refused, share, openLibrary } from "./library.ts"

const lab = await openLibrary(t)
const { ada, grace, mary, userIds: ids } = lab
const { collections, saved } = lab.instance.tables.library
const now = () => isoTime(lab.instance.world.now())

/** Fills up to a cap directly, through the functions that a write uses; by requests it would take too long. */
const fill = (work: () => unknown) => lab.instance.ledger.transact(work)

// shows: The Library's caps hold, also against concurrent writers.
test("a Collection holds 1,000 papers, and a batch that would pass it writes nothing", async (t) => {
  const collectionId = await collectionOf(ada, "Full", paperIds(0, 20))
  await fill(() =>
    collections.add(
      collections.mustFind({ userId: ids.ada, reach: "all", keyId: "" }, collectionId),
      paperIds(20, 975).map((id) => ({ paperId: id })),
      ids.ada,
      now(),
      (name) => [name],
    ),
  )
  const agent = await lab.agentOf(ada)
  const over = await refused(agent.write("add_papers", { collectionId, arxivIds: paperIds(2_000, 6) }))
  t.match(over, {
    status: 409,
    refusal: "limit_reached",
    current: { limit: "collectionPapers", most: 1_000, now: 995, added: 6 },
  })
  t.match(await agent.read("library_collection", { collectionId }), { counts: { papers: 995 } })
  t.match(
    await refused(agent.read("library_paper", { arxivId: paperId(2_000) })),
    { status: 404 },
    "nothing was saved either",
  )

  t.match(
    (await agent.write("add_papers", { collectionId, arxivIds: paperIds(990, 10) })).result,
    { added: paperIds(995, 5), alreadyThere: paperIds(990, 5) },
    "papers already there do not count",
  )
  t.match(await agent.read("library_collection", { collectionId }), { counts: { papers: 1_000 } })
  t.match(
    (await agent.write("add_papers", { collectionId, arxivIds: paperIds(0, 50) })).result,
    { added: [] },
    "nor do they in a full one",
  )
  t.match(await refused(agent.write("add_papers", { collectionId, arxivIds: [paperId(2_000)] })), {
    status: 409,
    current: { now: 1_000, added: 1 },
  })
  await agent.write("remove_paper", { collectionId, arxivId: paperId(0) })
  await agent.write("add_papers", { collectionId, arxivIds: [paperId(2_000)] })
})

// shows: The Library's caps hold, also against concurrent writers.
test("a Library holds 20,000 saved papers; adding to a Collection stops there too", async (t) => {
  await fill(() =>
    saved.save(
      ids.mary,
      paperIds(0, limits.savedPapers - 3).map((id) => ({ paperId: id })),
      now(),
    ),
  )
  const agent = await lab.agentOf(mary)
  const collectionId = await collectionOf(agent, "Nearly full")
  t.match(await refused(agent.write("save_papers", { arxivIds: paperIds(50_000, 4) })), {
    status: 409,
    refusal: "limit_reached",
    current: { limit: "savedPapers", most: 20_000, now: 19_997 },
  })
  t.match(await refused(agent.write("add_papers", { collectionId, arxivIds: paperIds(50_000, 4) })), {
    status: 409,
    refusal: "limit_reached",
    current: { limit: "savedPapers" },
  })
  t.match(
    await agent.read("library_collection", { collectionId }),
    { counts: { papers: 0 } },
    "and the Collection is unchanged",
  )
  t.match((await agent.write("save_papers", { arxivIds: paperIds(49_999, 3) })).result, { saved: paperIds(49_999, 3) })
  t.match((await agent.write("add_papers", { collectionId, arxivIds: paperIds(49_999, 3) })).result, {
    alreadySaved: paperIds(49_999, 3),
  })
  const selected = await lab.agentOf(mary, { reach: "selected", collectionIds: [collectionId] })
  t.match(
    (await selected.write("add_papers", { collectionId, arxivIds: [paperId(60_000)] })).result,
    { added: [paperId(60_000)], saved: null },
    "a selected reach saves nothing, so that cap does not apply",
  )
})

// shows: The Library's caps hold, also against concurrent writers.
test("a person owns 200 Collections; those that others shared do not count", async (t) => {
  const theirs = await collectionOf(ada, "Ada's")
  await share(ada, theirs, grace, "grace")
  await fill(() => {
    for (let made = 0; made < limits.ownedCollections - 1; made++)
      collections.create(lab.instance.world.id(), ids.grace, `Collection ${made}`, now())
  })
  const agent = await lab.agentOf(grace, { reach: "owned" })
  const { collectionId } = (await agent.write("create_collection", { name: "The last one" })).result
  for (const request of [
    () => agent.write("create_collection", { name: "One more" }),
    () => grace.write("create_collection", { name: "One more" }),
  ]) {
    t.match(await refused(request()), {
      status: 409,
      refusal: "limit_reached",
      current: { limit: "ownedCollections", most: 200, now: 200 },
    })
  }
  t.equal((await Array.fromAsync(agent.items("library_collections"))).length, 200)
  await grace.write("delete_collection", { collectionId })
  await agent.write("create_collection", { name: "In its place" })
})

test(
  "two people and two agents file into one Collection at once: " + "nothing is lost or doubled, and the cap is exact",
  async (t) => {
    const collectionId = await collectionOf(ada, "All at once")
    await share(ada, collectionId, grace, "grace")
    await fill(() =>
      collections.add(
        collections.mustFind({ userId: ids.ada, reach: "all", keyId: "" }, collectionId),
        paperIds(100_000, 700).map((id) => ({ paperId: id })),
        ids.ada,
        now(),
        (name) => [name],
      ),
    )
    const reach = { reach: "selected", collectionIds: [collectionId] } as const
    const writers = [ada, grace, await lab.agentOf(ada, reach), await lab.agentOf(grace, reach)]

    // Each sends ten batches of ten: half of each batch is its own, half the same for all four.
    const batches = writers.flatMap((writer, who) =>
      Array.from({ length: 10 }, (_, index) => {
        const arxivIds = [...paperIds(120_000 + who * 1_000 + index * 5, 5), ...paperIds(130_000 + index * 5, 5)]
        return { writer, arxivIds }
      }),
    )
    const write = (writer: (typeof writers)[number], arxivIds: string[]) =>
      (writer.write as typeof ada.write)("add_papers", { collectionId, arxivIds })
    const results = await Promise.allSettled(batches.map(({ writer, arxivIds }) => write(writer, arxivIds)))
    const held = (await Array.fromAsync((await lab.agentOf(ada)).items("library_collection", { collectionId }))).map(
      ({ paperId: id }) => id,
    )
    t.equal(new Set(held).size, held.length, "no paper is there twice")
    t.ok(held.length <= 1_000, `${held.length} papers`)
    const added = results.flatMap((each) => (each.status === "fulfilled" ? each.value.result.added : []))
    t.equal(new Set(added).size, added.length, "no paper was added by two of them")
    t.strictSame(
      [...added].sort(),
      held.filter((arxivId) => !paperIds(100_000, 700).includes(arxivId)).sort(),
      "what the receipts say was added is there",
    )
    for (const [index, each] of results.entries()) {
      const { arxivIds } = batches[index] as { arxivIds: string[] }
      if (each.status === "fulfilled")
        t.ok(
          arxivIds.every((arxivId) => held.includes(arxivId)),
          "an accepted batch is there whole",
        )
      else
        t.match(
          each.reason,
          { refusal: "limit_reached", current: { limit: "collectionPapers" } },
          "a refused one met the cap",
        )
    }
    t.ok(
      results.every(({ status }) => status === "fulfilled"),
      "250 new ones fit",
    )

    const more = await Promise.allSettled(
      writers.flatMap((writer, who) =>
        Array.from({ length: 5 }, (_, index) => write(writer, paperIds(140_000 + who * 100 + index * 7, 7))),
      ),
    )
    const accepted = more.filter(({ status }) => status === "fulfilled").length
    t.equal(
      accepted,
      Math.floor((1_000 - held.length) / 7),
      `of twenty batches of seven, as many as fit beside ${held.length}`,
    )
    t.match(await ada.read("library_collection", { collectionId }), { counts: { papers: held.length + accepted * 7 } })
  },
)

// shows: Permission, membership, expiry and revocation are looked at again inside the transaction.
test(
  "a key revoked in the middle of its batches: " + "the accepted ones are there whole, the rest not at all",
  async (t) => {
    const collectionId = await collectionOf(ada, "Cut off")
    const { result } = await ada.write("issue_key", {
      label: "to be revoked",
      permissions: everyPermission,
      reach: "selected",
      collectionIds: [collectionId],
    })
    const agent = lab.open(result.token as string)
    const batches = Array.from({ length: 12 }, (_, index) => paperIds(150_000 + index * 5, 5))
    const add = (arxivIds: string[]) => agent.write("add_papers", { collectionId, arxivIds })
    // Some have been answered when the key is revoked; the others are sent together with the revocation.
    for (const arxivIds of batches.slice(0, 4)) await add(arxivIds)
    const sent = batches.slice(4).map(add)
    const revoked = ada.write("revoke_key", { keyId: result.keyId })
    const results = await Promise.allSettled([...batches.slice(0, 4).map(async () => undefined), ...sent])
    await revoked
    const held = (await Array.fromAsync((await lab.agentOf(ada)).items("library_collection", { collectionId }))).map(
      ({ arxivId }) => arxivId,
    )
    for (const [index, each] of results.entries()) {
      const there = (batches[index] as string[]).filter((arxivId) => held.includes(arxivId)).length
      if (each.status === "fulfilled") t.equal(there, 5, `batch ${index} was accepted`)
      else
        t.strictSame(
          [each.reason.status, each.reason.refusal, there],
          [401, "not_authorized", 0],
          `batch ${index} came too late`,
        )
    }
    t.match(
      await refused(agent.write("add_papers", { collectionId, arxivIds: [paperId(151_000)] })),
      { status: 401 },
      "and so does everything after it",
    )
  },
)
