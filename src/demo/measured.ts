/** A Room of numbers by arm and seed: a sealed plan, an effect that is reproduced, one that is not, and a board that cannot tell two apart. */
import { canonicalJson, digestOf } from "../contract/json.ts"
import { present } from "../contract/present.ts"
import type { Figure } from "../contract/definitions/figures.ts"
import type { InputOf } from "../contract/operations/index.ts"
import { AGAIN, type Arm, ARMS, apart, cells, FIRST, METRIC, program } from "./arms.ts"
import { Lab, type Member, type Repository } from "./lab.ts"
import type { Narrator } from "./narrator.ts"
import { shown } from "./numbers.ts"
import { margin, predicts, type PublishedRecord, role, scope } from "./records.ts"
import { coveragePlot } from "./picture.ts"
import { tasks } from "./problems.ts"

type Protocol = NonNullable<InputOf<"open_plan">["protocol"]>

interface Evaluation {
  readonly by: Member
  readonly arms: readonly Arm[]
  readonly seeds: readonly number[]
  readonly more: Pick<InputOf<"register_attempt">, "intent"> & Partial<InputOf<"register_attempt">>
  readonly told?: Partial<InputOf<"report_attempt_event">>
}

/** A run that a finding rests on. */
interface Run {
  readonly experimentId: string
  readonly planId: string
  readonly attemptId: string
  readonly digest: string
}

/** Registers an evaluation of several runs and reports what it measured and took. */
async function evaluates(lab: Lab, experimentId: string, { by, arms, seeds, more, told = {} }: Evaluation) {
  const { narrator, repository, materialId } = lab
  const attemptId = narrator.id()
  const { result } = await narrator.does(
    by,
    "register_attempt",
    {},
    {
      ...{ attemptId, experimentId, repository: { url: repository.url, commit: repository.commit }, argv: program(seeds) },
      ...{ configuration: lab.configuration, inputs: [{ materialId, name: "problems" }], ...more },
    },
    6,
  )
  const started = { attemptId, expectedRevision: 1, expectedStatus: "registered", event: "started", reportedAt: narrator.later(1) } as const
  await narrator.does(by, "report_attempt_event", {}, started, 2)
  const metrics = cells(arms, seeds)
  const digest = digestOf(JSON.stringify(metrics))
  const ended = { attemptId, expectedRevision: 2, expectedStatus: "started", event: "succeeded", reportedAt: narrator.later(5) } as const
  const outputs = [{ outputLabel: "coverage.json", digest, mediaType: "application/json" }]
  const cost = { wallSeconds: 12 * metrics.length }
  await narrator.does(by, "report_attempt_event", {}, { ...ended, metrics, outputs, cost, exitCode: 0, ...told }, 6)
  return { attemptId, label: result.label, digest }
}

/** Publishes what one difference came to, and links it with its hypothesis. */
async function finds(
  lab: Lab,
  run: Run,
  threadId: string,
  said: { arm: Arm; wording: string; hypothesis: PublishedRecord; explanation: string; figures?: Figure[] },
) {
  const { owner, narrator, roomId, materialId } = lab
  const { experimentId, planId, attemptId, digest } = run
  const { arm, wording, hypothesis, explanation, figures = [] } = said
  const published = await narrator.does(
    owner,
    "publish_finding",
    {},
    {
      ...{ kind: "finding", roomId, threadId, outcome: "positive", retrospective: false, scope, references: [] },
      effects: [{ experimentId, metric: METRIC, of: { arm }, against: { arm: "plain" }, over: "seed" }],
      assertion: {
        wording,
        predicate: { type: "concept", key: "differs" },
        roles: [role("of", "What differs.", arm), role("against", "From what.", "plain")],
      },
      concepts: { differs: { label: "differs", definition: "Has another mean over seeds, pair by pair." } },
      evidence: [{ kind: "attempt_output", attemptId, outputLabel: "coverage.json", digest, explanation: "What was measured." }],
      provenance: { execution: { experimentId, planId, attemptIds: [attemptId], baselineAttemptIds: [] }, papers: [] },
      materials: [{ materialId, purpose: "All arms were measured on it." }],
      limitations: "Three seeds.",
      ...(figures.length > 0 && { figures }),
    },
    45,
  )
  const { versionId, label } = published.result
  await narrator.does(
    owner,
    "link_experiment_finding",
    {},
    {
      ...{ experimentId, findingVersionId: versionId, attemptId },
      towardHypothesis: [{ versionId: hypothesis.versionId, verdict: "supports", explanation }],
      towardQuestion: { verdict: "partly_answers", explanation: "One difference, with its interval." },
    },
    10,
  )
  return { versionId, label, entryId: present(published.entry?.entryId) }
}

/** Tells the story and returns the Room. */
export async function tellMeasured(
  narrator: Narrator,
  owner: Member,
  member: Member,
  repository: Repository,
): Promise<{ roomId: string; openingThreadId: string }> {
  const { result: room } = await narrator.does(
    owner,
    "create_room",
    {},
    { title: "By how much, and how sure?", question: "How much coverage do four ways of training keep, over seeds?" },
  )
  const { roomId, openingThreadId: threadId } = room
  await narrator.does(owner, "add_member", { roomId }, { username: member.username })
  const lab = new Lab(narrator, { owner, member, roomId, repository })
  await lab.says(
    member,
    threadId,
    "How sure are we of differences of two hundredths? Let us report by arm and seed, say beforehand what we compare, and let the service work the intervals out.",
  )
  const data = digestOf(JSON.stringify(tasks["held-out"]))
  const registered = await narrator.does(
    member,
    "register_material",
    {},
    { roomId, threadId, reference: data, name: "The held-out problems", location: "https://data.example.org/toy/held-out.json" },
  )
  const { materialId } = registered.result
  lab.materialId = materialId
  const pin = { url: repository.url, commit: repository.commit }
  await narrator.does(
    member,
    "declare_board",
    {},
    {
      ...{ roomId, threadId, title: "Coverage at the end of training", metric: METRIC, direction: "higher", over: "seed" },
      ...{ baseline: { arm: "plain" }, evaluator: { repository: pin, argv: ["node", "evaluate.js"] } },
      data: [data],
    },
    15,
  )
  const RISE = "0.02"
  const keeps = await predicts(lab, member, {
    threadId,
    wording: `A penalty of weight ${ARMS.penalty.kl} keeps at least ${RISE} of coverage that plain training loses.`,
    predicate: "raises",
    roles: [role("cause", "What is added.", "a KL penalty"), margin("margin", "The smallest difference that counts.", RISE)],
  })
  const costs = await predicts(lab, owner, {
    threadId,
    wording: `Coverage at the end is lower with groups of ${ARMS["groups of 10"].group} samples than with groups of 8.`,
    predicate: "lowers",
    roles: [role("cause", "What is changed.", "the size of a group"), role("effect", "What is measured.", "coverage at the end")],
  })
  const hypotheses = [keeps.versionId, costs.versionId]
  const question = `By how much does coverage differ between four ways to train, over seeds?`
  const proposed = await narrator.does(member, "propose_experiment", {}, { roomId, threadId, question, scope, hypotheses }, 60)
  const { experimentId } = proposed.result
  await narrator.does(owner, "take_experiment", {}, { experimentId, expectedRevision: 1, expectedStatus: "open" }, 30)
  const protocol: Protocol = {
    summary: "Evaluate each arm at three seeds, and compare it with plain training seed by seed.",
    steps: ["Train each arm at seeds 12, 13 and 14.", "Report coverage by arm and seed, whatever it shows."],
    arms: [{ name: "all arms", argv: program(FIRST) }],
    successCriteria: ["The interval of the paired difference excludes zero."],
  }
  // Salts of a story are no secrets: they are told in it.
  const salt = digestOf(question).slice(-32)
  const sealed = { digest: digestOf(canonicalJson({ protocol, salt })), opensAt: narrator.later(7 * 24 * 60) }
  const accepted = await narrator.does(
    owner,
    "accept_plan",
    {},
    {
      ...{
        experimentId,
        expectedRevision: 2,
        expectedStatus: "claimed",
        repository: pin,
        hypotheses,
        premises: [],
        intent: "confirmatory",
      },
      ...{ requiredMaterials: [{ materialId, purpose: "All arms are measured on it." }], sealed, budget: { wallSeconds: 900 } },
    },
    20,
  )
  const { planId } = accepted.result
  const begun = { experimentId, expectedRevision: 3, expectedStatus: "claimed", status: "in_progress" } as const
  await narrator.does(owner, "report_experiment_status", {}, begun, 5)
  const held = { expectedRevision: 4, expectedStatus: "in_progress" } as const
  const arms: Arm[] = ["plain", "penalty", "early", "groups of 10"]
  const first = await evaluates(lab, experimentId, { by: owner, arms, seeds: FIRST, more: { intent: "planned", planId, ...held } })
  await narrator.does(owner, "open_plan", {}, { planId, protocol, salt }, 10)

  const run = { ...first, experimentId, planId }
  const gained = await finds(lab, run, threadId, {
    arm: "penalty",
    wording: `Over three seeds a penalty keeps ${shown(apart("penalty", FIRST))} of coverage.`,
    hypothesis: keeps,
    explanation: "The interval lies above the margin.",
    figures: [await coveragePlot(narrator, owner)],
  })
  const fewer = await finds(lab, run, threadId, {
    arm: "groups of 10",
    wording: `Over three seeds groups of 10 end with ${shown(-apart("groups of 10", FIRST))} less coverage.`,
    hypothesis: costs,
    explanation: "The interval excludes zero, if only just.",
  })

  const other = ({ versionId }: { versionId: string }) => ({
    ...{ intent: "reproduction" as const, reproduces: { findingVersionId: versionId } },
    repository: { url: repository.url, commit: repository.otherCommit },
  })
  const kept = await evaluates(lab, experimentId, {
    ...{ by: member, arms: ["plain", "penalty"], seeds: AGAIN, more: other(gained) },
    told: {
      reproduction: {
        verdict: "reproduces",
        explanation: `Ten other seeds at the later commit: ${shown(apart("penalty", AGAIN))}.`,
        repeats: { versionId: gained.versionId, effect: 0 },
      },
    },
  })
  const lost = await evaluates(lab, experimentId, {
    ...{ by: member, arms: ["plain", "groups of 10"], seeds: AGAIN, more: other(fewer) },
    told: {
      reproduction: {
        verdict: "does_not_reproduce",
        explanation: `Over ten other seeds groups of 10 end ${shown(apart("groups of 10", AGAIN))} above, not below.`,
        repeats: { versionId: fewer.versionId, effect: 0 },
      },
    },
  })
  await lab.says(
    member,
    threadId,
    `${kept.label} reproduces ${gained.label}. ${fewer.label} does not hold: in ${lost.label} the sign turns round. Three seeds were lucky. On the board the penalty and stopping early cannot be told apart, which is what we had suspected all along.`,
    fewer.entryId,
  )
  const summary = `The penalty keeps ${shown(apart("penalty", FIRST))}, and ten other seeds agree. What larger groups lost at three seeds is not there at ten.`
  await narrator.does(owner, "report_experiment_status", {}, { experimentId, ...held, status: "completed", summary }, 20)
  return { roomId, openingThreadId: threadId }
}
