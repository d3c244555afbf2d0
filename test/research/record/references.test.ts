/**
 * Exact references to objects that do not exist, each reported with its path; and retries of every write that publishes
 * or relates.
 */
import { canonicalJson, digestOf, type Json } from "../../../src/contract/json.ts"
import t from "tap"
import { because, claim, finding, hypothesis, nobody, premise, reference, sha256 } from "../../support/bodies.ts"
import { holds } from "./holds.ts"
import { openLab, refusalOf, refusedAs } from "../../support/lab.ts"
import { Work } from "./work.ts"

const lab = await openLab(t)
const { reader } = lab
const room = await lab.room()
const { ada, grace } = room
const base = (await ada.write("publish_hypothesis", hypothesis(room))).result
const known = (await ada.write("publish_finding", finding(room))).result
const work = await Work.begin(lab, room)
const elsewhere = await Work.begin(lab, room)
const attemptId = await work.attempt()
const foreign = await elsewhere.attempt()
const foreignPlan = await elsewhere.plan()
const unknown = (...paths: string[]) => ["422 unknown_reference", ...paths].join(" ")

// shows: 422 for a schema violation, a malformed cursor or parameter, an unknown exact reference.
t.test("in a finding: each of its references, and all of them at once", async (t) => {
  const execution = {
    experimentId: work.experimentId,
    planId: foreignPlan,
    attemptIds: [attemptId, foreign, nobody],
    baselineAttemptIds: [foreign, nobody],
  }
  const terms = {
    wording: "So.",
    predicate: { type: "concept_ref", versionId: base.versionId, key: "raises" },
    roles: [
      { role: "cause", definition: "It.", value: { type: "record", versionId: nobody } },
      { role: "known", definition: "It.", value: { type: "record", versionId: base.versionId } },
      { role: "effect", definition: "It.", value: { type: "concept", key: "undeclared" } },
      { role: "inherited", definition: "It.", value: { type: "concept", key: "constructor" } },
      { role: "borrowed", definition: "It.", value: { type: "concept_ref", versionId: nobody, key: "lowers" } },
    ],
  } as const
  const body = finding(room, {
    assertion: terms,
    references: [reference(base.versionId), reference(nobody)],
    provenance: { execution, papers: [] },
    evidence: [
      { kind: "attempt_output", attemptId: nobody, outputLabel: "x", digest: sha256("0"), explanation: because },
      { kind: "attempt_outcome", attemptId: nobody, explanation: because },
      { kind: "record", versionId: nobody, explanation: because },
      { kind: "material", materialId: nobody, explanation: because },
      { kind: "paper", arxivId: "2401.01234", locator: {}, quote: "Any paper is known." },
    ],
    materials: [{ materialId: nobody, purpose: because }],
  })
  const at = "/provenance/execution"
  t.equal(
    await refusedAs(ada.write("publish_finding", body)),
    unknown(
      "/assertion/roles/0/value/versionId",
      "/assertion/roles/4/value/versionId",
      "/evidence/0/attemptId",
      "/evidence/1/attemptId",
      "/evidence/2/versionId",
      "/evidence/3/materialId",
      `${at}/planId`,
      `${at}/attemptIds/1`,
      `${at}/attemptIds/2`,
      `${at}/baselineAttemptIds/1`,
      "/materials/0/materialId",
      "/references/1/versionId",
      "/assertion/predicate/key",
      "/assertion/roles/2/value/key",
      "/assertion/roles/3/value/key",
    ),
  )
  const lost = { ...execution, experimentId: nobody }
  t.equal(
    await refusedAs(ada.write("publish_finding", finding(room, { provenance: { execution: lost, papers: [] } }))),
    unknown(`${at}/experimentId`, `${at}/attemptIds/2`, `${at}/baselineAttemptIds/1`),
    "an unknown experiment does not hide other faults; attempts that may belong to it are not reported",
  )
  t.equal(
    await refusedAs(ada.write("publish_finding", finding({ roomId: room.roomId, threadId: nobody }))),
    "404 room_unavailable",
    "a Thread is the subject",
  )
  const other = await lab.room()
  t.equal(
    await refusedAs(ada.write("publish_finding", finding({ ...room, threadId: other.threadId }))),
    "404 room_unavailable",
    "and must be in the Room",
  )
})

// shows: Premises, references, records and concepts that it names must exist.
t.test("in a cited claim, a hypothesis and a card", async (t) => {
  t.equal(
    await refusedAs(ada.write("publish_cited_claim", claim(room, { references: [reference(nobody)], concepts: {} }))),
    unknown("/references/0/versionId", "/assertion/predicate/key"),
  )
  t.equal(
    await refusedAs(
      ada.write("publish_hypothesis", hypothesis(room, { premises: [premise(base.versionId), premise(nobody)] })),
    ),
    unknown("/premises/1/versionId"),
  )
  t.equal(
    await refusedAs(ada.write("reuse_record", { threadId: room.threadId, versionId: nobody })),
    unknown("/versionId"),
  )
})

t.test("in a relation, a link and a checkpoint", async (t) => {
  const related = {
    experimentId: work.experimentId,
    findingVersionId: known.versionId,
    towardHypothesis: [],
    towardQuestion: { verdict: "answers", explanation: because },
  } as const
  const toward = (versionId: string) => ({ versionId, verdict: "supports", explanation: because }) as const
  t.equal(
    await refusedAs(ada.write("link_experiment_finding", { ...related, experimentId: nobody })),
    "404 unknown_experiment",
    "the experiment is the subject",
  )
  t.equal(
    await refusedAs(
      ada.write("link_experiment_finding", {
        ...related,
        findingVersionId: base.versionId,
        attemptId: foreign,
        towardHypothesis: [toward(base.versionId), toward(known.versionId), toward(nobody)],
      }),
    ),
    unknown("/findingVersionId", "/attemptId", "/towardHypothesis/1/versionId", "/towardHypothesis/2/versionId"),
    "each of the right kind, and the attempt of this experiment",
  )
  t.equal(
    await refusedAs(
      ada.write("assert_supersession", { targetVersionId: nobody, replacementVersionId: nobody, explanation: because }),
    ),
    "404 unknown_record",
    "the target is the subject",
  )
  t.equal(
    await refusedAs(
      ada.write("assert_supersession", {
        targetVersionId: base.versionId,
        replacementVersionId: nobody,
        explanation: because,
      }),
    ),
    unknown("/replacementVersionId"),
  )
  t.equal(
    await refusedAs(
      ada.write("assert_supersession", {
        targetVersionId: base.versionId,
        replacementVersionId: base.versionId.toUpperCase(),
        explanation: because,
      }),
    ),
    unknown("/replacementVersionId"),
    "nothing replaces itself",
  )
  t.equal(
    await refusedAs(
      ada.write("assert_correction", {
        targetVersionId: base.versionId,
        replacementVersionId: nobody,
        correction: "So.",
        explanation: because,
      }),
    ),
    unknown("/replacementVersionId"),
  )
  t.equal(
    await refusedAs(
      ada.write("assert_dispute", {
        targetVersionId: base.versionId,
        evidence: [known.versionId, nobody],
        explanation: because,
      }),
    ),
    unknown("/evidence/1"),
  )
  const { timelineWatermark } = (await reader.read("thread_context", { threadId: room.threadId })).thread
  const checkpoint = {
    expectedWatermark: timelineWatermark,
    coversThrough: timelineWatermark,
    state: "open",
    synthesis: "So far.",
    openQuestions: [],
  } as const
  t.equal(
    await refusedAs(
      ada.write("post_research_checkpoint", {
        ...checkpoint,
        threadId: room.threadId,
        citations: [base.versionId, nobody],
      }),
    ),
    unknown("/citations/1"),
  )
  t.equal(
    await refusedAs(ada.write("post_research_checkpoint", { ...checkpoint, threadId: nobody, citations: [] })),
    "404 room_unavailable",
  )
})

// shows: Labels count up within a Room in the order of creation, without a gap, also under concurrent writers.
// shows: Every write is admitted or refused as a whole, with its Thread receipt and activity entry.
t.test("a refused write leaves nothing behind: no label, no timeline entry, no activity", async (t) => {
  const before = await reader.read("room_context", { roomId: room.roomId })
  await refusalOf(ada.write("publish_finding", finding(room, { references: [reference(nobody)] })))
  await refusalOf(
    ada.write("assert_dispute", { targetVersionId: base.versionId, evidence: [nobody], explanation: because }),
  )
  t.strictSame(await reader.read("room_context", { roomId: room.roomId }), before)
})

/** Every write that publishes, relates or asserts, with different content for the same id. */
const writes = {
  publish_finding: [finding(room), { scope: "Elsewhere." }],
  publish_cited_claim: [claim(room), { quote: "Otherwise." }],
  link_experiment_finding: [
    {
      experimentId: work.experimentId,
      findingVersionId: known.versionId,
      towardHypothesis: [],
      towardQuestion: { verdict: "answers", explanation: because },
    },
    { attemptId },
  ],
  assert_correction: [
    { targetVersionId: known.versionId, explanation: because, correction: "So." },
    { correction: "Not so." },
  ],
  assert_dispute: [{ targetVersionId: known.versionId, explanation: because }, { explanation: "Otherwise." }],
  assert_supersession: [
    { targetVersionId: known.versionId, explanation: because, replacementVersionId: base.versionId },
    { explanation: "Otherwise." },
  ],
  assert_retraction: [{ targetVersionId: known.versionId, explanation: because }, { explanation: "Otherwise." }],
} as const

for (const [name, [input, other]] of Object.entries(writes)) {
  // shows: The same id and content return the original receipt, and nothing is done twice.
  t.test(
    `${name}: a repeat gets the first receipt, other content is a conflict, and a rotated credential is reported`,
    async (t) => {
      const operation = name as "publish_finding"
      const body = { ...(input as never as (typeof writes.publish_finding)[0]), requestId: crypto.randomUUID() }
      const first = await ada.write(operation, { ...body, client: { name: "one" } })
      const { items: feed } = await reader.read("room_activity", {
        roomId: room.roomId,
        after: (first.activity?.sequence ?? 0) - 1,
      })
      t.equal(
        feed[0]?.contentDigest,
        digestOf(canonicalJson({ ...body, schemaVersion: 3 } as unknown as Json)),
        "the feed has the digest of what was accepted, without client",
      )

      const again = await ada.write(operation, {
        ...body,
        requestId: body.requestId.toUpperCase(),
        client: { name: "two" },
      })
      t.strictSame(again, { ...first, replayed: true })
      const rotated = await lab.client("ada", room.roomId)
      t.strictSame(await rotated.write(operation, body), { ...first, replayed: true, credentialChanged: true })
      const conflict = await refusalOf(ada.write(operation, { ...body, ...other }))
      holds(t, conflict, { status: 409, refusal: "request_conflict", current: { operation, target: first.target } })
      t.equal(
        (await reader.read("room_activity", { roomId: room.roomId, after: first.activity?.sequence ?? 0 })).items
          .length,
        0,
        "nothing was done twice",
      )
      t.strictSame(await ada.receipt(operation, body.requestId), first)
      t.equal(await grace.receipt(operation, body.requestId), null, "only its sender can read a receipt")
    },
  )
}

t.test("a record's content is exactly what its digest covers", async (t) => {
  const record = await lab.record(known)
  t.equal(record.contentDigest, digestOf(canonicalJson(record.content as Json)))
  const upper = finding(room, {
    references: [{ ...reference(base.versionId), versionId: base.versionId.toUpperCase() }],
  })
  const { result } = await grace.write("publish_finding", upper)
  holds(
    t,
    (await lab.record(result)).content,
    { references: [reference(base.versionId)] },
    "ids are carried on in lower case",
  )
})
