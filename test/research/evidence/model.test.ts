/** The evidence model compared with a slow one written from the protocol's sentences, over random histories. */
import { deepStrictEqual } from "node:assert/strict"
import { join } from "node:path"
import fc from "fast-check"
import type { WriteInput } from "research-room/client"
import type { OperationName } from "../../../src/contract/operations/index.ts"
import { writeJson } from "../../../src/contract/json.ts"
import { Refusal } from "../../../src/contract/refusals.ts"
import t from "tap"
import { temporaryFolder } from "../../support/service.ts"
import { finding, hypothesis } from "../../support/bodies.ts"
import { Filler } from "../record/filler.ts"
import { launch } from "../record/work.ts"
import { type Run, SlowModel } from "./slow-model.ts"
import { runs } from "../../support/chance.ts"

const verdicts = ["reproduces", "does_not_reproduce", "inconclusive"] as const
const because = "For a reason."
const people = ["ada", "grace", "mary"] as const
const purposes = ["premise", "supports", "contradicts", "extends", "related", "derived_from", "refines"] as const

/** A step names the objects it acts on by numbers, taken modulo the number of objects at that time. */
const pick = fc.nat({ max: 1_000 })
const who = fc.record({ name: fc.constantFrom(...people), agent: fc.constantFrom("", "mcp", "sweeper") })
type Who = typeof who extends fc.Arbitrary<infer W> ? W : never
const run = fc.record({ commit: fc.constantFrom("a".repeat(40), "b".repeat(40)), seed: fc.constantFrom(1, 2) })
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("publish" as const),
      who,
      kind: fc.constantFrom("hypothesis" as const, "finding" as const),
      references: fc.array(fc.record({ to: pick, purpose: fc.constantFrom(...purposes) }), { maxLength: 3 }),
      ground: fc.option(pick, { nil: undefined }),
      run: fc.option(run, { nil: undefined }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("link" as const),
      who,
      finding: pick,
      verdicts: fc.array(
        fc.record({
          of: pick,
          verdict: fc.constantFrom("supports" as const, "contradicts" as const, "inconclusive" as const),
        }),
        {
          maxLength: 2,
        },
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("assert" as const),
      who,
      kind: fc.constantFrom("corrects" as const, "supersedes" as const, "disputes" as const, "retracts" as const),
      target: pick,
      other: pick,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("withdraw" as const), link: pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("reply" as const), who, dispute: pick }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("reproduce" as const),
      who,
      of: pick,
      run,
      verdict: fc.option(fc.constantFrom(...verdicts)),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const folder = temporaryFolder()
const filler = new Filler(join(folder, "data.db"))
t.teardown(() => filler.close())
const asserts = {
  corrects: "assert_correction",
  supersedes: "assert_supersession",
  disputes: "assert_dispute",
  retracts: "assert_retraction",
} as const

/** Opens a new Room with its people and an empty list of objects made in it. */
function open() {
  const [owner, ...others] = people.map((name) => filler.person(name))
  if (owner === undefined) throw new Error("there are no people")
  const { roomId, openingThreadId: threadId } = filler.does(owner, "create_room", { title: "Evidence" }).result
  for (const { username } of others) filler.does(owner, "add_member", { roomId, username })
  const place = { roomId, threadId }
  const { experimentId } = filler.does(owner, "propose_experiment", {
    ...place,
    question: "So?",
    scope: "Here.",
    hypotheses: [],
  }).result
  const model = new SlowModel()
  const records: { id: string; kind: "hypothesis" | "finding" }[] = []
  const links: { id: string; who: Who }[] = []
  const disputes: { id: string; entryId: string }[] = []
  const chosen = <T>(list: readonly T[], number: number): T | undefined => list[number % Math.max(1, list.length)]
  const does = <N extends OperationName>({ name, agent }: Who, operation: N, input: WriteInput<N>) =>
    filler.does({ ...filler.person(name), agent }, operation, input)
  const by = ({ name, agent }: Who) => ({ author: name, agent })
  filler.does(owner, "take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const first = filler.attempt(owner, experimentId, 2, "claimed")
  /** Registers an attempt by somebody, at a commit and with a seed, that reproduces something. */
  function runs(
    who: Who,
    { commit, seed }: Run,
    reproduces: NonNullable<WriteInput<"register_attempt">["reproduces"]>,
    verdict?: (typeof verdicts)[number],
  ) {
    const attemptId = filler.instance.world.id()
    const pinned = { repository: { ...launch.repository, commit }, configuration: { seed } }
    does(who, "register_attempt", { attemptId, experimentId, ...launch, ...pinned, intent: "reproduction", reproduces })
    const at = { attemptId, reportedAt: "2026-11-20T09:30:00.000Z" }
    does(who, "report_attempt_event", { ...at, event: "started", expectedRevision: 1, expectedStatus: "registered" })
    if (verdict !== undefined)
      does(who, "report_attempt_event", {
        ...at,
        event: "succeeded",
        expectedRevision: 2,
        expectedStatus: "started",
        reproduction: { verdict, explanation: because },
      })
    return attemptId
  }

  function take(each: Step): void {
    if (each.do === "publish") {
      const references = each.references.flatMap(({ to, purpose }) => {
        const record = chosen(records, to)
        return record === undefined ? [] : [{ versionId: record.id, purpose, explanation: because }]
      })
      const ground = each.ground === undefined ? undefined : chosen(records, each.ground)?.id
      const run = each.kind === "finding" ? each.run : undefined
      const attemptIds = run === undefined ? [] : [runs(each.who, run, { attemptId: first })]
      const written =
        each.kind === "hypothesis"
          ? does(
              each.who,
              "publish_hypothesis",
              hypothesis(place, {
                references,
                premises: ground === undefined ? [] : [{ versionId: ground, explanation: because }],
              }),
            )
          : does(
              each.who,
              "publish_finding",
              finding(place, {
                references,
                ...(run === undefined
                  ? {}
                  : { provenance: { papers: [], execution: { experimentId, attemptIds, baselineAttemptIds: [] } } }),
                evidence: ground === undefined ? [] : [{ kind: "record", versionId: ground, explanation: because }],
              }),
            )
      const id = written.result.versionId
      records.push({ id, kind: each.kind })
      model.add({
        what: "record",
        id,
        ...by(each.who),
        run,
        grounds: ground === undefined ? [] : [ground],
        references: references.map(({ versionId, purpose }) => ({ to: versionId, purpose })),
      })
    }
    if (each.do === "link") {
      const found = chosen(
        records.filter(({ kind }) => kind === "finding"),
        each.finding,
      )
      const hypotheses = records.filter(({ kind }) => kind === "hypothesis")
      const verdicts = each.verdicts.flatMap(({ of, verdict }) => {
        const record = chosen(hypotheses, of)
        return record === undefined ? [] : [{ of: record.id, verdict }]
      })
      if (found === undefined) return
      const { linkId } = does(each.who, "link_experiment_finding", {
        experimentId,
        findingVersionId: found.id,
        towardHypothesis: verdicts.map(({ of, verdict }) => ({ versionId: of, verdict, explanation: because })),
        towardQuestion: { verdict: "answers", explanation: because },
      }).result
      links.push({ id: linkId, who: each.who })
      model.add({ what: "finding_link", id: linkId, ...by(each.who), finding: found.id, verdicts })
    }
    if (each.do === "assert") {
      const [target, other] = [chosen(records, each.target), chosen(records, each.other)]
      if (target === undefined || other === undefined) return
      const said = {
        corrects: { correction: "Read 7." },
        supersedes: { replacementVersionId: other.id },
        disputes: {},
        retracts: {},
      }[each.kind]
      const { result, entry } = does(each.who, asserts[each.kind], {
        targetVersionId: target.id,
        explanation: because,
        ...said,
      } as never)
      const { linkId } = result as { linkId: string }
      links.push({ id: linkId, who: each.who })
      if (each.kind === "disputes" && entry !== null) disputes.push({ id: linkId, entryId: entry.entryId })
      const replacement = each.kind === "supersedes" ? { replacement: other.id } : {}
      model.add({
        what: "research_link",
        id: linkId,
        ...by(each.who),
        kind: each.kind,
        target: target.id,
        ...replacement,
      })
    }
    if (each.do === "reply") {
      const dispute = chosen(disputes, each.dispute)
      if (dispute === undefined) return
      does(each.who, "post_message", { threadId, text: "I looked again.", replyToEntryId: dispute.entryId })
      model.add({ what: "reply", dispute: dispute.id, author: each.who.name })
    }
    if (each.do === "withdraw") {
      const link = chosen(links, each.link)
      if (link === undefined) return
      does(link.who, "withdraw_link", { linkId: link.id, explanation: because })
      model.add({ what: "withdrawal", link: link.id })
    }
    if (each.do === "reproduce") {
      const found = chosen(
        records.filter(({ kind }) => kind === "finding"),
        each.of,
      )
      if (found === undefined) return
      const id = runs(each.who, each.run, { findingVersionId: found.id }, each.verdict ?? undefined)
      model.add({ what: "reproduction", id, ...by(each.who), of: found.id, verdict: each.verdict, run: each.run })
    }
  }

  /** What the service says about every record, and what the slow model says. */
  function compare(): void {
    const { evidence, records: table } = filler.instance.tables
    for (const { id, kind } of records) {
      const summary = JSON.parse(writeJson(table.summary(id)))
      deepStrictEqual(
        [summary.status, summary.evidenceTally, summary.inDoubt, summary.verdict],
        [model.status(id), model.tally(id), model.isInDoubt(id), kind === "hypothesis" ? model.verdict(id) : undefined],
        id,
      )
      const said = evidence.bearingOn(id, undefined, 1_000)
      deepStrictEqual(
        said.map(({ source, verdict, independence }) => `${source} ${verdict} ${JSON.stringify(independence)}`).sort(),
        model
          .words(id)
          .map((word) => `${word.source} ${word.verdict} ${JSON.stringify(model.independence(id, word))}`)
          .sort(),
        id,
      )
      const { supports, contradicts, inconclusive, reproductions, failedReproductions } = model.tally(id)
      deepStrictEqual(
        said.filter(({ standing }) => standing === "counted").length,
        supports + contradicts + inconclusive + reproductions + failedReproductions,
      )
      const doubts = evidence
        .doubtsOf(id, roomId)
        .filter((doubt): doubt is Extract<typeof doubt, { readonly direct: boolean }> => "direct" in doubt)
      const expected = model.doubts(id)
      deepStrictEqual(
        doubts.map(({ versionId, status }) => `${versionId} ${status}`).sort(),
        expected.map((each) => `${each.id} ${each.status}`).sort(),
      )
      const distanceOf = new Map(expected.map((each) => [each.id, each.distance]))
      const distances = doubts.map(({ versionId }) => distanceOf.get(versionId) ?? 0)
      deepStrictEqual(
        distances,
        [...distances].sort((one, other) => one - other),
        "nearest first",
      )
      deepStrictEqual(
        doubts.map(({ direct }) => direct),
        distances.map((distance) => distance === 1),
      )
    }
  }
  return { take, compare, records: () => records.length, links: () => links.length }
}

t.test("random histories", async (t) => {
  await filler.fill(() => {
    for (const name of people)
      filler.instance.tables.people.insert(filler.instance.world.id(), name, "-", false, "2026-11-20T09:30:00.000Z")
  })
  const histories = Number(process.env.EVIDENCE_RUNS ?? runs(60, 20))
  let made = { records: 0, links: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60, size: "max" }), async (steps) => {
      await filler.fill(() => {
        const room = open()
        for (const each of steps) {
          try {
            room.take(each)
          } catch (error) {
            // Writes that the protocol refuses (a duplicate, a second withdrawal, a circle) leave nothing behind.
            if (!(error instanceof Refusal)) throw error
          }
        }
        room.compare()
        made = { records: made.records + room.records(), links: made.links + room.links() }
      })
    }),
    { numRuns: histories, endOnFailure: true },
  )
  t.ok(made.records > 3 * histories && made.links > 3 * histories, `${made.records} records and ${made.links} links`)
})
