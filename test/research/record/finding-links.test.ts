/**
 * Links from findings to experiments: the split verdict, its replies and reviewers, and the roles of attempts that a
 * finding names.
 */
import t from "tap"
import { because, finding, hypothesis, nobody } from "../../support/bodies.ts"
import { holds } from "./holds.ts"
import { everyItem, openLab, refusalOf, refusedAs } from "../../support/lab.ts"
import { losses, Work } from "./work.ts"

const lab = await openLab(t)
const { reader, userIds } = lab
const room = await lab.room()
const { roomId, threadId } = room

// shows: A finding link carries a split verdict, its replies and who reviewed it; the Room context shows the finding
//   and the card.
// shows: skill: reviewed_by
// shows: A receipt names its target; targetId is the link, attempt, material, checkpoint or experiment, as the write
//   has it.
t.test("a split verdict, its card, the replies to it and who reviewed it", async (t) => {
  const work = await Work.begin(lab, room)
  const attemptId = await work.attempt()
  const [first, second] = [
    (await room.ada.write("publish_hypothesis", hypothesis(room))).result,
    (await room.ada.write("publish_hypothesis", hypothesis(room))).result,
  ]
  const found = (await room.grace.write("publish_finding", finding(room, { outcome: "negative" }, "It did not.")))
    .result
  const verdicts = {
    towardHypothesis: [
      { versionId: second.versionId, verdict: "contradicts", explanation: "Less than the bound." },
      { versionId: first.versionId, verdict: "inconclusive", explanation: "Too noisy." },
    ],
    towardQuestion: { verdict: "partly_answers", explanation: "For one size." },
  } as const
  const receipt = await room.grace.write("link_experiment_finding", {
    experimentId: work.experimentId,
    findingVersionId: found.versionId,
    attemptId,
    ...verdicts,
    client: { name: "relater" },
  })
  const { linkId } = receipt.result
  const moved = (versionId: string, label: string, verdict: string) => ({
    versionId,
    label,
    verdict,
    independent: 1,
    before: "untested",
  })
  const now = [moved(second.versionId, "H2", "contradicted"), moved(first.versionId, "H1", "inconclusive")]
  t.strictSame(
    [receipt.target, receipt.targetId, receipt.result],
    [{ kind: "finding_link", id: linkId, label: null }, linkId, { linkId, verdicts: now, label: null }],
    "it has no label, and is its own subject",
  )
  const unaddressed = { code: "hypothesis_not_addressed" }
  holds(
    t,
    receipt.warnings,
    [{ code: "attempt_not_named", attemptId }, unaddressed, unaddressed],
    "what nobody named or asked is told",
  )
  const entryId = receipt.entry?.entryId as string

  const link = await reader.read("link", { linkId })
  const standing = { status: "current", notices: [] }
  t.match(link.author.agent, /^grace's agent /, "it says which agent of hers wrote it")
  t.strictSame(link, {
    schemaVersion: 3,
    linkId,
    kind: "finding_link",
    roomId,
    experimentId: work.experimentId,
    experimentLabel: "E1",
    finding: {
      versionId: found.versionId,
      label: "F1",
      kind: "finding",
      wording: "It did not.",
      ...standing,
      outcome: "negative",
    },
    attemptId,
    attemptLabel: "A1",
    author: { userId: userIds.grace, username: "grace", agent: link.author.agent },
    at: receipt.acceptedAt,
    ...{ towardQuestion: verdicts.towardQuestion },
    towardHypothesis: [
      { ...verdicts.towardHypothesis[0], label: "H2", status: "current" },
      { ...verdicts.towardHypothesis[1], label: "H1", status: "current" },
    ],
    card: { entryId, threadId },
    replies: 0,
    reviewedBy: [],
    withdrawn: null,
  })
  const { items: cards } = await reader.read("thread_timeline", { threadId, kinds: ["link_experiment_finding"] })
  holds(t, cards, [
    {
      entryId,
      kind: "link_experiment_finding",
      replyCount: 0,
      card: {
        linkId,
        experimentId: work.experimentId,
        experimentLabel: "E1",
        versionId: found.versionId,
        label: "F1",
        wording: "It did not.",
        attemptId,
        ...verdicts,
        client: { name: "relater" },
        ...standing,
      },
    },
  ])

  const reply = (who: "ada" | "grace" | "mary", replyToEntryId = entryId) =>
    room[who].write("post_message", { threadId, text: "I see.", replyToEntryId })
  const answered = async () => {
    const { schemaVersion: _version, ...one } = (await reader.read("link", { linkId })) as {
      replies?: number
      reviewedBy?: string[]
      schemaVersion: 3
    }
    const listed = (await reader.read("experiment_findings", { experimentId: work.experimentId })).items
    const inContext = (await reader.read("room_context", { roomId })).findingLinks.filter(
      (each) => each.linkId === linkId,
    )
    const inThread = (await reader.read("thread_research_context", { threadId })).findingLinks.filter(
      (each) => each.linkId === linkId,
    )
    t.strictSame([listed, inContext, inThread], [[one], [one], [one]], "every read says the same")
    return [one.replies, one.reviewedBy]
  }
  await reply("grace")
  t.strictSame(await answered(), [1, []], "the author's own reply is one, but no review")
  const { entry: byMary } = await reply("mary")
  t.strictSame(await answered(), [2, ["mary"]])
  await reply("ada")
  await reply("mary")
  t.strictSame(await answered(), [4, ["ada", "mary"]], "each reviewer once")
  holds(
    t,
    (await reader.read("thread_timeline", { threadId, kinds: ["link_experiment_finding"] })).items,
    [{ entryId, replyCount: 4 }],
    "and its card counts them",
  )
  await reply("ada", byMary?.entryId)
  t.strictSame(await answered(), [4, ["ada", "mary"]], "a reply to a reply answers that reply")
  holds(t, (await reader.read("thread_replies", { threadId, targetEntryId: entryId })).items, [
    { author: { username: "grace" } },
    { author: { username: "mary" } },
    { author: { username: "ada" } },
    { author: { username: "mary" } },
  ])
})

t.test(
  "anybody may relate anything, even again with another verdict; the findings of one experiment are paged",
  async (t) => {
    const work = await Work.begin(lab, room)
    const other = await lab.room()
    const theirs = (await other.mary.write("publish_finding", finding(other))).result
    const linkIds: string[] = []
    const said = [
      ["ada", "does_not_answer"],
      ["grace", "does_not_answer"],
      ["mary", "does_not_answer"],
      ["ada", "answers"],
    ] as const
    for (const [who, verdict] of said) {
      const { result } = await room[who].write("link_experiment_finding", {
        experimentId: work.experimentId,
        findingVersionId: theirs.versionId,
        towardHypothesis: [],
        towardQuestion: { verdict, explanation: because },
      })
      linkIds.push(result.linkId)
    }
    const again = room.ada.write("link_experiment_finding", {
      experimentId: work.experimentId,
      findingVersionId: theirs.versionId,
      towardHypothesis: [],
      towardQuestion: { verdict: "answers", explanation: "In other words." },
    })
    holds(
      t,
      await refusalOf(again),
      { status: 409, refusal: "link_exists", current: { linkId: linkIds[3] } },
      "the same verdicts are said already",
    )
    const pages = await everyItem(reader.pages("experiment_findings", { experimentId: work.experimentId, limit: 3 }))
    t.strictSame(
      pages.map(({ items, nextCursor }) => [items.map(({ linkId }) => linkId), nextCursor]),
      [
        [linkIds.slice(0, 3), linkIds[2]],
        [linkIds.slice(3), null],
      ],
    )
    holds(
      t,
      pages[0]?.items[0],
      { roomId, attemptId: null, attemptLabel: null, finding: { versionId: theirs.versionId }, towardHypothesis: [] },
      "a finding of another Room, without an attempt",
    )
    t.equal(await refusedAs(reader.read("experiment_findings", { experimentId: nobody })), "404 unknown_experiment")
    t.equal(await refusedAs(reader.read("link", { linkId: nobody })), "404 unknown_link")
    const lacking = await refusalOf(
      (await lab.client("ada", roomId, { permissions: ["publish_records", "manage_own_experiments"] })).write(
        "link_experiment_finding",
        {
          experimentId: work.experimentId,
          findingVersionId: theirs.versionId,
          towardHypothesis: [],
          towardQuestion: { verdict: "answers", explanation: because },
        },
      ),
    )
    holds(t, lacking, { status: 403, refusal: "permission_missing", current: { needed: ["post_thread"] } })
  },
)

// shows: With findingVersionId each attempt says whether it is producing, baseline or evidence only.
t.test("roles of a finding's attempts: producing, baseline, or cited as evidence only", async (t) => {
  const [work, elsewhere] = [await Work.begin(lab, room), await Work.begin(lab, room)]
  const [made, also, compared, cited, both] = [
    await work.attempt(),
    await work.attempt("failed"),
    await elsewhere.attempt(),
    await elsewhere.attempt("failed"),
    await elsewhere.attempt(),
  ]
  await work.attempt("failed")
  const { result } = await room.ada.write(
    "publish_finding",
    finding(room, {
      provenance: { execution: work.execution([made, also], [compared, both]), papers: [] },
      evidence: [
        { kind: "attempt_output", attemptId: made, ...losses, explanation: because },
        { kind: "attempt_outcome", attemptId: cited, explanation: because },
        { kind: "attempt_outcome", attemptId: both, explanation: because },
      ],
    }),
  )
  const named = async (more = {}) =>
    Object.fromEntries(
      (await everyItem(reader.items("attempts", { findingVersionId: result.versionId, limit: 2, ...more }))).map(
        ({ attemptId, role }) => [attemptId, role],
      ),
    )
  t.strictSame(
    await named(),
    Object.fromEntries(
      Object.entries({
        [made]: "producing",
        [also]: "producing",
        [compared]: "baseline",
        [cited]: "evidence",
        [both]: "baseline",
      }).sort(),
    ),
    "each once, in its strongest role",
  )
  t.strictSame(
    await named({ status: "failed" }),
    Object.fromEntries(Object.entries({ [also]: "producing", [cited]: "evidence" }).sort()),
  )
  t.strictSame(await named({ experimentId: work.experimentId, status: "succeeded" }), { [made]: "producing" })
  const bare = (await room.ada.write("publish_finding", finding(room))).result
  t.strictSame((await reader.read("attempts", { findingVersionId: bare.versionId })).items, [])
  t.equal(await refusedAs(reader.read("attempts", { findingVersionId: nobody })), "404 unknown_record")
  const [unfiltered] = (await reader.read("attempts", { experimentId: work.experimentId, limit: 1 })).items
  t.equal("role" in (unfiltered as object), false, "only if a finding is given")
})
