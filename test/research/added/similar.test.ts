/** Somebody is about to propose what was tried before: the service tells them, with who did it and what came of it. */
import t from "tap"
import { limits } from "../../../src/contract/limits.ts"
import { because, finding, hypothesis, nobody } from "../../support/bodies.ts"
import { openLab, refusedAs } from "../../support/lab.ts"
import { Work } from "../record/work.ts"
import { nearCopies, others } from "./near-copies.ts"

const lab = await openLab(t)
const { reader } = lab
const room = await lab.room()
const { roomId, ada, grace, mary } = room

t.test("for four of five reworded claims and questions, the original is among the first five results", async (t) => {
  const made = await lab.room("A made Room")
  for (const wording of others(150)) await made.ada.write("publish_hypothesis", hypothesis(made, {}, wording))
  const ids: string[] = []
  for (const [at, [said]] of nearCopies.entries()) {
    if (at % 3 === 0)
      ids.push(
        (await made.ada.write("propose_experiment", { ...place(made), question: said, scope: "Here.", hypotheses: [] }))
          .result.experimentId,
      )
    else if (at % 3 === 1)
      ids.push((await made.ada.write("publish_hypothesis", hypothesis(made, {}, said))).result.versionId)
    else ids.push((await made.ada.write("publish_finding", finding(made, {}, said))).result.versionId)
  }
  let found = 0
  for (const [at, [, again]] of nearCopies.entries()) {
    const { similar } = await reader.read("room_similar", { roomId: made.roomId, text: again })
    t.ok(similar.length <= limits.similarItems)
    if (similar.some(({ id }) => id === ids[at])) found += 1
    else t.comment(`not found: ${again}`)
  }
  t.ok(found / nearCopies.length >= 0.8, `${found} of ${nearCopies.length}`)
  const { similar } = await reader.read("room_similar", {
    roomId: made.roomId,
    text: "Insects visit flowers whose colours humans cannot see.",
  })
  t.notOk(
    similar.some(({ id }) => id === ids[19]),
    "a text that shares no word with it is not found",
  )
})

// shows: skill: already_tried
t.test(
  "a proposal and a hypothesis answer with similar records, in a rehearsal as in a receipt, and a retry gives the same",
  async (t) => {
    const first = await grace.write(
      "publish_hypothesis",
      hypothesis(room, {}, "Annealing the zirconium lattice removes its dislocations."),
    )
    t.strictSame([first.similar, first.sameExecution], [[], []], "nothing similar was written before")
    const body = {
      ...place(room),
      question: "Are dislocations of a zirconium lattice removed by annealing?",
      scope: "Here.",
      hypotheses: [],
      requestId: crypto.randomUUID(),
    }
    const rehearsed = await ada.write("propose_experiment", body, { rehearse: true })
    const receipt = await ada.write("propose_experiment", body)
    t.match(receipt.similar, [
      {
        kind: "hypothesis",
        id: first.result.versionId,
        label: first.result.label,
        author: { username: lab.house.people.member.username },
        status: "current",
        cameOfIt: null,
      },
    ])
    t.strictSame(rehearsed.similar, receipt.similar)
    await grace.write("assert_retraction", { targetVersionId: first.result.versionId, explanation: because })
    const again = await ada.write("propose_experiment", body)
    t.strictSame([again.replayed, again.similar], [true, receipt.similar], "the retry is answered as before")
    const [now] = (await reader.read("room_similar", { roomId, text: body.question })).similar.filter(
      ({ kind }) => kind === "hypothesis",
    )
    t.match(now, { status: "retracted" }, "and a new request with its present status")
  },
)

// shows: skill: already_tried
t.test(
  "an attempt answers with earlier runs of the same command on the same commit, and why they failed",
  async (t) => {
    const work = await Work.begin(lab, room, { question: "Does the furnace hold its heat?" })
    const failed = await work.attempt("started")
    await work.tell(failed, "failed", { failure: { stage: "heating", explanation: "The door was ajar." } })
    const { repository, affordances } = {
      ...(await reader.read("attempt", { attemptId: failed })),
      ...(await reader.read("experiment", { experimentId: work.experimentId })),
    }
    const body = {
      attemptId: crypto.randomUUID(),
      experimentId: work.experimentId,
      intent: "exploratory",
      repository,
      argv: ["run"],
      configuration: {},
      inputs: [],
    } as const
    const run = (more: object) =>
      ada.write("register_attempt", { ...body, ...affordances.expected, ...more }, { rehearse: true })
    const same = await run({})
    t.match(same.sameExecution, [
      { kind: "attempt", id: failed, label: "A1", status: "failed", cameOfIt: "heating: The door was ajar." },
    ])
    t.strictSame((await run({ argv: ["run", "--again"] })).sameExecution, [], "another command")
    t.strictSame((await run({ configuration: { seed: 1 } })).sameExecution, [], "another configuration")
    const like = await reader.read("room_similar", { roomId, like: failed })
    t.strictSame(like.sameExecution, [], "it does not list itself")
    const twice = await work.attempt("succeeded")
    t.match((await reader.read("room_similar", { roomId, like: failed })).sameExecution, [
      { id: twice, status: "succeeded" },
    ])
  },
)

t.test("a receipt shows the three most similar, and the read more", async (t) => {
  const asked = (which: string) => ({
    ...place(room),
    question: `Do pangolins ${which} burrow beneath glaciers?`,
    scope: "There.",
    hypotheses: [],
  })
  for (const which of ["often", "rarely", "seldom", "always"]) await grace.write("propose_experiment", asked(which))
  const { similar = [] } = await mary.write("propose_experiment", asked("never"))
  t.equal(similar.length, 3)
  const own = await grace.write("propose_experiment", asked("sometimes"), { rehearse: true })
  t.strictSame(
    own.similar?.map(({ author }) => author.username),
    [lab.house.people.visitor.username],
    "but not those it made itself within the hour",
  )
  const read = (await reader.read("room_similar", { roomId, text: asked("never").question })).similar
  t.ok(read.length > 3)
})

t.test("a retry gets the original answer, though the experiment's question has changed since", async (t) => {
  const first = await Work.begin(lab, room, { question: "Do tardigrades outlive a winter in orbit?" })
  const propose = {
    ...place(room),
    question: "Would tardigrades in orbit live through winter?",
    scope: "There.",
    hypotheses: [],
  }
  const body = { ...propose, requestId: crypto.randomUUID() }
  const told = await mary.write("propose_experiment", body)
  t.match(told.similar?.[0], {
    kind: "experiment",
    id: first.experimentId,
    says: "Do tardigrades outlive a winter in orbit?",
  })
  const other = await mary.write("amend_experiment", {
    experimentId: told.result.experimentId,
    ...(await reader.read("experiment", { experimentId: told.result.experimentId })).affordances.expected,
    question: "Does anything outlive a winter in orbit?",
    explanation: because,
  })
  const again = await grace.write("propose_experiment", { ...propose, requestId: crypto.randomUUID() })
  t.match(again.similar?.find(({ id }) => id === other.targetId)?.says, "Does anything outlive a winter in orbit?")
  const later = await mary.write("amend_experiment", {
    experimentId: told.result.experimentId,
    ...(await reader.read("experiment", { experimentId: told.result.experimentId })).affordances.expected,
    question: "Does nothing outlive it?",
    explanation: because,
  })
  t.ok(later.entry)
  const { replayed: _, current: _moved, ...retried } = await mary.write("propose_experiment", { ...body })
  t.strictSame(retried.similar, told.similar)
})

t.test("a finding answers with similar findings by others", async (t) => {
  const said = (which: string) => finding(room, {}, `Axolotls ${which} regrow a limb within forty days.`)
  const first = await grace.write("publish_finding", said("always"))
  const second = await mary.write("publish_finding", said("mostly"))
  t.match(second.similar?.[0], { kind: "finding", id: first.result.versionId })
  t.ok((second.similar ?? []).every(({ says }) => [...String(says)].length <= limits.similarLine))
})

t.test("an object is not similar to itself, and objects of other Rooms are not shown", async (t) => {
  const one = (await mary.write("publish_hypothesis", hypothesis(room, {}, "Quokkas sleep upside down in winter.")))
    .result.versionId
  const two = (
    await mary.write("publish_hypothesis", hypothesis(room, {}, "In winter quokkas are asleep upside down."))
  ).result.versionId
  t.match((await reader.read("room_similar", { roomId, like: one })).similar[0], { id: two })
  t.notOk((await reader.read("room_similar", { roomId, like: one.toUpperCase() })).similar.some(({ id }) => id === one))
  const elsewhere = await lab.room("Elsewhere")
  t.strictSame((await reader.read("room_similar", { roomId: elsewhere.roomId, text: "quokkas in winter" })).similar, [])
})

t.test("an invalid parameter is refused by name, and no text takes long", async (t) => {
  t.equal(await refusedAs(reader.read("room_similar", { roomId })), "422 invalid_parameter /text")
  t.equal(
    await refusedAs(reader.read("room_similar", { roomId, text: "x".repeat(limits.explanation + 1) })),
    "422 invalid_parameter /text",
  )
  t.equal(await refusedAs(reader.read("room_similar", { roomId, like: nobody })), "422 invalid_parameter /like")
  t.equal(await refusedAs(reader.read("room_similar", { roomId: nobody, text: "x" })), "404 room_unavailable")
  for (const text of [
    '"',
    "*",
    "the of and",
    "a ".repeat(900),
    "\u6e2c\u8a66".repeat(500),
    "e\u0301".repeat(900),
    "x".repeat(2_000),
  ]) {
    const begun = process.cpuUsage()
    t.type((await reader.read("room_similar", { roomId, text })).similar.length, "number", text.slice(0, 10))
    const { user, system } = process.cpuUsage(begun)
    t.ok((user + system) / 1000 < 250, `${(user + system) / 1000} ms`)
  }
})

function place({ roomId, threadId }: { readonly roomId: string; readonly threadId: string }) {
  return { roomId, threadId }
}
