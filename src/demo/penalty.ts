/** Third chapter: whether a penalty protects coverage. Two findings compete, a dispute is answered, one finding gives way to a narrower one. */
import type { Attempt, Lab } from "./lab.ts"
import { mean, named, shown } from "./numbers.ts"
import { SAMPLES } from "./problems.ts"
import { about, finds, margin, predicts, role, type PublishedRecord } from "./records.ts"
import type { Sharpening } from "./sharpening.ts"
import { defaults } from "./simulation.ts"

const WEIGHTS = [0.1, 0.3, 1]
const CHOSEN = 0.3
const GAIN = "0.03"
const CLOSE = "0.02"
/** The step at which a run without penalty has learned about as much as one with the chosen weight in all its steps. */
const EARLY = 80
const LATE = 160

/** Tells the chapter and returns what its last word is. */
export async function tellPenalty(
  lab: Lab,
  threadId: string,
  { falls, plain }: Sharpening,
): Promise<{ early: PublishedRecord; narrower: PublishedRecord }> {
  const { owner, member, narrator } = lab
  const protects = await predicts(lab, member, {
    threadId,
    wording: `A penalty on the distance from the base policy protects coverage: with weight ${CHOSEN}, held-out pass@${SAMPLES} ends at least ${GAIN} higher than without, and not because less was learned.`,
    predicate: "keeps",
    roles: [
      { role: "cause", definition: "What is added to the training.", value: { type: "concept", key: "penalty" } },
      {
        role: "effect",
        definition: "What is protected.",
        value: { type: "concept_ref", versionId: falls.versionId, key: "coverage" },
      },
      margin("margin", "The smallest difference that counts.", GAIN),
    ],
    concepts: {
      penalty: {
        label: "KL penalty",
        definition: "Weight times r - log r - 1 at each sample, with r the base policy's share over the policy's.",
      },
    },
    premises: [{ versionId: falls.versionId, explanation: "There must be a loss to protect from." }],
  })
  const stopping = await predicts(lab, owner, {
    threadId,
    wording: `The penalty only slows learning down: at equal pass@1 a run without it has the same held-out pass@${SAMPLES}, within ${CLOSE}.`,
    predicate: "explains",
    roles: [
      role("explanation", "What is said to be enough.", "having learned less"),
      { role: "explained", definition: "The difference that is explained.", value: { type: "record", versionId: protects.versionId } },
      margin("bound", "The largest difference that may remain.", CLOSE),
    ],
    references: [about(protects, "related", "The same curves, with another cause.")],
  })
  const seeds = [1, 2]
  const arms = WEIGHTS.flatMap((kl) => seeds.map((seed) => ({ name: `weight ${kl}, seed ${seed}`, settings: { kl, seed } })))
  const experiment = await lab.experiment({
    threadId,
    proposer: member,
    assignee: member,
    question: `What does a penalty toward the base policy do to pass@1 and pass@${SAMPLES}?`,
    scope: `Weights ${WEIGHTS.join(", ")}; ${seeds.length} seeds each.`,
    hypotheses: [protects.versionId, stopping.versionId],
    summary: "Runs that differ in the weight and in the seed only; the runs without penalty are there already.",
    success: `${GAIN} more coverage than without, at weight ${CHOSEN}.`,
    arms,
  })
  const runs = await lab.runsAll(experiment)
  const chosen = runs.filter((_, index) => arms[index]?.settings.kl === CHOSEN)
  const [with64, with1] = [mean(chosen, "pass@64"), mean(chosen, "pass@1")]
  const [without64, without1] = [mean(plain, "pass@64"), mean(plain, "pass@1")]
  const kept = await finds(lab, member, {
    threadId,
    experiment,
    wording: `A penalty of weight ${CHOSEN} protects coverage: held-out pass@${SAMPLES} ends at ${shown(with64)} with it and at ${shown(without64)} without.`,
    predicate: "keeps",
    roles: [
      role("cause", "What is added to the training.", `a penalty of weight ${CHOSEN}`),
      margin("difference", "How much higher coverage ends.", shown(with64 - without64)),
    ],
    outcome: "positive",
    attempts: chosen,
    baselines: plain,
    references: [about(protects, "supports", "The margin is passed.")],
    limitations: "Compared at the same step, not at the same pass@1.",
    toward: [{ hypothesis: protects, verdict: "supports", explanation: `${shown(with64 - without64)} more, where ${GAIN} was predicted.` }],
    answers: { verdict: "partly_answers", explanation: `For pass@${SAMPLES}.` },
  })
  const [early64, early1] = [mean(plain, "pass@64", { step: EARLY }), mean(plain, "pass@1", { step: EARLY })]
  const early = await finds(lab, owner, {
    threadId,
    experiment,
    wording: `What the penalty of weight ${CHOSEN} buys, stopping at step ${EARLY} buys too: without penalty the runs are there at a held-out pass@1 of ${shown(early1)} and a pass@${SAMPLES} of ${shown(early64)}; with it they end at ${shown(with1)} and ${shown(with64)}.`,
    predicate: "explains",
    roles: [
      role("explanation", "What is enough.", `stopping at step ${EARLY} of ${defaults.steps}`),
      margin("remains", "What is left of the difference in coverage.", shown(with64 - early64)),
    ],
    outcome: "negative",
    attempts: chosen,
    baselines: plain,
    references: [
      about(stopping, "supports", "The two stand within the bound."),
      about(kept, "contradicts", "Coverage was not protected; less was learned."),
    ],
    limitations: `One weight; the steps that were measured are ${EARLY / 2} apart.`,
    toward: [
      {
        hypothesis: stopping,
        verdict: "supports",
        explanation: `They differ by ${shown(Math.abs(with64 - early64))}, and ${CLOSE} was allowed.`,
      },
      { hypothesis: protects, verdict: "contradicts", explanation: "Its last half fails: less was learned." },
    ],
    answers: { verdict: "answers", explanation: "It slows the same path down; it leads to no other." },
  })
  const dispute = await narrator.does(
    owner,
    "assert_dispute",
    {},
    {
      targetVersionId: kept.versionId,
      explanation: `It compares a run that has reached a pass@1 of ${shown(with1)} with one that has reached ${shown(without1)}. ${early.label} compares like with like.`,
      evidence: [early.versionId],
    },
    20,
  )
  await lab.says(
    member,
    threadId,
    `Fair. I plotted ${named(runs)} against each other, pass@1 across and pass@${SAMPLES} up, and all weights lie on one line. I will say only what I can keep, and it is another thing.`,
    dispute.entry?.entryId ?? kept.entryId,
    150,
  )
  const lost = (runs: readonly Attempt[]) => mean(runs, "pass@64", { step: LATE }) - mean(runs, "pass@64")
  const narrower = await finds(lab, member, {
    threadId,
    experiment,
    wording: `From step ${LATE} to the end, runs with a penalty of weight ${CHOSEN} lose ${shown(lost(chosen))} of held-out pass@${SAMPLES}; runs without lose ${shown(lost(plain))}. It protects from training for too long.`,
    predicate: "keeps",
    roles: [
      role("cause", "What is added to the training.", `a penalty of weight ${CHOSEN}`),
      margin("given_up", "How much lower pass@1 ends for it.", shown(without1 - with1)),
    ],
    outcome: "positive",
    attempts: chosen,
    baselines: plain,
    references: [about(early, "related", "Both hold: one compares where runs are, the other how fast they leave.")],
    limitations: "It is no more than stopping early does, for those who know when to stop.",
    toward: [
      {
        hypothesis: protects,
        verdict: "supports",
        explanation: `Its number holds, ${shown(with64 - without64)}; and nobody had to choose a step.`,
      },
    ],
    answers: { verdict: "answers", explanation: "It slows the loss down, most of all late." },
  })
  await narrator.does(
    member,
    "assert_supersession",
    {},
    {
      targetVersionId: kept.versionId,
      replacementVersionId: narrower.versionId,
      explanation: "The same runs, compared in a way that the dispute does not reach.",
    },
    10,
  )
  await narrator.does(
    member,
    "assert_dispute",
    {},
    {
      targetVersionId: stopping.versionId,
      explanation: `It allows ${CLOSE} to remain, and ${protects.label} is about ${GAIN}. A bound that wide could explain away most of any effect.`,
    },
    15,
  )
  await lab.completes(experiment, `All weights lie on the path of the runs without penalty: ${early.label} and ${narrower.label}.`)
  return { early, narrower }
}
