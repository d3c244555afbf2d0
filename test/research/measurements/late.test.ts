/**
 * A late report of metrics has every effect worked out again that rests on them, while everybody's writes wait: it is
 * bounded, whatever the findings name.
 */
import t from "tap"
import { limits } from "../../../src/contract/limits.ts"
import { Filler } from "../record/filler.ts"
import { finding } from "../../support/bodies.ts"
import { openLab, refusalOf } from "../../support/lab.ts"

/** Milliseconds of processor time for the most that is accepted, with the client's own work. */
const BEARABLE = 600
const EFFECTS = 12

t.setTimeout(300_000)
const lab = await openLab(t)
const room = await lab.room()
const { roomId, threadId, ada } = room
const filler = new Filler(lab.file)
t.teardown(() => filler.close())
const owner = filler.person("ada")
const { url, commit } = lab.house.repositories.public
const reportedAt = "2026-11-20T09:30:00.000Z"

const { experimentId, attemptId } = await filler.fill(() => {
  const { experimentId } = filler.does(owner, "propose_experiment", {
    ...{ roomId, threadId, question: "Which?", scope: "Here.", hypotheses: [] },
  }).result
  filler.does(owner, "take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  const attemptId = filler.instance.world.id()
  filler.does(owner, "register_attempt", {
    ...{ attemptId, experimentId, intent: "exploratory", inputs: [], argv: ["python", "mlp.py"], configuration: {} },
    ...{ repository: { url, commit }, expectedRevision: 2, expectedStatus: "claimed" },
  })
  const at = { attemptId, reportedAt }
  const started = { event: "started", expectedRevision: 1, expectedStatus: "registered" } as const
  filler.does(owner, "report_attempt_event", { ...at, ...started })
  filler.does(owner, "report_attempt_event", {
    ...at,
    ...{ event: "succeeded", expectedRevision: 2, expectedStatus: "started" },
    metrics: ["error", "loss"].flatMap((name) =>
      Array.from({ length: 20 }, (_, of) => ({
        ...{ name, value: (of * 7_919) % 1_009, dimensions: { arm: of % 2 ? "shift" : "baseline", seed: of >> 1 } },
      })),
    ),
  })
  return { experimentId, attemptId }
})

/** Publishes findings whose effects rest on the attempt. @returns their ids */
const rest = (findings: number, effects = EFFECTS) =>
  filler.fill(() => {
    const effect = { metric: "error", of: { arm: "shift" }, against: { arm: "baseline" }, over: "seed", experimentId }
    const published = () =>
      filler.does(owner, "publish_finding", {
        ...finding(room),
        provenance: { papers: [], execution: { experimentId, attemptIds: [attemptId], baselineAttemptIds: [] } },
        effects: Array.from({ length: effects }, () => effect),
      })
    return Array.from({ length: findings }, () => published().result.versionId)
  })
let revision = 3
const late = (name: string) => ({
  ...{ attemptId, event: "progress" as const, late: true, reportedAt },
  ...{ expectedRevision: revision, expectedStatus: "succeeded" as const },
  metrics: ["shift", "baseline"].map((arm) => ({
    ...{ name, value: arm.length * revision, dimensions: { arm, seed: 100 + revision } },
  })),
})
const report = async (name: string) => {
  const before = process.threadCpuUsage()
  await ada.write("report_attempt_event", late(name))
  revision += 1
  const { user, system } = process.threadCpuUsage(before)
  return Math.round((user + system) / 1_000)
}

t.test("as many effects as are accepted are worked out again in bounded time", async (t) => {
  const findings = await rest(limits.movedEffects / EFFECTS)
  const took = await report("error")
  t.ok(took < BEARABLE, `${limits.movedEffects} effects are worked out again in ${took} ms`)
  for (const versionId of [findings.at(0), findings.at(-1)]) {
    const { effects } = await lab.record({ versionId: versionId ?? "" })
    t.equal(effects.length, EFFECTS)
    for (const effect of effects) t.match(effect, { isStale: true, pairs: 10, now: { pairs: 11 } })
  }
})

t.test("more are refused with a sentence, and other metrics are not", async (t) => {
  await rest(1, 1)
  t.match(await refusalOf(ada.write("report_attempt_event", late("error"))), {
    status: 422,
    issues: [
      {
        path: "/metrics",
        message: "would have more than 300 effects worked out again that rest on A1: report it as another attempt",
      },
    ],
  })
  t.type(await report("loss"), "number")
  t.type(await report("time"), "number")
})
