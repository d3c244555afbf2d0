/** Fourth chapter: training for longer, as the other paper says. It narrows further here; a dispute about what that means is withdrawn. */
import type { Lab } from "./lab.ts"
import { mean, shown } from "./numbers.ts"
import { SAMPLES } from "./problems.ts"
import { about, cites, finds, margin, predicts, role, type PublishedRecord } from "./records.ts"
import type { Sharpening } from "./sharpening.ts"
import { defaults } from "./simulation.ts"

const LONG = { steps: 960 }
const RESET = { ...LONG, kl: 0.1, reset: 120 }
const TIMES = LONG.steps / defaults.steps

/** Tells the chapter and returns its finding and the claim it was about. */
export async function tellLonger(
  lab: Lab,
  threadId: string,
  { bounded, plain }: Sharpening,
): Promise<{ longer: PublishedRecord; beyond: PublishedRecord }> {
  const { owner, member, narrator } = lab
  const beyond = await cites(lab, member, {
    threadId,
    wording: "Reinforcement learning that goes on for long enough finds ways of reasoning that the base model does not have.",
    predicate: "exceeds",
    roles: [
      role("greater", "What goes beyond.", "models after prolonged reinforcement learning"),
      role("lesser", "What it goes beyond.", "their base models, sampled extensively"),
      role("by", "What brings it about.", "a KL penalty, resets of the reference policy, and many kinds of tasks"),
    ],
    references: [about(bounded, "contradicts", "The same question, answered the other way round.")],
    scope: "The model, tasks and length of training of the paper.",
    arxivId: "2505.24864",
    quote:
      "prolonged RL (ProRL) training can uncover novel reasoning strategies that are inaccessible to base models, even under extensive sampling",
  })
  const returns = await predicts(lab, member, {
    threadId,
    wording: `With resets of the reference policy, training ${TIMES} times as long brings held-out pass@${SAMPLES} back to the base policy's or above.`,
    predicate: "raises",
    roles: [
      role("cause", "What is changed.", `${LONG.steps} steps, a penalty of weight ${RESET.kl}, a reset after every ${RESET.reset} steps`),
      role("effect", "What is measured.", `held-out pass@${SAMPLES} at the end`),
    ],
    references: [about(beyond, "derived_from", "Two of the three ingredients; the toy has one kind of task only.")],
  })
  const seeds = [1, 2, 3]
  const experiment = await lab.experiment({
    threadId,
    proposer: member,
    assignee: owner,
    question: `Does coverage come back when training goes on ${TIMES} times as long?`,
    scope: `${LONG.steps} steps, with resets and without.`,
    hypotheses: [returns.versionId],
    summary: "Two arms of three seeds: plain, and with a penalty toward a reference that follows.",
    success: `A held-out pass@${SAMPLES} at the end that is at least that of step 0.`,
    arms: [LONG, RESET].flatMap((settings) =>
      seeds.map((seed) => ({ name: `${"reset" in settings ? "with resets" : "plain"}, seed ${seed}`, settings: { ...settings, seed } })),
    ),
  })
  const runs = await lab.runsAll(experiment)
  const [simple, resetting] = [runs.slice(0, seeds.length), runs.slice(seeds.length)]
  const base = mean(runs, "pass@64", { step: 0 })
  const longer = await finds(lab, owner, {
    threadId,
    experiment,
    wording: `After ${LONG.steps} steps held-out pass@${SAMPLES} is ${shown(mean(resetting, "pass@64"))} with resets and ${shown(mean(simple, "pass@64"))} without, below the ${shown(mean(plain, "pass@64"))} of ${defaults.steps} steps and far below the base policy's ${shown(base)}.`,
    predicate: "lowers",
    roles: [
      role("cause", "What is done to the base policy.", `${LONG.steps} steps of GRPO, with resets and without`),
      margin("fall", "By how much coverage is lower with resets than at step 0.", shown(base - mean(resetting, "pass@64"))),
    ],
    outcome: "negative",
    attempts: runs,
    baselines: plain,
    references: [about(returns, "contradicts", "It does not come back."), about(bounded, "supports", "Longer training narrows further.")],
    limitations: "Resets let the policy go further; here there is nowhere else to go. Nothing new can be put together from single ways.",
    toward: [
      {
        hypothesis: returns,
        verdict: "contradicts",
        explanation: `${shown(mean(resetting, "pass@64"))}, where at least ${shown(base)} was predicted.`,
      },
    ],
    answers: { verdict: "answers", explanation: "No: with resets it only gets there a little later." },
  })
  const dispute = await narrator.does(
    member,
    "assert_dispute",
    {},
    {
      targetVersionId: longer.versionId,
      explanation:
        "The paper's models write long chains and can combine what they know. A toy that cannot combine anything says nothing about them.",
      evidence: [beyond.versionId],
    },
    90,
  )
  const reply = await lab.says(
    owner,
    threadId,
    `It does not say anything about them: the limitations of ${longer.label} have it in their second sentence, and its scope ends at the toy. What it *does* say is that resets and patience alone are not enough. If new ways come from combining old ones, that is the ingredient to test.`,
    longer.entryId,
    45,
  )
  await narrator.does(
    member,
    "withdraw_link",
    {},
    {
      linkId: dispute.result.linkId,
      explanation: "I had read past the limitations. Within its scope I have nothing against it.",
    },
    30,
  )
  await lab.says(member, threadId, "Withdrawn. But then our next toy needs ways that can be combined.", reply, 10)
  await lab.completes(
    experiment,
    `It does not: ${shown(mean(resetting, "pass@64"))} with resets, ${shown(mean(simple, "pass@64"))} without.`,
  )
  return { longer, beyond }
}
