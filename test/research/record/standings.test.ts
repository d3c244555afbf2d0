/**
 * A record's standing: derived from every link to it, whatever their order, and shown by every read that shows the
 * record.
 */
import { deepStrictEqual } from "node:assert/strict"
import fc from "fast-check"
import { RefusedError, type ResearchRoomClient } from "research-room/client"
import t, { type Test } from "tap"
import { because, claim, finding, hypothesis, premise, reference } from "../../support/bodies.ts"
import { holds } from "./holds.ts"
import { type Name, openLab } from "../../support/lab.ts"
import { Work } from "./work.ts"
import { runs } from "../../support/chance.ts"

const lab = await openLab(t)
const { reader } = lab
const room = await lab.room()

/** In the protocol's order: the first of these that some link gives is the status. */
const precedence = [
  ["retracts", "retracted"],
  ["supersedes", "superseded"],
  ["corrects", "corrected"],
  ["disputes", "disputed"],
] as const
type Kind = (typeof precedence)[number][0]
const statusOf = (kinds: readonly Kind[]) => precedence.find(([kind]) => kinds.includes(kind))?.[1] ?? "current"

const operations = {
  corrects: "assert_correction",
  supersedes: "assert_supersession",
  disputes: "assert_dispute",
  retracts: "assert_retraction",
} as const
const replacement = (await room.ada.write("publish_finding", finding(room))).result.versionId

async function assert(client: ResearchRoomClient, kind: Kind, targetVersionId: string, explanation: string) {
  const more = {
    corrects: { correction: `Read ${explanation}.` },
    supersedes: { replacementVersionId: replacement },
    disputes: {},
    retracts: {},
  }[kind]
  return (await client.write(operations[kind], { targetVersionId, explanation, ...more } as never)) as {
    result: { linkId: string; label: string }
  }
}

interface Step {
  readonly who: Name
  readonly kind: Kind
  readonly explanation: string
}
const step: fc.Arbitrary<Step> = fc.record({
  who: fc.constantFrom("ada", "grace", "mary"),
  kind: fc.constantFrom(...precedence.map(([kind]) => kind)),
  explanation: fc.constantFrom("one", "two", "three"),
})

/** Whether the protocol allows a step after the previous ones. */
function allowed({ who, kind, explanation }: Step, before: readonly Step[]): boolean {
  if (kind === "retracts" && who === "mary") return false
  const same = before.filter((other) => other.who === who && other.kind === kind)
  return (
    same.length === 0 ||
    ((kind === "corrects" || kind === "disputes") && same.every((other) => other.explanation !== explanation))
  )
}

// shows: Status, notices and warnings are shown on the reads that show the record; nothing ranks corrections.
// shows: skill: status
t.test("any links in any order give the status by precedence, and the notices in the order they landed", async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 9 }), async (steps) => {
      const { versionId } = (await room.grace.write("publish_finding", finding(room))).result
      const landed: Step[] = []
      for (const each of steps) {
        try {
          await assert(room[each.who], each.kind, versionId, each.explanation)
          if (!allowed(each, landed)) throw new Error(`${JSON.stringify(each)} was accepted`)
          landed.push(each)
        } catch (error) {
          if (!(error instanceof RefusedError) || allowed(each, landed)) throw error
        }
        const record = await lab.record({ versionId })
        const told = [
          record.status,
          ...record.notices.map(({ kind, explanation, author }) => `${author.username} ${kind} ${explanation}`),
        ]
        deepStrictEqual(told, [
          statusOf(landed.map((one) => one.kind)),
          ...landed.map((one) => `${one.who} ${one.kind} ${one.explanation}`),
        ])
      }
    }),
    { numRuns: runs(25, 8), endOnFailure: true },
  )
  t.pass("the statuses agreed for every set of links")
})

/** Finds each place in an answer that shows the record's standing. The content as sent, warnings, changes are none. */
function shownIn(answer: unknown, versionId: string, path = ""): { path: string; status: unknown; notices: unknown }[] {
  if (typeof answer !== "object" || answer === null) return []
  const own = answer as Record<string, unknown>
  const here = own.versionId === versionId ? [{ path, status: own.status, notices: own.notices }] : []
  const inside = Object.entries(own).filter(
    ([name]) =>
      !["content", "receipt", "result", "warnings", "towardHypothesis", "staleReasons", "changed"].includes(name),
  )
  return [...here, ...inside.flatMap(([name, inner]) => shownIn(inner, versionId, `${path}/${name}`))]
}

// shows: Status, notices and warnings are shown on the reads that show the record; nothing ranks corrections.
t.test("every read that shows a record shows its standing", async (t) => {
  const own = await lab.room()
  const other = await lab.room()
  const { roomId, threadId } = own
  const target = await own.grace.write(
    "publish_finding",
    finding(own, { evidence: [{ kind: "paper", arxivId: "2401.01234", locator: {}, quote: "So." }] }),
  )
  const tested = await own.grace.write("publish_hypothesis", hypothesis(own))
  const ids = [target.result.versionId, tested.result.versionId] as const
  const [found, predicted] = ids
  const above = (
    await own.ada.write(
      "publish_hypothesis",
      hypothesis(own, { premises: [premise(found), premise(predicted)], references: ids.map((id) => reference(id)) }),
    )
  ).result
  const claimed = (
    await own.ada.write("publish_cited_claim", claim(own, { references: ids.map((id) => reference(id, "related")) }))
  ).result
  const { targetId: followUp } = await own.mary.write("create_thread", {
    roomId,
    title: "And then?",
    replyToEntryId: target.entry?.entryId as string,
  })
  for (const versionId of ids) await own.mary.write("reuse_record", { threadId: followUp, versionId })
  await other.mary.write("reuse_record", { threadId: other.threadId, versionId: found })
  const work = await Work.begin(lab, own, { hypotheses: [predicted] })
  const { experimentId } = work
  const planId = await work.plan({ hypotheses: [predicted], premises: [premise(found)] })
  const { result: link } = await own.ada.write("link_experiment_finding", {
    experimentId,
    findingVersionId: found,
    towardHypothesis: [{ versionId: predicted, verdict: "supports", explanation: because }],
    towardQuestion: { verdict: "answers", explanation: because },
  })
  const replaced = (
    await own.ada.write("assert_supersession", {
      targetVersionId: claimed.versionId,
      replacementVersionId: found,
      explanation: because,
    })
  ).result
  const { timelineWatermark } = (await reader.read("thread_context", { threadId })).thread
  const { targetId: checkpointId } = await own.ada.write("post_research_checkpoint", {
    threadId,
    expectedWatermark: timelineWatermark,
    coversThrough: timelineWatermark,
    state: "open",
    synthesis: "So.",
    openQuestions: [],
    citations: ids,
  })

  const ELSEWHERE = "timeline of another Room"
  /** For each read, how many times it shows the finding and the hypothesis. */
  const reads: readonly [read: () => Promise<unknown>, name: string, finding: number, hypothesis: number][] = [
    [() => reader.read("record", { versionId: found }), "record", 1, 0],
    [() => reader.read("hypothesis", { versionId: predicted }), "hypothesis", 0, 1],
    [() => reader.read("record", { versionId: above.versionId }), "premises and references", 2, 2],
    [() => reader.read("record", { versionId: claimed.versionId }), "references of a claim", 1, 1],
    [() => reader.read("hypotheses", { roomId }), "hypotheses", 0, 1],
    [() => reader.read("publications", {}), "publications", 1, 1],
    [() => reader.read("room_publications", { roomId }), "room_publications", 1, 1],
    [() => reader.read("paper_publications", { arxivId: "2401.01234" }), "paper_publications", 1, 0],
    [() => reader.read("room_context", { roomId }), "room_context: the list, the relation", 2, 1],
    [() => reader.read("thread_research_context", { threadId }), "thread_research_context", 2, 1],
    [() => reader.read("thread_timeline", { threadId }), "timeline: the cards of both, the relation's card", 2, 1],
    [() => reader.read("thread_timeline", { threadId: followUp }), "timeline: cards of reuse", 1, 1],
    [() => reader.read("thread_timeline", { threadId: other.threadId }), ELSEWHERE, 1, 0],
    [() => reader.read("thread_records", { threadId: followUp }), "thread_records", 1, 1],
    [
      () => reader.read("thread_context", { threadId: followUp }),
      "thread_context: what it follows, and the newest",
      2,
      1,
    ],
    [() => reader.read("experiment", { experimentId }), "experiment", 0, 1],
    [() => reader.read("proposal", { proposalId: experimentId }), "proposal", 0, 1],
    [() => reader.read("plan", { planId }), "plan", 1, 1],
    [() => reader.read("experiment_findings", { experimentId }), "experiment_findings", 1, 0],
    [() => reader.read("link", { linkId: link.linkId }), "a relation", 1, 0],
    [() => reader.read("link", { linkId: replaced.linkId }), "a replacement", 1, 0],
    [() => reader.read("room_links", { roomId, targetVersionId: claimed.versionId }), "room_links", 1, 0],
    [() => reader.read("checkpoint", { checkpointId }), "citations of a checkpoint", 1, 1],
  ]

  const kinds: Kind[] = []
  async function holdAll(t: Test, step: string) {
    const standing = async (versionId: string) => ({
      status: statusOf(kinds),
      notices: (await lab.record({ versionId })).notices,
    })
    const [one, two] = [await standing(found), await standing(predicted)]
    t.strictSame([one.notices.map(({ kind }) => kind), two.notices.map(({ kind }) => kind)], [kinds, kinds], step)
    for (const [read, name, findings, hypotheses] of reads) {
      const answer = await read()
      const told = (versionId: string) =>
        shownIn(answer, versionId)
          .filter(({ path }) => !path.endsWith("/target"))
          .map(({ status, notices }) => ({ status, notices }))
      // In that timeline, its links are of another Room too.
      const mark = { labelFromOtherRoom: true, originRoomId: roomId }
      const seen = name === ELSEWHERE ? { ...one, notices: one.notices.map((notice) => ({ ...notice, ...mark })) } : one
      t.strictSame(
        [told(found), told(predicted)],
        [Array(findings).fill(seen), Array(hypotheses).fill(two)],
        `${step}: ${name}`,
      )
    }
  }

  await holdAll(t, "nothing said")
  for (const kind of ["disputes", "corrects", "supersedes", "retracts"] as const) {
    kinds.push(kind)
    for (const id of ids) await assert(own.ada, kind, id, because)
    await holdAll(t, kind)
    const { towardHypothesis } = (await reader.read("link", { linkId: link.linkId })) as { towardHypothesis: unknown }
    holds(t, towardHypothesis, [{ versionId: predicted, status: statusOf(kinds) }], "the hypothesis a verdict is about")
    const aimed = (await reader.read("room_links", { roomId, targetVersionId: found })).items
    holds(
      t,
      aimed.map(({ target, status, notices }) => [target.status, status, notices.length]),
      kinds.map(() => [statusOf(kinds), statusOf(kinds), kinds.length]),
      "a link says it of its target, and beside it",
    )
  }
})

// shows: It is immutable.
// shows: A research link is attributed, explained, immutable and about an exact version, whose record is never edited.
t.test("links to a record never change the record itself", async (t) => {
  const { result } = await room.ada.write("publish_finding", finding(room))
  const before = await lab.record(result)
  await assert(room.grace, "corrects", result.versionId, because)
  const after = await lab.record(result)
  t.strictSame({ ...after, status: "current", notices: [] }, before, "everything but its standing is unchanged")
})
