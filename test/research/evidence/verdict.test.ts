/**
 * The verdict on a hypothesis: derived from the evidence, and shown first wherever the hypothesis is (protocol, section
 * 14).
 */
import t from "tap"
import type { WriteInput } from "research-room/client"
import { present } from "../../../src/contract/typed.ts"
import { because, finding, hypothesis, reference } from "../../support/bodies.ts"
import { openLab } from "../../support/lab.ts"
import { Work } from "../record/work.ts"

const lab = await openLab(t)
const { reader } = lab
const room = await lab.room("Does smoothing lower the error?")
const { roomId, ada, grace, mary } = room
const work = await Work.begin(lab, room)
const { experimentId } = work

type Verdict = "supports" | "contradicts" | "inconclusive"
const propose = async (wording: string) => (await ada.write("publish_hypothesis", hypothesis(room, {}, wording))).result
const publish = async (by: typeof ada, more: Partial<WriteInput<"publish_finding">> = {}) =>
  (await by.write("publish_finding", finding(room, more))).result
const link = async (
  by: typeof ada,
  { versionId: findingVersionId }: { versionId: string },
  versionId: string,
  verdict: Verdict,
) =>
  (
    await by.write("link_experiment_finding", {
      experimentId,
      findingVersionId,
      towardHypothesis: [{ versionId, verdict, explanation: because }],
      towardQuestion: { verdict: "answers", explanation: because },
    })
  ).result
/** Publishes a finding by ada with a measured effect. */
async function measured(more: Partial<WriteInput<"publish_finding">> = {}) {
  const attemptId = await work.attempt("started")
  const values = (arm: string, list: readonly number[]) =>
    list.map((value, seed) => ({ name: "error", value, dimensions: { arm, seed } }))
  await work.tell(attemptId, "progress", {
    metrics: [...values("baseline", [5.1, 5.4, 4.9]), ...values("smoothing", [4.1, 4.2, 4])],
  })
  await work.tell(attemptId, "succeeded")
  return publish(ada, {
    provenance: { execution: work.execution([attemptId]), papers: [] },
    effects: [{ experimentId, metric: "error", of: { arm: "smoothing" }, against: { arm: "baseline" }, over: "seed" }],
    ...more,
  })
}

const { versionId, label } = await propose("Smoothing lowers the error.")
const verdict = async (id = versionId, at?: number) => {
  const { verdict, verdictFrom } =
    at === undefined ? await lab.record({ versionId: id }) : await reader.read("record", { versionId: id, at })
  return {
    verdict,
    from: verdictFrom && { ...verdictFrom, newest: `${verdictFrom.newest.by.label} ${verdictFrom.newest.verdict}` },
  }
}

t.test("without effects, stated verdicts decide, and the newest of each finding counts", async (t) => {
  t.same(await verdict(), { verdict: "untested", from: null })
  const one = await publish(grace)
  await link(grace, one, versionId, "inconclusive")
  t.match(await verdict(), {
    verdict: "inconclusive",
    from: { basis: "words", independent: 1, people: [lab.house.people.member.username] },
  })
  await link(grace, one, versionId, "contradicts")
  t.match(await verdict(), { verdict: "contradicted", from: { newest: "F1 contradicts" } })
  const other = await publish(mary)
  const supports = await link(mary, other, versionId, "supports")
  t.match(await verdict(), { verdict: "contested", from: { basis: "words", independent: 2, newest: "F2 supports" } })
  await mary.write("withdraw_link", { linkId: supports.linkId, explanation: because })
  t.match(await verdict(), { verdict: "contradicted", from: { newest: "F1 contradicts" } })
  await link(mary, other, versionId, "supports")
})

t.test("findings with effects decide over stated verdicts, however many those are", async (t) => {
  const before = (await reader.read("room", { roomId })).activityWatermark
  const found = await measured()
  await link(ada, found, versionId, "supports")
  const newest = {
    verdict: "supports",
    by: { kind: "finding", label: found.label, id: found.versionId },
    independent: false,
  }
  t.match(await lab.record({ versionId }), {
    status: "current",
    verdict: "supported",
    verdictFrom: { basis: "effects", independent: 2, newest },
  })
  t.match(
    await verdict(versionId, before),
    { verdict: "contested", from: { basis: "words" } },
    "as of the earlier entry",
  )
  const { items } = await reader.read("room_provenance", { roomId }).then(({ nodes }) => ({ items: nodes }))
  t.match(
    items.find(({ id }) => id === versionId),
    { status: "current", outcome: "supported" },
  )
  t.match((await reader.read("record_case", { versionId })).bearing, "supported")
})

t.test(
  "a finding with effects also decides by a reference; an effect against the hypothesis contests it, " +
    "until it is retracted",
  async (t) => {
    const { versionId: id } = await propose("Smoothing lowers the variance.")
    await measured({ references: [reference(id)] })
    t.match(await verdict(id), { verdict: "supported", from: { basis: "effects", independent: 0 } })
    const against = await measured({ references: [reference(id, "contradicts")] })
    t.match(await verdict(id), { verdict: "contested", from: { newest: `${against.label} contradicts` } })
    await ada.write("assert_retraction", { targetVersionId: against.versionId, explanation: because })
    t.match(await verdict(id), { verdict: "supported", from: { basis: "effects" } })
  },
)

t.test("an unanswered dispute makes it contested; the status keeps its meaning", async (t) => {
  const { versionId: id } = await propose("Smoothing costs nothing.")
  const dispute = await grace.write("assert_dispute", { targetVersionId: id, explanation: because })
  t.match(await lab.record({ versionId: id }), { status: "disputed", verdict: "contested", verdictFrom: null })
  await ada.write("post_message", {
    threadId: room.threadId,
    text: "It costs a second.",
    replyToEntryId: present(dispute.entry).entryId,
  })
  t.match(await lab.record({ versionId: id }), { status: "disputed", verdict: "untested" })
})

t.test(
  "the verdict comes first in the list, the brief, the documents and the pages; other records have none",
  async (t) => {
    const { items } = await reader.read("hypotheses", { roomId })
    t.same(
      items.map((item) => item.verdict),
      ["supported", "supported", "untested"],
    )
    t.notOk("verdict" in (await lab.record(await publish(grace))))
    const brief = await reader.read("room_brief", { roomId, budget: 20_000 })
    t.match(
      brief.hypotheses.find((each) => each.versionId === versionId),
      { verdict: "supported", verdictBy: /^by measured effects; newest: F3 supports it \(/ },
    )
    const { baseUrl } = lab.house
    const text = async (path: string) => (await fetch(`${baseUrl}${path}`)).text()
    const says = `supported by measured effects; newest: F3 supports it (${lab.house.people.owner.username} · agent `
    t.ok((await text(`/api/research/rooms/${roomId}/brief?format=markdown&budget=20000`)).includes(`${label}, ${says}`))
    t.ok((await text(`/records/${versionId}.md`)).includes(`Verdict: ${says}`))
    for (const page of [`/rooms/${roomId}/hypotheses`, `/rooms/${roomId}`])
      t.match(await text(page), /<[^>]*data-state="supported"|>supported</)
    t.match(await text(`/records/${versionId}`), /by measured effects; newest: F3 supports it/)
  },
)

t.test("a verdict may be on a part of a hypothesis, and the words stand beside the whole verdict", async (t) => {
  const { versionId: id } = await propose("Smoothing lowers the error at every size.")
  const { versionId: findingVersionId, label: by } = await publish(grace)
  const toward = (part?: string) =>
    grace.write("link_experiment_finding", {
      ...{ experimentId, findingVersionId, towardQuestion: { verdict: "answers", explanation: because } },
      towardHypothesis: [
        { versionId: id, verdict: "supports", explanation: because, ...(part !== undefined && { part }) },
      ],
    })
  const { result } = await toward("at 400 labels")
  t.match(await verdict(id), {
    verdict: "supported",
    from: { inPart: [{ part: "at 400 labels", verdict: "supports", label: by }] },
  })
  const { towardHypothesis } = await reader
    .read("experiment_findings", { experimentId })
    .then(({ items }) => present(items.find(({ linkId }) => linkId === result.linkId)))
  t.match(towardHypothesis, [{ part: "at 400 labels" }])
  await toward()
  t.match(await verdict(id), { verdict: "supported", from: { inPart: [] } }, "its newest verdict is on all of it")
})
