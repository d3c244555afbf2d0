/**
 * Corrections, supersessions, disputes and retractions: what each says, who may assert it, and when one already exists.
 */
import type { ResearchRoomClient } from "research-room/client"
import t from "tap"
import { correct, dispute, retract, supersede } from "./assertions.ts"
import { because, claim, finding, hypothesis } from "../../support/bodies.ts"
import { holds } from "./holds.ts"
import { everyItem, openLab, refusalOf } from "../../support/lab.ts"

const lab = await openLab(t)
const { reader, userIds } = lab
const room = await lab.room()
const { ada, grace, mary, roomId, threadId } = room

const publish = async (client: ResearchRoomClient = grace) =>
  (await client.write("publish_finding", finding(room))).result
const read = (linkId: string) => reader.read("link", { linkId })

// shows: A research link is attributed, explained, immutable and about an exact version, whose record is never edited.
t.test("each kind reads back labelled, explained and immutable, with its target and its replacement", async (t) => {
  const [target, better] = [await publish(), await publish()]
  const named = ({ versionId, label }: { versionId: string; label: string }) => ({
    versionId,
    label,
    kind: "finding",
    wording: "The ramp lowered the loss.",
  })
  const writes = [
    [
      "corrects",
      await mary.write("assert_correction", {
        targetVersionId: target.versionId,
        explanation: because,
        correction: "Read 7.",
        replacementVersionId: better.versionId,
      }),
      better,
    ],
    [
      "disputes",
      await mary.write("assert_dispute", {
        targetVersionId: target.versionId,
        explanation: because,
        evidence: [better.versionId],
      }),
      null,
    ],
    ["supersedes", await supersede(mary, target.versionId, better.versionId), better],
    ["retracts", await retract(grace, target.versionId), null],
  ] as const
  for (const [index, [kind, receipt, replacement]] of writes.entries()) {
    const { linkId, label } = receipt.result
    t.strictSame([receipt.target, receipt.targetId], [{ kind: "link", id: linkId, label: `L${index + 1}` }, linkId])
    t.equal(label, `L${index + 1}`)
    holds(
      t,
      await read(linkId),
      {
        linkId,
        kind,
        label,
        roomId,
        threadId,
        entryId: receipt.entry?.entryId,
        author: { userId: kind === "retracts" ? userIds.grace : userIds.mary },
        at: receipt.acceptedAt,
        explanation: because,
        target: { ...named(target), status: "retracted" },
        replacement: replacement === null ? null : { ...named(replacement), status: "current", notices: [] },
        status: "retracted",
        notices: writes.map((write) => ({ kind: write[0], linkId: write[1].result.linkId })),
        warnings: [],
        content: { targetVersionId: target.versionId, explanation: because },
        contentDigest: /^sha256:/,
      },
      kind,
    )
    holds(
      t,
      (await reader.read("thread_timeline", { threadId, after: (receipt.entry?.sequence ?? 0) - 1, limit: 1 })).items,
      [{ entryId: receipt.entry?.entryId, receipt: { operation: receipt.operation, target: receipt.target } }],
      "a receipt stands where the target originated",
    )
  }
  const reply = await ada.write("post_message", {
    threadId,
    text: "So.",
    replyToEntryId: writes[0][1].entry?.entryId as string,
  })
  t.ok(reply.entry, "and can be replied to")
})

// shows: A retraction is for the target's author or the Room's owner.
t.test("only the author of the record and the owner of its Room may retract it", async (t) => {
  const role = { status: 403, refusal: "role_required", current: { needed: ["author", "owner"] } }
  const byGrace = await publish(grace)
  holds(t, await refusalOf(retract(mary, byGrace.versionId)), role, "another member")
  holds(t, await lab.record(byGrace), { status: "current", notices: [] })
  await retract(grace, byGrace.versionId)
  await retract(ada, byGrace.versionId)
  holds(
    t,
    await lab.record(byGrace),
    {
      status: "retracted",
      notices: [
        { kind: "retracts", author: { username: "grace" } },
        { kind: "retracts", author: { username: "ada" } },
      ],
    },
    "the author did, and the owner too",
  )

  const byAda = await publish(ada)
  holds(t, await refusalOf(retract(grace, byAda.versionId)), role, "a member on the owner's record")
  holds(
    t,
    await refusalOf(lab.mary.write("assert_retraction", { targetVersionId: byAda.versionId, explanation: because })),
    role,
    "in the browser as well",
  )
  await lab.ada.write("assert_retraction", { targetVersionId: byAda.versionId, explanation: because })

  const posting = await lab.client("grace", roomId, { permissions: ["post_thread", "manage_own_experiments"] })
  const own = await publish(grace)
  holds(
    t,
    await refusalOf(retract(posting, own.versionId)),
    { status: 403, refusal: "permission_missing", current: { needed: ["publish_records"] } },
    "the author without publish_records",
  )
  const publishing = await lab.client("grace", roomId, { permissions: ["publish_records"] })
  for (const write of [correct, dispute])
    holds(t, await refusalOf(write(publishing, own.versionId)), {
      refusal: "permission_missing",
      current: { needed: ["post_thread"] },
    })
  await retract(publishing, own.versionId)

  const other = await lab.room()
  const there = (await other.grace.write("publish_finding", finding(other))).result
  holds(
    t,
    await refusalOf(retract(grace, there.versionId)),
    { status: 403, refusal: "scope_missing" },
    "the author with a credential of another Room",
  )
  const left = await lab.room()
  const byMary = (await left.mary.write("publish_finding", finding(left))).result
  await lab.ada.write("remove_member", { roomId: left.roomId, userId: userIds.mary })
  holds(
    t,
    await refusalOf(retract(left.mary, byMary.versionId)),
    { status: 403, refusal: "not_a_member" },
    "the author who has left",
  )
})

t.test("a hypothesis and a cited claim can be disputed like a finding", async (t) => {
  for (const { result } of [
    await ada.write("publish_hypothesis", hypothesis(room)),
    await ada.write("publish_cited_claim", claim(room)),
  ]) {
    await dispute(grace, result.versionId)
    holds(t, await lab.record(result), { status: "disputed", notices: [{ kind: "disputes" }] })
  }
})

t.test(
  "a second link of the same member, kind and target is refused, unless a correction or dispute has another " +
    "explanation",
  async (t) => {
    const [target, better, other] = [await publish(), await publish(), await publish()]
    const { versionId } = target
    const exists = (label: string, explanation = because) => ({
      status: 409,
      refusal: "link_exists",
      committed: false,
      retryable: false,
      current: { label, targetVersionId: versionId, explanation, linkId: /^[0-9a-f-]{36}$/ },
    })
    const label = async (write: Promise<{ result: { label: string } }>) => (await write).result.label

    const corrected = await label(correct(grace, versionId))
    holds(t, await refusalOf(correct(grace, versionId)), exists(corrected))
    t.not(
      await label(correct(grace, versionId, because, "Read 8.")),
      corrected,
      "a different correction with the same explanation is accepted",
    )
    const again = await label(correct(grace, versionId, "For another reason."))
    holds(
      t,
      await refusalOf(correct(grace, versionId, "For another reason.")),
      exists(again, "For another reason."),
      "the link that says so already is shown",
    )
    holds(t, await refusalOf(correct(grace, versionId)), exists(corrected))
    await correct(mary, versionId)

    const disputed = await label(dispute(grace, versionId))
    holds(t, await refusalOf(dispute(grace, versionId)), exists(disputed))
    await dispute(grace, versionId, "For another reason.")
    await dispute(mary, versionId)

    const superseded = await label(supersede(grace, versionId, better.versionId))
    holds(t, await refusalOf(supersede(grace, versionId, better.versionId)), exists(superseded))
    holds(
      t,
      await refusalOf(supersede(grace, versionId, other.versionId, "For another reason.")),
      exists(superseded),
      "another replacement and explanation",
    )
    await supersede(mary, versionId, other.versionId)

    const retracted = await label(retract(grace, versionId))
    holds(t, await refusalOf(retract(grace, versionId, "For another reason.")), exists(retracted))
    await retract(ada, versionId)
    await correct(grace, better.versionId)
    t.equal((await lab.record(target)).notices.length, 4 + 3 + 2 + 2, "no refused link left a notice")
    t.equal((await lab.record(better)).notices.length, 1, "a link to another target is accepted")

    const rotated = await lab.client("grace", roomId)
    holds(
      t,
      await refusalOf(dispute(rotated, versionId)),
      exists(disputed),
      "a member is the same with another credential",
    )
    const links = await everyItem(reader.items("room_links", { roomId, targetVersionId: versionId }))
    t.strictSame(
      links.map(({ linkId }) => linkId),
      (await lab.record(target)).notices.map(({ linkId }) => linkId),
    )
  },
)

t.test("a link that names a record that is not current gets a warning", async (t) => {
  const [target, gone, argued] = [await publish(), await publish(), await publish()]
  await retract(grace, gone.versionId)
  await dispute(mary, argued.versionId)
  const { warnings } = await supersede(grace, target.versionId, gone.versionId)
  holds(t, warnings, [{ code: "names_retracted", versionId: gone.versionId, status: "retracted" }])
  const { warnings: more } = await mary.write("assert_dispute", {
    targetVersionId: target.versionId,
    explanation: because,
    evidence: [argued.versionId, gone.versionId, target.versionId],
  })
  holds(t, more, [
    { versionId: target.versionId, status: "superseded" },
    { versionId: argued.versionId, status: "disputed" },
    { versionId: gone.versionId, status: "retracted" },
  ])
})
