/** The demo's main Room tells a whole story of work, and every read of it holds to its definition. */
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { checking } from "./checking.ts"

const demo = await startResearchRoom({ deterministic: true })
t.teardown(() => demo.close())
const reader = demo.client("main_member_all", { fetch: checking(globalThis.fetch), retries: 0 })
const { roomId } = demo.rooms.main
const { owner, member } = demo.people

t.test("an experiment proposed, amended, taken and planned with two arms", async (t) => {
  const [listed, ...more] = (await reader.read("experiments", { roomId })).items
  t.same(more, [])
  const experiment = await reader.read("experiment", { experimentId: listed?.experimentId as string })
  t.match(experiment, {
    label: "E1",
    status: "completed",
    proposer: { userId: member.userId },
    assignee: { userId: owner.userId },
    plans: 1,
    hypotheses: [{ label: "H1" }],
  })
  t.match(experiment.attempts, { total: 4, succeeded: 3, failed: 1 })
  const { items } = await reader.read("experiment_history", { experimentId: experiment.experimentId })
  t.same(
    items.map(({ operation }) => operation),
    ["propose_experiment", "amend_experiment", "take_experiment", "accept_plan", "report_experiment_status", "report_experiment_status"],
    "and completed",
  )
  t.ok(
    items.every(({ at }, index) => index === 0 || at > (items[index - 1]?.at as string)),
    "told in the order of its own clock",
  )
  const plan = await reader.read("plan", { planId: experiment.acceptedPlans[0]?.planId as string })
  t.match(plan, {
    label: "P1",
    content: { protocol: { arms: [{ name: "no warm-up" }, { name: "warm-up of 400 steps" }] } },
    requiredMaterials: [{ material: { label: "M1", obtainability: "obtainable" } }],
  })
})

t.test("attempts that failed and succeeded, a rerun, and another member's reproduction", async (t) => {
  const items = [...(await reader.read("attempts", { roomId })).items].sort((one, other) => (one.label < other.label ? -1 : 1))
  t.same(
    items.map(({ label, intent, outcome, registrant, planMatch }) => [
      label,
      intent,
      outcome,
      registrant.username,
      planMatch?.argvComparedWith ?? null,
    ]),
    [
      ["A1", "planned", "succeeded", owner.username, "no warm-up"],
      ["A2", "planned", "failed", owner.username, "warm-up of 400 steps"],
      ["A3", "rerun", "succeeded", owner.username, "warm-up of 400 steps"],
      ["A4", "reproduction", "succeeded", member.username, null],
    ],
  )
  t.ok(
    items.slice(0, 3).every(({ planMatch }) => planMatch?.deviations.length === 0),
    "the planned ones keep to the plan",
  )
  const [baseline, diverged, rerun, reproduction] = await Promise.all(items.map(({ attemptId }) => reader.read("attempt", { attemptId })))
  t.match(diverged?.metrics, [{ name: "loss", value: "NaN", step: 200 }], "a diverged run is told as it was")
  t.match(reproduction, {
    reproduces: { attemptId: rerun?.attemptId },
    repository: { commit: demo.repositories.public.otherCommit },
    intendedDeviation: /later commit/,
  })
  for (const attempt of [baseline, rerun, reproduction]) {
    const { columns } = await reader.read("attempt_metrics", { attemptId: attempt?.attemptId as string })
    t.same(columns.step, [0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000])
    t.ok(
      attempt?.events.every(({ reportedAt, receivedAt }) => reportedAt === null || reportedAt < receivedAt),
      "told after it happened",
    )
  }
  const last = (attempt: typeof baseline) => attempt?.metrics[0]?.value as number
  t.ok(last(baseline) - last(rerun) > 0.05, "the numbers bear the conclusion out")
})

t.test("materials in and out", async (t) => {
  const { items } = await reader.read("room_materials", { roomId })
  const [counts, losses] = await Promise.all(items.slice(0, 2).map(({ materialId }) => reader.read("material", { materialId })))
  t.match(counts, { label: "M1", consumedBy: { total: 4 }, requiredBy: { total: 1 }, obtainability: "obtainable" })
  t.match(losses, { label: "M2", producedBy: { total: 1, items: [{ label: "A3", name: "metrics.json" }] } })
})
