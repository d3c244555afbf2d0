/**
 * The opening of a sealed plan compares its attempts with it, and has every effect worked out again that rests on them,
 * while everybody's writes wait. Others must not make it endless, nor keep the plan sealed: they are bounded before.
 */
import { createHash, randomBytes } from "node:crypto"
import t from "tap"
import canonicalize from "canonicalize"
import type { WriteInput } from "research-room/client"
import { limits } from "../../../src/contract/limits.ts"
import { Filler } from "../record/filler.ts"
import { finding } from "../../support/bodies.ts"
import { openLab, refusalOf } from "../../support/lab.ts"

/** Milliseconds of processor time for the most that is accepted, with the client's own work. */
const BEARABLE = 900
const EFFECTS = 12
const PLANS = 3

t.setTimeout(300_000)
const lab = await openLab(t)
const room = await lab.room()
const { roomId, threadId, ada, grace } = room
const filler = new Filler(lab.file)
t.teardown(() => filler.close())
const owner = filler.person("ada")
const { url, commit } = lab.house.repositories.public
const repository = { url, commit }
const reportedAt = "2026-11-20T09:30:00.000Z"

const protocol: WriteInput<"open_plan">["protocol"] = {
  summary: "Compare both arms.",
  steps: [],
  arms: ["baseline", "shift"].map((name) => ({ name, argv: ["python", "mlp.py", `--${name}`] })),
}
const salt = randomBytes(16).toString("hex")
const digest = `sha256:${createHash("sha256")
  .update(canonicalize({ protocol, salt }) ?? "")
  .digest("hex")}`
const sealed = { digest, opensAt: new Date(Date.now() + 30 * 86_400_000).toISOString() }

/** Sealed plans, and an attempt for each that ended. */
const { experimentId, planned } = await filler.fill(() => {
  const { experimentId } = filler.does(owner, "propose_experiment", {
    ...{ roomId, threadId, question: "Which?", scope: "Here.", hypotheses: [] },
  }).result
  filler.does(owner, "take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const planned = Array.from({ length: PLANS }, (_, index) => {
    const expected = { expectedRevision: 2 + index, expectedStatus: "claimed" } as const
    const { planId } = filler.does(owner, "accept_plan", {
      ...{ experimentId, ...expected, repository, sealed, intent: "confirmatory" as const },
      ...{ hypotheses: [], premises: [], requiredMaterials: [] },
    }).result
    const attemptId = filler.instance.world.id()
    filler.does(owner, "register_attempt", {
      ...{ attemptId, experimentId, planId, repository, intent: "planned", inputs: [], configuration: {} },
      ...{ argv: ["python", "mlp.py", "--shift"], expectedRevision: 3 + index, expectedStatus: "claimed" },
    })
    const at = { attemptId, reportedAt }
    const started = { event: "started", expectedRevision: 1, expectedStatus: "registered" } as const
    filler.does(owner, "report_attempt_event", { ...at, ...started })
    filler.does(owner, "report_attempt_event", {
      ...{ ...at, event: "succeeded", expectedRevision: 2, expectedStatus: "started" },
      metrics: ["error", "loss"].flatMap((name) =>
        Array.from({ length: 20 }, (_, of) => ({
          ...{ name, value: (of * 7_919) % 1_009, dimensions: { half: of % 2 ? "second" : "first", seed: of >> 1 } },
        })),
      ),
    })
    return { planId, attemptId }
  })
  return { experimentId, planned }
})
const [one, other, third] = planned
if (one === undefined || other === undefined || third === undefined) throw new Error("there are three plans")

type Effects = NonNullable<WriteInput<"publish_finding">["effects"]>
/** A finding with effects that rest on an attempt. */
const resting = (attemptId: string, effects: number, repeats?: Effects[number]["repeats"]) => ({
  ...finding(room),
  provenance: { papers: [], execution: { experimentId, attemptIds: [attemptId], baselineAttemptIds: [] } },
  effects: Array.from({ length: effects }, () => ({
    ...{ metric: "error", of: { half: "second" }, against: { half: "first" }, over: "seed", experimentId },
    ...(repeats && { repeats }),
  })),
})
const open = ({ planId }: { planId: string }) => ada.write("open_plan", { planId, protocol, salt })
/** Opens a plan. @returns milliseconds of processor time */
async function opening(plan: { planId: string }): Promise<number> {
  const before = process.threadCpuUsage()
  await open(plan)
  const { user, system } = process.threadCpuUsage(before)
  return Math.round((user + system) / 1_000)
}

t.test("a finding with too many effects on a sealed plan is refused, and the plan still opens in time", async (t) => {
  const findings = await filler.fill(() =>
    Array.from(
      { length: limits.movedEffects / EFFECTS },
      () => filler.does(owner, "publish_finding", resting(one.attemptId, EFFECTS)).result.versionId,
    ),
  )
  const refused = (rest: string) => ({
    ...{ status: 422, refusal: "invalid_schema" },
    issues: [{ path: "/effects", message: `would have more than 300 effects worked out again that rest on ${rest}` }],
  })
  const more = resting(one.attemptId, 1)
  t.match(await refusalOf(grace.write("publish_finding", more)), refused("P1: open it first"))
  const [versionId = ""] = findings
  const repeating = resting(other.attemptId, 1, { versionId, effect: 0 })
  t.match(await refusalOf(grace.write("publish_finding", repeating)), refused("P1 and P2: open them first"))
  await grace.write("publish_finding", resting(other.attemptId, EFFECTS))

  const took = await opening(one)
  t.ok(took < BEARABLE, `${limits.movedEffects} effects are worked out again in ${took} ms`)
  await grace.write("publish_finding", more)
})

t.test("so is a late report of values that would be too many for all effects on the plan together", async (t) => {
  const { attemptId } = other
  const onLoss = resting(attemptId, EFFECTS).effects.map((effect) => ({ ...effect, metric: "loss" }))
  await grace.write("publish_finding", { ...resting(attemptId, EFFECTS), effects: onLoss })
  let revision = 3
  const late = (name: string, count: number) => ({
    ...{ attemptId, event: "progress" as const, late: true, reportedAt },
    ...{ expectedRevision: revision, expectedStatus: "succeeded" as const },
    metrics: Array.from({ length: count }, (_, of) => ({
      ...{ name, value: of, dimensions: { half: "first", seed: revision * 10_000 + of } },
    })),
  })
  // About half of what is accepted for each metric.
  await filler.fill(() => {
    for (; revision < 20; revision += 1)
      filler.does(owner, "report_attempt_event", late(revision % 2 ? "error" : "loss", 500))
  })
  t.match(await refusalOf(ada.write("report_attempt_event", late("error", 2))), {
    status: 422,
    issues: [
      {
        path: "/metrics",
        message:
          /^would have 24 effects from 102,480 values, of at most 100,000, worked out again that rest on P2: open/,
      },
    ],
  })
  await ada.write("report_attempt_event", late("time", 2))
  revision += 1
  await open(other)
  await ada.write("report_attempt_event", late("error", 2))
})

t.test("so is another attempt once as many follow the sealed plan as its opening can compare", async (t) => {
  const registered = () => ({
    ...{ attemptId: filler.instance.world.id(), experimentId, planId: third.planId, repository, inputs: [] },
    ...{ intent: "planned" as const, configuration: {}, argv: ["python", "mlp.py", "--shift"] },
    ...{ expectedRevision: 2 + PLANS, expectedStatus: "claimed" as const },
  })
  await filler.fill(() => {
    for (let count = 1; count < limits.sealedAttempts; count += 1) filler.does(owner, "register_attempt", registered())
  })
  t.match(await refusalOf(ada.write("register_attempt", registered())), {
    status: 422,
    issues: [{ path: "/planId", message: "is of a sealed plan that 1,000 attempts follow: open it first" }],
  })
  const took = await opening(third)
  t.ok(took < BEARABLE, `${limits.sealedAttempts} attempts are compared in ${took} ms`)
  await ada.write("register_attempt", registered())
})
