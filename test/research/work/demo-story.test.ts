/** The demo's main Room tells a complete story of work, and every read of it matches its definition. */
import { startResearchRoom } from "research-room/testing"
import { textOf } from "research-room/client"
import t from "tap"
import { checking } from "../../support/checking.ts"

const demo = await startResearchRoom({ deterministic: true })
t.teardown(() => demo.close())
const reader = demo.client("main_member_all", { fetch: checking(globalThis.fetch), retries: 0 })
const { roomId } = demo.rooms.main
const { owner, member } = demo.people
const context = await reader.read("room_context", { roomId })
/** Every record of the Room. A context lists each once, with hypotheses in a separate list. */
const records = [...context.hypotheses, ...context.publications]
const idOf = (label: string) => records.find((each) => each.label === label)?.versionId as string
const tallyOf = async (label: string) => (await reader.read("record", { versionId: idOf(label) })).evidenceTally
const evidenceOf = async (label: string) =>
  (await reader.read("record_evidence", { versionId: idOf(label) })).items.map(
    ({ by, source, verdict, standing, independent }) =>
      `${by.label ?? by.kind} ${source} ${verdict} ${standing}${independent ? " independent" : ""}`,
  )

t.test("there are enough objects of every kind, by two people", async (t) => {
  const { hypothesis = 0, experiment = 0, attempt = 0, finding = 0 } = context.counts
  t.ok(hypothesis >= 5 && hypothesis <= 8, `${hypothesis} hypotheses`)
  t.ok(
    experiment >= 6 && attempt >= 30 && finding >= 8,
    `${experiment} experiments, ${attempt} attempts, ${finding} findings`,
  )
  for (const kind of ["hypothesis", "finding", "cited_claim"]) {
    const authors = records.filter((each) => each.kind === kind).map(({ author }) => author.username)
    t.strictSame(
      new Set(authors),
      new Set([owner.username, member.username]),
      `each ${kind} has an author, and both people are authors`,
    )
  }
  const now = (await reader.read("room", { roomId })).createdAt
  t.ok(
    records.every(({ createdAt }) => createdAt > now && createdAt < "2026-11-14"),
    "within the twelve days of the story",
  )
})

t.test("an experiment is proposed, amended, taken and planned with one arm per seed", async (t) => {
  const [first] = (await reader.read("experiments", { roomId, label: "E1" })).items
  const experiment = await reader.read("experiment", { experimentId: first?.experimentId as string })
  t.match(experiment, {
    status: "completed",
    proposer: { userId: member.userId },
    assignee: { userId: owner.userId },
    hypotheses: [{ label: "H1" }, { label: "H2" }],
    attempts: { total: 6, succeeded: 6 },
  })
  const { items } = await reader.read("experiment_history", { experimentId: experiment.experimentId })
  t.same(
    items.map(({ operation }) => operation),
    [
      "propose_experiment",
      "amend_experiment",
      "take_experiment",
      "accept_plan",
      "report_experiment_status",
      "report_experiment_status",
    ],
  )
  t.ok(
    items.every(({ at }, index) => index === 0 || at > (items[index - 1]?.at as string)),
    "in the order of the story's clock",
  )
})

t.test("attempts keep to their plans except for one, which leads to the retraction", async (t) => {
  const strays: string[] = []
  for await (const { label, intent, planMatch } of reader.items("attempts", { roomId }))
    if (intent === "planned" && planMatch?.argvMatchesPlan !== true) strays.push(label)
  t.strictSame(strays, ["A7"])
})

t.test("two lines of work failed and say why", async (t) => {
  const failures: string[] = []
  for await (const { attemptId, outcome } of reader.items("attempts", { roomId })) {
    if (outcome !== "failed" && outcome !== "preflight_failed") continue
    const { label, events, metrics } = await reader.read("attempt", { attemptId })
    const why = textOf(events.at(-1)?.failure?.explanation) ?? ""
    const broke = metrics.some(({ value }) => value === "NaN")
    failures.push(
      `${label} ${outcome} ${/^NaN/.test(why) && broke ? "NaN" : /^Out of memory/.test(why) ? "memory" : "?"}`,
    )
  }
  t.strictSame(failures, [
    "A24 failed NaN",
    "A25 failed NaN",
    "A26 failed NaN",
    "A28 preflight_failed memory",
    "A29 failed memory",
  ])
})

t.test("one reproduction succeeds and another fails", async (t) => {
  t.strictSame(await evidenceOf("F1"), [
    "F2 reproduction null uncounted independent",
    "L1 research_link corrects uncounted independent",
    "A6 reproduction reproduces counted independent",
  ])
  const [lucky] = (await reader.read("attempts", { roomId, label: "A27" })).items
  const { reproduction, registrant } = await reader.read("attempt", { attemptId: lucky?.attemptId as string })
  t.match(reproduction, { verdict: "does_not_reproduce" })
  t.equal(registrant.userId, owner.userId, "by another person than the author of the lucky run")
})

t.test("a retraction affects the records that rested on it, and nothing else", async (t) => {
  const warned: string[] = []
  for (const { versionId, label } of records)
    for (const { code, label: cause } of (await reader.read("record", { versionId })).warnings as {
      code: string
      label: string
    }[])
      if (code === "rests_on_retracted") warned.push(`${label} for ${cause}`)
  t.strictSame(warned, ["H3 for F3"])
  const { items } = await reader.read("record_uses", { versionId: idOf("F3") })
  t.strictSame(
    items.map(({ how, by }) => `${how} ${by.label ?? by.kind}`),
    ["citation checkpoint", "role H3", "premise H3"],
  )
  t.strictSame(
    (await evidenceOf("H2")).filter((each) => each.startsWith("F3")),
    ["F3 finding_link contradicts fallen independent", "F3 reference contradicts fallen independent"],
  )
  t.match(await tallyOf("H2"), { supports: 3, contradicts: 0, doubted: 1 }, "its verdict no longer counts")
})

t.test("one Thread is concluded and stale, another concluded and fresh, and the Room's own synthesis is open", (t) => {
  t.strictSame(
    context.conclusions.map(({ stale, staleReasons }) => [
      stale,
      staleReasons.map(({ code, label }) => `${code} ${label}`),
    ]),
    [
      [true, ["citation_fallen F3", "citation_in_doubt H3", "published_since F4"]],
      [false, []],
    ],
  )
  t.match(context.syntheses, [{ state: "open", threadId: demo.rooms.main.openingThreadId }])
  t.equal(context.openQuestions.length, 3)
  t.notOk(context.concluded)
  t.end()
})

t.test("findings compete; of the disputes, one is answered, one withdrawn and one stands", async (t) => {
  t.match(await tallyOf("H4"), { supports: 1, contradicts: 1, independent: 1 })
  const links: string[] = []
  for await (const { label, kind, target, withdrawn } of reader.items("room_links", { roomId }))
    links.push(`${label} ${kind} ${target.label} ${target.status}${withdrawn === null ? "" : " withdrawn"}`)
  const [answered] = (await reader.read("record", { versionId: idOf("F5") })).notices
  t.match(answered, { kind: "disputes", answered: { by: "supersession" } })
  t.strictSame(links, [
    "L1 corrects F1 corrected",
    "L2 retracts F3 retracted",
    "L3 disputes F5 superseded",
    "L4 supersedes F5 superseded",
    "L5 disputes H5 disputed",
    "L6 disputes F8 current withdrawn",
  ])
})

t.test("a cited claim states a relation, without the margin that a prediction states", async (t) => {
  const told: string[] = []
  for (const { versionId, label, kind } of records) {
    if (kind !== "cited_claim") continue
    const { content } = await reader.read("record", { versionId })
    const { assertion, quote } = content as unknown as {
      assertion: { predicate: { key: string }; roles: { value: { type: string } }[] }
      quote: string
    }
    t.ok(quote.length > 40 && assertion.roles.every(({ value }) => value.type === "text"), label)
    told.push(`${label} ${assertion.predicate.key}`)
  }
  t.strictSame(told, ["C1 bounded_by", "C2 exceeds", "C3 exceeds"])
})

t.test("materials are consumed and produced", async (t) => {
  const { items } = await reader.read("room_materials", { roomId })
  const [problems, taught] = await Promise.all(items.map(({ materialId }) => reader.read("material", { materialId })))
  t.match(problems, { label: "M1", consumedBy: { total: 35 }, requiredBy: { total: 7 }, obtainability: "obtainable" })
  t.match(taught, { label: "M2", producedBy: { total: 1, items: [{ label: "A32", name: "weights.json" }] } })
})
