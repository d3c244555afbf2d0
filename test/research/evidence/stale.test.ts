/** A conclusion is stale for what came after it, and for nothing that its author could know (protocol, section 17). */
import fc from "fast-check"
import t from "tap"
import { runs, seedWhenJudged } from "../../support/chance.ts"
import { because, finding, reference } from "../../support/bodies.ts"
import { holds } from "../record/holds.ts"
import { type LabRoom, openLab } from "../../support/lab.ts"

const lab = await openLab(t)
const { reader } = lab

const aimed = (targetVersionId: string) => ({ targetVersionId, explanation: because })

async function conclude(room: LabRoom, citations: readonly string[], conclusion = "It does.") {
  const { threadId } = room
  const { timelineWatermark } = (await reader.read("thread_context", { threadId })).thread
  const { result } = await room.ada.write("post_research_checkpoint", {
    threadId,
    expectedWatermark: timelineWatermark,
    coversThrough: timelineWatermark,
    state: "concluded",
    synthesis: "So.",
    conclusion,
    openQuestions: [],
    citations,
  })
  return result.checkpointId
}
const read = (checkpointId: string) => reader.read("checkpoint", { checkpointId })

t.test("what was corrected before a conclusion is told as known; what is corrected since makes it stale", async (t) => {
  const room = await lab.room()
  const found = await Promise.all(
    [1, 2].map(async () => (await room.grace.write("publish_finding", finding(room))).result),
  )
  const ids = found.map(({ versionId }) => versionId)
  const [first = "", second = ""] = ids
  const { result } = await room.grace.write("assert_correction", { ...aimed(first), correction: "At 400 labels." })
  const checkpointId = await conclude(room, ids)
  holds(t, await read(checkpointId), {
    stale: false,
    staleReasons: [],
    knownThen: [
      { versionId: first, label: found[0]?.label, status: "corrected", by: { id: result.linkId, label: result.label } },
    ],
  })
  const url = `${lab.house.baseUrl}/api/research/rooms/${room.roomId}/brief?format=markdown`
  const brief = await (await fetch(url)).text()
  t.match(brief, `known when it was written: ${found[0]?.label} was already corrected then (${result.label}).`)
  t.notMatch(brief, /stale:/)

  const rests = finding(room, { references: [reference(first, "derived_from")] })
  const { result: above } = await room.grace.write("publish_finding", rests)
  const [doubt] = (await lab.record(above)).warnings
  t.match(doubt?.message, /was already corrected when it was written\.$/)
  const wording = { ...aimed(second), correction: "Read 'error rate'.", changes: "wording" as const }
  await room.grace.write("assert_correction", wording)
  const corrected = await lab.record({ versionId: second })
  holds(t, corrected, { status: "current", notices: [{ changes: "wording", correction: wording.correction }] })
  t.strictSame(
    (await read(checkpointId)).staleReasons.map(({ code }) => code),
    ["published_since"],
    "one of the wording puts nothing in doubt",
  )
  await room.grace.write("assert_correction", { ...aimed(second), correction: "At 100 labels." })
  t.match((await read(checkpointId)).staleReasons, [{ code: "citation_fallen", versionId: second }])
})

t.test("a review counts for a renewed conclusion with the same text, and for no other", async (t) => {
  const room = await lab.room()
  const reviewedBy = async (id: string) => (await read(id)).reviewed?.newest.map(({ beforeRenewal }) => beforeRenewal)
  const first = await conclude(room, [])
  const objection = { target: first, verdict: "objects" as const, checked: ["wording" as const], explanation: because }
  await room.grace.write("submit_review", objection)
  const second = await conclude(room, [])
  t.strictSame(await reviewedBy(first), [undefined])
  t.strictSame(await reviewedBy(second), [true])
  const brief = async () => reader.read("room_brief", { roomId: room.roomId })
  t.match((await brief()).stands[0]?.reviewed, / objects, given before it was renewed$/)
  t.equal((await brief()).disputes.length, 1, "an objection is open against the same text")
  await room.grace.write("submit_review", { ...objection, target: second, verdict: "agrees" })
  t.strictSame(await reviewedBy(second), [undefined], "the newest word of each counts")
  const other = await conclude(room, [], "It does at 400 labels.")
  t.equal((await read(other)).reviewed, null)
  t.equal((await brief()).disputes.length, 0)
})

/** What happens in a history, to one of its records. */
type Act = "dispute" | "reply" | "correct" | "reword" | "retract" | "supersede" | "take_back" | "publish"
const acts: fc.Arbitrary<readonly (readonly [Act, number])[]> = fc.array(
  fc.tuple(
    fc.constantFrom<Act>("dispute", "reply", "correct", "reword", "retract", "supersede", "take_back", "publish"),
    fc.nat({ max: 3 }),
  ),
  { minLength: 1, maxLength: 6 },
)

/** A link in the model: whether it makes its target doubted or fallen, and since which act. */
interface Link {
  readonly linkId: string
  readonly entryId: string
  readonly target: number
  readonly act: Act
  readonly at: number
}

async function history(room: LabRoom, before: readonly (readonly [Act, number])[], after: typeof before) {
  // 1 rests on 0; 2 and 3 on nothing. All are by grace.
  const ids: string[] = []
  const publish = async (references: readonly ReturnType<typeof reference>[] = []) =>
    (await room.grace.write("publish_finding", finding(room, { references }))).result.versionId
  ids.push(await publish())
  ids.push(await publish([reference(ids[0] ?? "", "derived_from")]), await publish(), await publish())
  const links: Link[] = []
  const [gone, answered, reopened] = [new Set<Link>(), new Set<Link>(), new Map<Link, number>()]
  let clock = 0
  const correctedSince = ({ target, at }: Link) =>
    links.some(
      (each) =>
        !gone.has(each) &&
        each.target === target &&
        each.at > at &&
        ["correct", "reword", "supersede"].includes(each.act),
    )
  /** Whether a link worries now, and since when. */
  const since = (link: Link): number | null => {
    if (gone.has(link) || link.act === "reword") return null
    if (link.act !== "dispute") return link.at
    return answered.has(link) || correctedSince(link) ? null : Math.max(link.at, reopened.get(link) ?? 0)
  }
  async function act([what, on]: readonly [Act, number]): Promise<void> {
    clock += 1
    const target = aimed(ids[on] ?? "")
    const made = (receipt: { result: { linkId: string }; entry: { entryId: string } | null }) =>
      links.push({
        linkId: receipt.result.linkId,
        entryId: receipt.entry?.entryId ?? "",
        target: on,
        act: what,
        at: clock,
      })
    const explanation = `Because of ${clock}.`
    const known = links.filter((each) => each.target === on && !gone.has(each))
    if (what === "publish") await publish()
    if (what === "dispute") made(await room.mary.write("assert_dispute", { ...target, explanation }))
    if (what === "correct" || what === "reword") {
      const changes = what === "reword" ? ("wording" as const) : ("meaning" as const)
      made(await room.grace.write("assert_correction", { ...target, explanation, correction: "So.", changes }))
    }
    if (what === "retract" && !known.some(({ act }) => act === "retract"))
      made(await room.grace.write("assert_retraction", { ...target, explanation }))
    if (what === "supersede" && !known.some(({ act }) => act === "supersede"))
      made(
        await room.grace.write("assert_supersession", {
          ...target,
          explanation,
          replacementVersionId: await publish(),
        }),
      )
    const dispute = known.findLast(({ act }) => act === "dispute")
    if (what === "reply" && dispute !== undefined) {
      const { threadId } = room
      await room.grace.write("post_message", { threadId, text: explanation, replyToEntryId: dispute.entryId })
      answered.add(dispute)
    }
    const last = known.findLast(({ act }) => act !== "retract")
    if (what === "take_back" && last !== undefined) {
      const open = new Set(links.filter((each) => since(each) !== null))
      const { linkId } = last
      await (last.act === "dispute" ? room.mary : room.grace).write("withdraw_link", { linkId, explanation })
      gone.add(last)
      for (const link of links)
        if (link.act === "dispute" && since(link) !== null && !open.has(link)) reopened.set(link, clock)
    }
  }
  for (const each of before) await act(each)
  const known = new Set(links.flatMap((link) => (since(link) === null ? [] : [link.target])))
  const checkpointId = await conclude(room, ids)
  const then = clock
  for (const each of after) await act(each)
  const worrying = links.flatMap((link) => ((since(link) ?? 0) > then ? [link] : []))
  const replacedSince = worrying.filter(({ act, target }) => target === 0 && (act === "retract" || act === "supersede"))
  const fallen = [...new Set(worrying.map(({ target }) => target))]
  const published =
    after.some(([what]) => what === "publish") || links.some((each) => each.act === "supersede" && each.at > then)
  const inDoubt = replacedSince.length > 0 && !fallen.includes(1) ? [1] : []
  return { checkpointId, ids, fallen, inDoubt, published, known }
}

t.test("a conclusion that cites everything is stale exactly for what came later", async (t) => {
  await fc.assert(
    fc.asyncProperty(acts, acts, async (before, after) => {
      const room = await lab.room()
      const { checkpointId, ids, fallen, inDoubt, published, known } = await history(room, before, after)
      const { stale, staleReasons, knownThen } = await read(checkpointId)
      const of = (code: string) =>
        staleReasons
          .filter((reason) => reason.code === code)
          .map(({ versionId }) => ids.indexOf(versionId ?? ""))
          .sort()
      t.strictSame(of("citation_fallen"), fallen.sort())
      t.strictSame(of("citation_in_doubt"), inDoubt)
      t.equal(of("published_since").length > 0, published)
      t.strictSame(of("not_covered"), [])
      t.equal(stale, fallen.length + inDoubt.length > 0 || published)
      const told = knownThen.filter(({ by }) => by.kind === "link").map(({ versionId }) => ids.indexOf(versionId))
      t.ok(
        told.every((index) => known.has(index)),
        "nothing that came later is told as known",
      )
      if (after.every(([what]) => what === "publish")) t.strictSame(told.sort(), [...known].sort())
    }),
    { numRuns: runs(60, 12), ...(seedWhenJudged === undefined ? {} : { seed: seedWhenJudged }) },
  )
})
