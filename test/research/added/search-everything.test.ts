/**
 * A reader who remembers a word of any text finds the object that holds it; and a replacement ranks above what it
 * superseded.
 */
import t from "tap"
import { limits } from "../../../src/contract/limits.ts"
import { because, claim, finding, hypothesis, sha256 } from "../../support/bodies.ts"
import { openLab, refusedAs } from "../../support/lab.ts"
import { Work } from "../record/work.ts"

const lab = await openLab(t)
const { reader } = lab
const room = await lab.room()
const { roomId, threadId, ada, grace } = room

const work = await Work.begin(lab, room)
const planId = await work.plan({ protocol: { summary: "Anneal it.", steps: ["Quench thoroughly"], arms: [] } })
const failed = await work.attempt("started")
await work.tell(failed, "progress", { message: "Gradients look peculiar." })
await work.tell(failed, "failed", { failure: { stage: "training", explanation: "CUDA out of memory: it diverged." } })
const found = (await grace.write("publish_finding", finding(room))).result.versionId
const linked = await grace.write("link_experiment_finding", {
  experimentId: work.experimentId,
  findingVersionId: found,
  towardHypothesis: [],
  towardQuestion: { verdict: "answers", explanation: "Unambiguously settled." },
})
const corrected = await grace.write("assert_correction", {
  targetVersionId: found,
  explanation: because,
  correction: "The seventeenth digit is wrong.",
})
const checkpoint = await grace.write("post_research_checkpoint", {
  threadId,
  expectedWatermark: (await reader.read("thread_context", { threadId })).thread.timelineWatermark,
  coversThrough: 0,
  state: "open",
  synthesis: "Evidence converges slowly.",
  openQuestions: ["Whither entropy?"],
  citations: [],
})
const { result: material } = await grace.write("register_material", {
  roomId,
  threadId,
  reference: sha256("7"),
  name: "Galaxy spectra",
})
const { experimentId } = work
const { affordances } = await reader.read("experiment", { experimentId })
await ada.write("release_experiment", { experimentId, ...affordances.expected, handoff: "Left the furnace warm." })
const quoted = (await grace.write("publish_cited_claim", claim(room))).result.versionId

const find = async (query: string, more: object = {}) => (await reader.read("search", { query, roomId, ...more })).items
const idsOf = async (query: string, more: object = {}) => (await find(query, more)).map(({ kind, id }) => [kind, id])

// shows: skill: search
t.test("each object is found by the words of its texts", async (t) => {
  t.strictSame(await idsOf("furnace"), [["experiment", experimentId]], "a handoff")
  t.strictSame(await idsOf("quench"), [["plan", planId]], "a step of a plan")
  t.strictSame(await idsOf('"out of memory"'), [["attempt", failed]], "why an attempt failed")
  t.strictSame(await idsOf("diverged"), [["attempt", failed]])
  t.strictSame(await idsOf("peculiar"), [["attempt", failed]], "a message on the way")
  t.strictSame(await idsOf("unambig"), [["finding_link", linked.targetId]], "why a verdict was given, by its beginning")
  t.strictSame(await idsOf("seventeenth"), [["link", corrected.targetId]], "the text of a correction")
  t.strictSame(await idsOf("converges"), [["checkpoint", checkpoint.targetId]], "a synthesis")
  t.strictSame(await idsOf("whither"), [["checkpoint", checkpoint.targetId]], "an open question")
  t.strictSame(await idsOf("galaxy"), [["material", material.materialId]])
  const { content } = await reader.read("record", { versionId: quoted })
  const { arxivId } = content.paper as { arxivId: string }
  t.strictSame(await idsOf(arxivId, { kinds: ["cited_claim"] }), [["cited_claim", quoted]], "a paper by its arXiv id")
  const { repository } = await reader.read("attempt", { attemptId: failed })
  t.ok(
    (await idsOf(repository.commit)).some(([, id]) => id === failed),
    "an attempt by its commit",
  )
})

// shows: skill: search
t.test("a phrase in quotes must occur as a whole, and a label or an id finds its object", async (t) => {
  t.strictSame(await idsOf('"memory of out"'), [])
  t.strictSame((await idsOf("A1"))[0], ["attempt", failed])
  t.strictSame((await idsOf(planId))[0], ["plan", planId])
  t.strictSame((await idsOf(experimentId.toUpperCase()))[0], ["experiment", experimentId])
})

t.test("a person is found by name or id, unless a filter asks for something that people do not have", async (t) => {
  const { username } = lab.house.people.owner
  const everywhere = async (query: string, more: object = {}) => (await reader.read("search", { query, ...more })).items
  const [named] = await everywhere(username.slice(0, -1).toUpperCase())
  t.match(named, {
    kind: "person",
    title: username,
    author: { username },
    roomId: null,
    threadId: null,
    entryId: null,
    status: null,
  })
  t.match((await everywhere(named?.id ?? ""))[0], { kind: "person", id: named?.id })
  t.strictSame(await everywhere(username, { kinds: ["finding"] }), [])
  t.match((await find(username))[0], { kind: "person", title: username }, "of a Room, its members")
  const elsewhere = (await lab.grace.write("create_room", { title: "Grace's own" })).result.roomId
  t.notMatch(await find(username, { roomId: elsewhere }), [{ kind: "person" }], "and nobody else")
})

t.test("an id is subject to the other filters, and a commit or a paper is found in every notation", async (t) => {
  t.strictSame(await idsOf(planId, { kinds: ["finding"] }), [])
  t.strictSame(
    (await reader.read("search", { query: planId, roomId: (await lab.room()).roomId })).items,
    [],
    "in another Room",
  )
  const { repository } = await reader.read("attempt", { attemptId: failed })
  for (const commit of [repository.commit.toUpperCase(), repository.commit.slice(0, 12)])
    t.ok(
      (await idsOf(commit)).some(([, id]) => id === failed),
      commit,
    )
  const { content } = await reader.read("record", { versionId: quoted })
  const { arxivId } = content.paper as { arxivId: string }
  for (const paper of [`arXiv:${arxivId}`, `${arxivId}v7`])
    t.strictSame((await idsOf(paper))[0], ["cited_claim", quoted], paper)
})

t.test("a label finds, page by page, the object that bears it and then those that mention it", async (t) => {
  const { entry } = await ada.write("post_message", { threadId, text: "A1 went out of memory, as A12 did." })
  const pages = [
    await find("a1", { limit: 1 }),
    await find("a1", { limit: 1, after: 1 }),
    await find("a1", { limit: 1, after: 2 }),
  ]
  t.strictSame(
    pages.map(([hit]) => hit?.id),
    [failed, entry?.entryId, undefined],
  )
})

t.test("each hit says in one line what it is and how it stands", async (t) => {
  t.match(await find("diverged"), [{ label: "A1", standing: "failed", title: "Does it?", status: null }])
  t.match(await find("unambig"), [{ standing: "answers" }])
  t.match(await find("converges"), [{ standing: "open", title: "Evidence converges slowly." }])
  t.match(await find("furnace"), [{ label: "E1", standing: "open" }])
})

t.test("filters: author, kind, status and earliest date", async (t) => {
  t.strictSame(await idsOf("furnace", { author: lab.userIds.grace }), [])
  t.strictSame(await idsOf("furnace", { author: lab.house.people.owner.username }), [["experiment", experimentId]])
  t.strictSame(await idsOf("diverged", { kinds: ["finding", "link"] }), [])
  t.strictSame(await idsOf("diverged", { status: "failed" }), [["attempt", failed]])
  t.strictSame(await idsOf("diverged", { status: "succeeded" }), [])
  t.strictSame(await idsOf("diverged", { since: "2999-01-01T00:00:00.000Z" }), [])
  t.strictSame(await idsOf("diverged", { since: "2020-01-01T00:00:00.000Z" }), [["attempt", failed]])
  t.equal(
    await refusedAs(reader.read("search", { query: "x", author: "nobody-here" })),
    "422 invalid_parameter /author",
  )
  t.equal(
    await refusedAs(reader.read("search", { query: "x", status: "zzz" as never })),
    "422 invalid_parameter /status",
  )
  t.equal(
    await refusedAs(reader.read("search", { query: "x", kinds: ["zzz" as never] })),
    "422 invalid_parameter /kinds",
  )
  t.match(await refusedAs(reader.read("search", { query: "x", since: "yesterday" })), "422 invalid_parameter /since")
})

// shows: skill: search
t.test("a superseded record ranks below its replacement, and names it", async (t) => {
  const publish = async (scope: string) =>
    (await grace.write("publish_hypothesis", { ...hypothesis(room), scope })).result.versionId
  // By its words alone, the shorter text would rank first.
  const old = await publish("Zirconium.")
  const renewed = await publish("Zirconium, and a good many other words that say where this is meant to hold.")
  t.strictSame(await idsOf("zirconium"), [
    ["hypothesis", old],
    ["hypothesis", renewed],
  ])
  await grace.write("assert_supersession", {
    targetVersionId: old,
    explanation: because,
    replacementVersionId: renewed,
  })
  const [first, second] = await find("zirconium")
  t.strictSame([first?.id, first?.replacedBy, second?.id, second?.standing], [renewed, null, old, "superseded"])
  t.match(second?.replacedBy, { versionId: renewed, label: first?.label })
})

t.test("any query gets an answer or a refusal, at once", async (t) => {
  for (const query of ['"', '""', 'a "b', "NEAR(a b)", "label:F1 OR x", "*".repeat(100), '"a" "b'.repeat(20)])
    t.type((await reader.read("search", { query })).items.length, "number", query)
  t.match(await refusedAs(reader.read("search", { query: "word ".repeat(10_000) })), /^(413|414|422|431) /)
  t.ok(limits.searchQuery > 0)
})
