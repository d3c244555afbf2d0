/**
 * An outcome has every effect worked out that its reproduction repeats, while everybody's writes wait: the values that
 * one write works out are bounded, and those of a batch, and what a sealed plan's opening works out again.
 */
import { createHash, randomBytes } from "node:crypto"
import t from "tap"
import canonicalize from "canonicalize"
import type { WriteInput } from "research-room/client"
import { Filler } from "../record/filler.ts"
import { ask } from "../../support/ask.ts"
import { finding, freshId } from "../../support/bodies.ts"
import { openLab, refusalOf } from "../../support/lab.ts"

/** Milliseconds of processor time for the most that is accepted, with the client's own work. */
const BEARABLE = 900
/** For a refusal, which works out nothing. */
const FAST = 150
const EFFECTS = 12
/** Values of an attempt for each effect: eleven effects are accepted, twelve are not. */
const VALUES = 9_000

t.setTimeout(300_000)
const lab = await openLab(t)
const room = await lab.room()
const { roomId, threadId, ada } = room
const filler = new Filler(lab.file)
t.teardown(() => filler.close())
const [owner, grace] = [filler.person("ada"), filler.person("grace")]
const { url, commit } = lab.house.repositories.public
const repository = { url, commit }
const reportedAt = "2026-11-20T09:30:00.000Z"
const protocol: WriteInput<"open_plan">["protocol"] = { summary: "Compare both.", steps: [], arms: [] }
const salt = randomBytes(16).toString("hex")
const digest = `sha256:${createHash("sha256")
  .update(canonicalize({ protocol, salt }) ?? "")
  .digest("hex")}`

type Report = Partial<WriteInput<"report_attempt_event">>
const values = (count: number, from = 0): NonNullable<Report["metrics"]> =>
  Array.from({ length: count }, (_, index) => {
    const of = from + index
    return {
      name: "error",
      value: (of * 7_919) % 1_009,
      dimensions: { half: of % 2 ? "second" : "first", seed: of >> 1 },
    }
  })
const { experimentId, versionId, planId } = await filler.fill(() => {
  const { experimentId } = filler.does(owner, "propose_experiment", {
    ...{ roomId, threadId, question: "Which?", scope: "Here.", hypotheses: [] },
  }).result
  filler.does(owner, "take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const attemptId = filler.instance.world.id()
  filler.does(owner, "register_attempt", {
    ...{ attemptId, experimentId, intent: "exploratory", inputs: [], argv: ["python", "mlp.py"], configuration: {} },
    ...{ repository, expectedRevision: 2, expectedStatus: "claimed" },
  })
  const at = { attemptId, reportedAt }
  filler.does(owner, "report_attempt_event", {
    ...{ ...at, event: "started", expectedRevision: 1, expectedStatus: "registered" },
  })
  filler.does(owner, "report_attempt_event", {
    ...{ ...at, event: "succeeded", expectedRevision: 2, expectedStatus: "started", metrics: values(20) },
  })
  const { versionId } = filler.does(owner, "publish_finding", {
    ...finding(room),
    provenance: { papers: [], execution: { experimentId, attemptIds: [attemptId], baselineAttemptIds: [] } },
    effects: Array.from({ length: EFFECTS }, () => ({
      ...{ metric: "error", of: { half: "second" }, against: { half: "first" }, over: "seed", experimentId },
    })),
  }).result
  const { planId } = filler.does(owner, "accept_plan", {
    ...{ experimentId, expectedRevision: 2, expectedStatus: "claimed", repository, intent: "confirmatory" },
    ...{ sealed: { digest, opensAt: new Date(Date.now() + 30 * 86_400_000).toISOString() } },
    ...{ hypotheses: [], premises: [], requiredMaterials: [] },
  }).result
  return { experimentId, versionId, planId }
})

/** A reproduction that has reported values and not ended. */
const reproducing = (count: number, more: Partial<WriteInput<"register_attempt">> = {}) =>
  filler.fill(() => {
    const attemptId = filler.instance.world.id()
    filler.does(grace, "register_attempt", {
      ...{ attemptId, experimentId, intent: "reproduction", reproduces: { findingVersionId: versionId }, inputs: [] },
      ...{ repository, argv: ["python", "mlp.py"], configuration: {}, ...more },
    })
    const at = { attemptId, reportedAt }
    filler.does(grace, "report_attempt_event", {
      ...{ ...at, event: "started", expectedRevision: 1, expectedStatus: "registered" },
    })
    let revision = 2
    for (let told = 0; told < count; told += 500, revision += 1)
      filler.does(grace, "report_attempt_event", {
        ...{ ...at, event: "progress", expectedRevision: revision, expectedStatus: "started" },
        metrics: values(Math.min(500, count - told), told),
      })
    return { attemptId, revision }
  })
const outcome = (
  { attemptId, revision }: { attemptId: string; revision: number },
  effects: number,
  more: Report = {},
  named: { attemptIds?: readonly string[] } = {},
) => ({
  ...{ attemptId, reportedAt, event: "succeeded" as const, expectedRevision: revision },
  expectedStatus: "started" as const,
  reproduction: {
    ...{ verdict: "reproduces" as const, explanation: "The same script, another machine." },
    repeats: Array.from({ length: effects }, (_, effect) => ({ versionId, effect, ...named })),
  },
  ...more,
})
/** Milliseconds of this thread's processor time. */
async function worked(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return Math.round((user + system) / 1_000)
}
const over = (count: string) => ({
  status: 422,
  issues: [
    {
      path: "/reproduction/repeats",
      message: `would be worked out from ${count} values, of at most 100,000: name fewer attempts or effects`,
    },
  ],
})

t.test("the values that a reproduction's effects are worked out from are bounded, its own outcome's too", async (t) => {
  const attempt = await reproducing(VALUES)
  const refused = await worked(async () => {
    t.match(await refusalOf(room.grace.write("report_attempt_event", outcome(attempt, EFFECTS))), over("108,000"))
  })
  t.ok(refused < FAST, `it is refused in ${refused} ms`)
  const late = { metrics: values(200, VALUES) }
  t.match(await refusalOf(room.grace.write("report_attempt_event", outcome(attempt, 11, late))), over("101,200"))
  const elsewhere = await reproducing(VALUES)
  t.match(
    await refusalOf(
      room.grace.write("report_attempt_event", outcome(elsewhere, 6, {}, { attemptIds: [attempt.attemptId] })),
    ),
    over("108,000"),
    "those of the attempts that it names with it count",
  )
  const took = await worked(() => room.grace.write("report_attempt_event", outcome(attempt, 11)))
  t.ok(took < BEARABLE, `as many as are accepted take ${took} ms`)
})

t.test("so are the effects that a batch repeats, which is one transaction", async (t) => {
  const attempts = await Promise.all([1, 2, 3].map(() => reproducing(20)))
  const writes = attempts.map((attempt) => ({
    operation: "report_attempt_event",
    body: { requestId: freshId(), schemaVersion: 3, ...outcome(attempt, EFFECTS) },
  }))
  const { token } = lab.house.credentials.member_all
  const send = (some: typeof writes) =>
    ask(`${lab.house.baseUrl}/api/agent/research/batch?rehearse=1`, { token, body: { writes: some } })
  t.match(await send(writes), {
    status: 422,
    body: { issues: [{ path: "/writes/2", message: "at most 24 effects may be in one batch" }] },
  })
  t.equal((await send(writes.slice(1))).status, 403, "24 are not too many: this credential is of another Room")
})

t.test("and what they add to a plan that is sealed, whose opening has them worked out again", async (t) => {
  const [one, other] = [await reproducing(VALUES, { planId }), await reproducing(VALUES, { planId })]
  await room.grace.write("report_attempt_event", outcome(one, 6))
  t.match(await refusalOf(room.grace.write("report_attempt_event", outcome(other, 6))), {
    status: 422,
    issues: [
      {
        path: "/reproduction/repeats",
        message:
          "would have 12 effects from 108,000 values, of at most 100,000, worked out again that rest on P1: " +
          "open it first",
      },
    ],
  })
  const took = await worked(() => ada.write("open_plan", { planId, protocol, salt }))
  t.ok(took < BEARABLE, `the plan opens in ${took} ms`)
  await room.grace.write("report_attempt_event", outcome(other, 6))
})
