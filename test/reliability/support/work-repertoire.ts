/** Writes about experiments and attempts. All are guarded by what their sender last read, and contended for. */
import { randomBytes, randomUUID } from "node:crypto"
import { action, proposal } from "../../support/bodies.ts"
import { type Kind, type Scene, someThread, words } from "./repertoire.ts"
import type { KnownExperiment } from "./shelf.ts"

const common = () => ({ schemaVersion: 3, requestId: randomUUID() })
const argv = ["python", "train.py", "--warmup", "400"]

/** An experiment with a given property, as far as the agent knows. */
function some({ shelf, chance, agent }: Scene, when: (known: KnownExperiment) => boolean): KnownExperiment | undefined {
  return chance.of(
    shelf.experiments.filter((known) => (agent.threadIds?.includes(known.threadId) ?? true) && when(known)),
  )
}
const expecting = ({ experimentId, revision, status }: KnownExperiment) => ({
  ...common(),
  experimentId,
  expectedRevision: revision,
  expectedStatus: status,
})
const held =
  ({ agent }: Scene) =>
  ({ status, assigneeId }: KnownExperiment) =>
    assigneeId === agent.userId && (status === "claimed" || status === "in_progress")

const propose: Kind = (scene) => {
  const named = scene.chance.of(scene.shelf.records("hypothesis"))
  const hypotheses = named === undefined ? [] : [named.versionId]
  return {
    name: "propose_experiment",
    body: action({ ...proposal({ roomId: scene.roomId, threadId: someThread(scene) }), hypotheses }),
  }
}

const amend: Kind = (scene) => {
  const known = some(scene, ({ status, proposerId }) => status === "open" && proposerId === scene.agent.userId)
  return (
    known && {
      name: "amend_experiment",
      body: { ...expecting(known), scope: words(scene.chance).slice(0, 4_000), explanation: "Too wide." },
    }
  )
}

/** All want the same few: of several takers one wins. */
const take: Kind = (scene) => {
  const known = some(scene, ({ status }) => status === "open")
  return known && { name: "take_experiment", body: expecting(known) }
}

const release: Kind = (scene) => {
  const known = some(scene, held(scene))
  return (
    known && { name: "release_experiment", body: { ...expecting(known), handoff: words(scene.chance).slice(0, 4_000) } }
  )
}

const reportStatus: Kind = (scene) => {
  const known = some(scene, held(scene))
  if (known === undefined) return undefined
  const next =
    known.status === "claimed" ? { status: "in_progress" } : { status: "completed", summary: "Both arms ran." }
  return { name: "report_experiment_status", body: { ...expecting(known), ...next } }
}

const acceptPlan: Kind = (scene) => {
  const known = some(scene, held(scene))
  const protocol = { summary: "Two arms.", steps: ["Run both."], arms: [{ name: "with", argv }] }
  const planned = {
    repository: scene.repository,
    hypotheses: [],
    premises: [],
    protocol,
    intent: "confirmatory",
    requiredMaterials: [],
  }
  return known && { name: "accept_plan", body: { ...expecting(known), ...planned } }
}

const registerAttempt: Kind = (scene) => {
  const known = some(scene, held(scene))
  if (known === undefined) return undefined
  const intent = known.planId === null ? { intent: "exploratory" } : { intent: "planned", planId: known.planId }
  const execution = {
    repository: scene.repository,
    argv,
    configuration: { seed: scene.chance.between(1, 99) },
    inputs: [],
  }
  return { name: "register_attempt", body: { ...expecting(known), attemptId: randomUUID(), ...intent, ...execution } }
}

const reportEvent: Kind = ({ shelf, chance, agent }) => {
  const own = ({ registrantId, status, threadId }: (typeof shelf.attempts)[number]) =>
    registrantId === agent.userId &&
    (status === "registered" || status === "started") &&
    (agent.threadIds?.includes(threadId) ?? true)
  const known = chance.of(shelf.attempts.filter(own))
  if (known === undefined) return undefined
  const { attemptId, revision, status } = known
  const event = status === "registered" ? "started" : chance.oneIn(3) ? "succeeded" : "progress"
  const metrics = Array.from({ length: chance.between(1, 40) }, (_, step) => ({
    name: "loss",
    value: 4 - step / 100,
    step,
  }))
  const digest = `sha256:${randomBytes(32).toString("hex")}`
  const outputs = event === "succeeded" ? { outputs: [{ outputLabel: "metrics.json", digest }], exitCode: 0 } : {}
  const told = { event, reportedAt: new Date().toISOString(), ...(event === "started" ? {} : { metrics }), ...outputs }
  return {
    name: "report_attempt_event",
    body: { ...common(), attemptId, expectedRevision: revision, expectedStatus: status, ...told },
  }
}

const linkFinding: Kind = (scene) => {
  const known = some(scene, () => true)
  const finding = scene.chance.of(scene.shelf.records("finding"))
  if (known === undefined || finding === undefined) return undefined
  const verdict = { towardHypothesis: [], towardQuestion: { verdict: "partly_answers", explanation: "For one size." } }
  const body = { ...common(), experimentId: known.experimentId, findingVersionId: finding.versionId, ...verdict }
  return { name: "link_experiment_finding", body }
}

/** Each kind with its weight. */
export const work: readonly (readonly [Kind, number])[] = [
  [propose, 4],
  [amend, 2],
  [take, 5],
  [release, 2],
  [reportStatus, 2],
  [acceptPlan, 3],
  [registerAttempt, 4],
  [reportEvent, 6],
  [linkFinding, 2],
]
