/** First chapter: what training on verifiable rewards does to one try and to many, shown, reproduced and corrected. */
import { digestOf } from "../contract/json.ts"
import { type Attempt, commandOf, type Experiment, type Lab } from "./lab.ts"
import { mean, named, shown } from "./numbers.ts"
import { PROBLEMS, SAMPLES, tasks, WAYS } from "./problems.ts"
import { about, cites, finds, margin, predicts, role, type PublishedRecord } from "./records.ts"
import { defaults } from "./simulation.ts"

/** What later chapters build on. */
export interface Sharpening {
  readonly bounded: PublishedRecord
  readonly rises: PublishedRecord
  readonly falls: PublishedRecord
  readonly finding: PublishedRecord
  readonly plain: readonly Attempt[]
  readonly experiment: Experiment
}

const RISE = "0.08"
const FALL = "0.10"
const SEEDS = [1, 2, 3, 4, 5]

async function material(lab: Lab, threadId: string): Promise<void> {
  const reference = digestOf(JSON.stringify(tasks))
  const { result } = await lab.narrator.does(
    lab.owner,
    "register_material",
    {},
    {
      roomId: lab.roomId,
      threadId,
      reference,
      name: "The problems, both splits",
      description: `For each of ${PROBLEMS} problems a split: what it suggests, and how often each of ${WAYS} ways solves it.`,
      mediaType: "application/json",
      sizeBytes: Buffer.byteLength(JSON.stringify(tasks)),
      location: "https://data.example.org/toy/problems.json",
    },
  )
  lab.materialId = result.materialId
  const report = { materialId: result.materialId, uri: "https://mirror.example.net/toy/problems.json" }
  await lab.narrator.does(lab.member, "report_material_location", {}, { ...report, state: "available", observedDigest: reference })
}

async function predictions(lab: Lab, threadId: string) {
  const { owner, member } = lab
  await lab.says(
    owner,
    threadId,
    `Two papers look at the same curves and disagree. One says that training on verifiable rewards only makes a model find *faster* what it could find already; the other says that, trained for long enough, it finds what it could not.\n\nLet us settle it where everything can be counted. Our toy chooses among ${WAYS} ways of solving a problem. The base policy as good as never takes the last one, and some problems yield to nothing else. A problem solved with probability $p$ at one try is solved within $k$ with\n\n$$\\text{pass@}k = 1 - (1 - p)^k,$$\n\nso we compute it exactly: no sampling noise in what we measure, only in what is learned.`,
  )
  const bounded = await cites(lab, owner, {
    threadId,
    wording: "What a model can solve after training on verifiable rewards is bounded by what its base model can solve.",
    predicate: "bounded_by",
    roles: [
      role("bounded", "What is said to have a bound.", "the reasoning of models trained with verifiable rewards"),
      role("bound", "What bounds it.", "the base model, sampled many times"),
      role("measure", "By what the two are compared.", "pass@k at large k"),
    ],
    concepts: {
      verifiable_rewards: { label: "verifiable rewards", definition: "A reward that a program gives for a right final answer." },
    },
    scope: "The models, algorithms and benchmarks of the paper.",
    arxivId: "2504.13837",
    quote: "reasoning abilities originate from and are bounded by the base model",
  })
  const rises = await predicts(lab, owner, {
    threadId,
    wording: `Training with GRPO for ${defaults.steps} steps raises held-out pass@1 by at least ${RISE}.`,
    predicate: "raises",
    roles: [
      { role: "cause", definition: "What is done to the base policy.", value: { type: "concept", key: "grpo" } },
      { role: "effect", definition: "What is measured.", value: { type: "concept", key: "one_try" } },
      margin("margin", "The smallest rise that counts.", RISE),
    ],
    concepts: {
      grpo: {
        label: "GRPO",
        definition: "Policy gradients on the reward of a sample less the mean of its group, over their spread; no value model.",
      },
      one_try: { label: "pass@1", definition: "The share of problems solved at one try, in expectation." },
    },
    references: [about(bounded, "related", "The half that nobody disputes: one try gets better.")],
  })
  const falls = await predicts(lab, owner, {
    threadId,
    wording: `The same training lowers held-out pass@${SAMPLES} by at least ${FALL}.`,
    predicate: "lowers",
    roles: [
      {
        role: "cause",
        definition: "The training, as the first prediction names it.",
        value: { type: "concept_ref", versionId: rises.versionId, key: "grpo" },
      },
      { role: "effect", definition: "What is measured.", value: { type: "concept", key: "coverage" } },
      margin("margin", "The smallest fall that counts.", FALL),
    ],
    concepts: { coverage: { label: "coverage", definition: `pass@${SAMPLES}: the share of problems solved within ${SAMPLES} tries.` } },
    premises: [{ versionId: rises.versionId, explanation: "Where nothing is learned, nothing can be lost by learning it." }],
    references: [about(bounded, "derived_from", "A bound from above, made into a number that can come out wrong.")],
  })
  const doubt = await lab.says(
    member,
    threadId,
    `I bet against ${falls.label}. Why should the policy *forget* the rare ways? Nothing punishes it for taking them on problems where they work.`,
    falls.entryId,
    60,
  )
  await lab.says(
    owner,
    threadId,
    "Nothing punishes it there, but everything rewards the common way elsewhere, and the weights are shared. Each step toward it is a step away from the others on *every* problem.",
    doubt,
  )
  return { bounded, rises, falls }
}

/** Tells the chapter. */
export async function tellSharpening(lab: Lab, threadId: string): Promise<Sharpening> {
  const { owner, member } = lab
  const { bounded, rises, falls } = await predictions(lab, threadId)
  await material(lab, threadId)
  const experiment = await lab.experiment({
    threadId,
    proposer: member,
    assignee: owner,
    question: `What does GRPO do to held-out pass@1 and pass@${SAMPLES}?`,
    scope: "The default settings, three seeds.",
    amended: {
      scope: `The default settings, ${SEEDS.length} seeds.`,
      explanation: "With three seeds one odd run is a third of the evidence.",
    },
    hypotheses: [rises.versionId, falls.versionId],
    summary: `${SEEDS.length} runs that differ in their seed only; compare the end of each with its own step 0.`,
    success: "Both margins, in the mean over all seeds.",
    arms: SEEDS.map((seed) => ({ name: `seed ${seed}`, settings: { seed } })),
  })
  const plain = await lab.runsAll(experiment)

  const base = (name: "pass@1" | "pass@64") => mean(plain, name, { step: 0 })
  const wrong = mean(plain, "pass@64", { split: "train" })
  const right = mean(plain, "pass@64")
  const finding = await finds(lab, owner, {
    threadId,
    experiment,
    wording: `Over ${SEEDS.length} seeds, GRPO raises held-out pass@1 from ${shown(base("pass@1"))} to ${shown(mean(plain, "pass@1"))} and lowers held-out pass@${SAMPLES} from ${shown(base("pass@64"))} to ${shown(wrong)}.`,
    predicate: "lowers",
    roles: [
      role("cause", "What is done to the base policy.", `${defaults.steps} steps of GRPO`),
      margin("rise", "By how much pass@1 is higher at the end.", shown(mean(plain, "pass@1") - base("pass@1"))),
    ],
    outcome: "positive",
    attempts: plain,
    references: [
      about(rises, "supports", "The rise is larger than the margin."),
      about(bounded, "supports", "Nothing was added; some was lost."),
    ],
    limitations: "One set of problems. A policy over single ways cannot combine two of them into a third.",
    toward: [
      {
        hypothesis: rises,
        verdict: "supports",
        explanation: `A rise of ${shown(mean(plain, "pass@1") - base("pass@1"))}, where ${RISE} was predicted.`,
      },
      { hypothesis: falls, verdict: "supports", explanation: `The fall is larger than ${FALL} in every seed.` },
    ],
    answers: { verdict: "answers", explanation: "One try gets better, many tries get worse." },
  })
  const again = await lab.attempt(experiment.experimentId, {
    by: member,
    settings: { seed: 11 },
    more: {
      intent: "reproduction",
      reproduces: { findingVersionId: finding.versionId },
      repository: { url: lab.repository.url, commit: lab.repository.otherCommit },
      intendedDeviation: "A seed that nobody has used, at the later commit.",
    },
    told: (attempt) => ({
      reproduction: {
        verdict: "reproduces",
        explanation: `${attempt.label} ends at a held-out pass@1 of ${shown(attempt.value("pass@1"))} and a pass@${SAMPLES} of ${shown(attempt.value("pass@64"))}.`,
      },
    }),
  })
  await lab.says(
    member,
    threadId,
    `${again.label} reproduces it: held-out pass@${SAMPLES} ends at ${shown(again.value("pass@64"))}. I lose the bet. But I cannot find ${shown(wrong)} in the held-out split of ${named(plain)}; it looks like the *train* split to me.`,
    finding.entryId,
  )
  await lab.narrator.does(
    member,
    "assert_correction",
    {},
    {
      targetVersionId: finding.versionId,
      explanation: `${shown(wrong)} is the mean of ${named(plain)} on the train split.`,
      correction: `Read ${shown(right)} for ${shown(wrong)}, the mean on the held-out split. The fall is then ${shown(base("pass@64") - right)}, and the verdict stands.`,
    },
    25,
  )
  await lab.says(
    owner,
    threadId,
    "You are right, and thank you for looking. The columns stand next to each other in `metrics.json`.",
    finding.entryId,
  )
  const everyone = [...plain, again]
  await finds(lab, member, {
    threadId,
    experiment,
    wording: `With a seed that nobody had used, held-out pass@1 ends at ${shown(again.value("pass@1"))} and pass@${SAMPLES} at ${shown(again.value("pass@64"))}; over all ${everyone.length} runs of two people the means are ${shown(mean(everyone, "pass@1"))} and ${shown(mean(everyone, "pass@64"))}.`,
    predicate: "lowers",
    roles: [
      role("cause", "What is done to the base policy.", `${defaults.steps} steps of GRPO`),
      margin("fall", "By how much pass@64 is lower at the end of the new run.", shown(base("pass@64") - mean([again], "pass@64"))),
    ],
    outcome: "positive",
    attempts: everyone,
    references: [about(finding, "related", "It was to be reproduced, and is, as corrected.")],
    limitations: "The same problems and the same program; only the seed and the person differ.",
    toward: [
      { hypothesis: rises, verdict: "supports", explanation: "I had no quarrel with this one." },
      { hypothesis: falls, verdict: "supports", explanation: "I had bet against it." },
    ],
    answers: { verdict: "answers", explanation: "As the first finding, corrected, says." },
  })
  await lab.completes(
    experiment,
    `pass@1 rose to ${shown(mean(plain, "pass@1"))} and pass@${SAMPLES} fell to ${shown(right)} on the held-out split; ${again.label} reproduces it. Command of a run: ${commandOf({ seed: 1 }).join(" ")}.`,
  )
  return { bounded, rises, falls, finding, plain, experiment }
}
