/** Second chapter: larger groups seem to find new ways; the finding is retracted, and what rested on it falls with it. */
import type { Attempt, Lab } from "./lab.ts"
import { mean, named, shown } from "./numbers.ts"
import { SAMPLES } from "./problems.ts"
import { about, finds, margin, predicts, role, type PublishedRecord } from "./records.ts"
import type { Sharpening } from "./sharpening.ts"
import { defaults } from "./simulation.ts"

const GROUP = 32
const LARGER = 128
const RISE = "0.10"
/** What Grace's run began from without her noticing. */
export const DEMONSTRATIONS = 80

/** Tells the chapter and returns the card of the finding that turned out to be something else, and the run behind it. */
export async function tellGroups(lab: Lab, { falls, plain }: Sharpening): Promise<{ retracted: PublishedRecord; mistaken: Attempt }> {
  const { owner, member, narrator, roomId } = lab
  const { result } = await narrator.does(
    member,
    "create_thread",
    {},
    {
      roomId,
      title: "Do larger groups find new ways?",
      message: `A group of ${defaults.group} hardly ever holds a rare success. A larger one would, and its advantage would be large. Perhaps ${falls.label} is true of small groups only.`,
      replyToEntryId: falls.entryId,
    },
    200,
  )
  const { threadId } = result
  await narrator.does(
    member,
    "reuse_record",
    { threadId },
    { versionId: falls.versionId, note: "What this Thread doubts for larger groups." },
  )
  const seeds = [1, 2, 3]
  const experiment = await lab.experiment({
    threadId,
    proposer: member,
    assignee: member,
    question: `Does held-out pass@${SAMPLES} still fall with groups of ${GROUP}?`,
    scope: `Groups of ${GROUP}, all else as by default.`,
    hypotheses: [falls.versionId],
    intent: "exploratory",
    summary: "One run first, three if it shows anything; compare with the runs of the default group.",
    success: `A pass@${SAMPLES} at the end that is no lower than at step 0.`,
    arms: seeds.map((seed) => ({ name: `group of ${GROUP}, seed ${seed}`, settings: { group: GROUP, seed } })),
  })
  const mistaken = await lab.runs(experiment, { group: GROUP, seed: 1, demonstrations: DEMONSTRATIONS })
  const base = mean(plain, "pass@64", { step: 0 })
  const retracted = await finds(lab, member, {
    threadId,
    experiment,
    wording: `With groups of ${GROUP} held-out pass@${SAMPLES} does not fall but ends at ${shown(mistaken.value("pass@64"))}, above the base policy's ${shown(base)}.`,
    predicate: "raises",
    roles: [
      role("cause", "What differs from the runs it is compared with.", `groups of ${GROUP} samples instead of ${defaults.group}`),
      margin("rise", "How far above the base policy it ends.", shown(mean([mistaken], "pass@64") - base)),
    ],
    outcome: "positive",
    attempts: [mistaken],
    baselines: plain,
    references: [about(falls, "contradicts", "Coverage grows where a fall was predicted.")],
    limitations: "One seed.",
    toward: [{ hypothesis: falls, verdict: "contradicts", explanation: "It rises instead." }],
    answers: { verdict: "partly_answers", explanation: "One run so far." },
  })
  const reaches = await predicts(lab, member, {
    threadId,
    wording: `With groups of ${LARGER} held-out pass@${SAMPLES} rises by at least ${RISE}, because rare ways are found and kept.`,
    predicate: "raises",
    roles: [
      role("cause", "What is changed.", `groups of ${LARGER}`),
      { role: "seen_first_in", definition: "Where the effect was seen first.", value: { type: "record", versionId: retracted.versionId } },
      margin("margin", "The smallest rise that counts.", RISE),
    ],
    premises: [{ versionId: retracted.versionId, explanation: `If groups of ${GROUP} do it, larger ones do it better.` }],
    references: [about(falls, "related", "For large groups the opposite is predicted.")],
  })
  const { result: proposed } = await narrator.does(
    member,
    "propose_experiment",
    {},
    {
      roomId,
      threadId,
      question: `Do groups of ${LARGER} reach the eighth way?`,
      scope: `Groups of ${LARGER}, three seeds.`,
      hypotheses: [reaches.versionId],
    },
    30,
  )
  await lab.sums(member, threadId, {
    synthesis: `${retracted.label} turns ${falls.label} around: with groups of ${GROUP} coverage ends at ${shown(mistaken.value("pass@64"))} instead of falling. ${reaches.label} says how it should go on.`,
    conclusion: `Narrowing is a matter of group size, not of reinforcement learning: with groups of ${GROUP} coverage grows.`,
    citations: [retracted.versionId, reaches.versionId],
  })

  const asked = await lab.says(
    owner,
    threadId,
    `Look at step 0 of ${mistaken.label}: its held-out pass@${SAMPLES} is ${shown(mistaken.value("pass@64", { step: 0 }))} *before* any training, and it ends **lower**. That is not our base policy. The page of ${mistaken.label} says that its command line is none of the plan's: it has \`--demonstrations ${DEMONSTRATIONS}\`.`,
    retracted.entryId,
    500,
  )
  await lab.says(
    member,
    threadId,
    "Oh no. That is left over from what I was trying the day before: the run began from a policy that I had *taught* the eighth way. I take it back, and do it again as planned.",
    asked,
    40,
  )
  await narrator.does(
    member,
    "assert_retraction",
    {},
    {
      targetVersionId: retracted.versionId,
      explanation: `${mistaken.label} did not begin from the base policy but from one taught with ${DEMONSTRATIONS} demonstrations. What it shows has nothing to do with groups.`,
    },
    10,
  )
  await narrator.does(
    member,
    "cancel_experiment",
    {},
    {
      experimentId: proposed.experimentId,
      expectedRevision: 1,
      expectedStatus: "open",
      reason: `${reaches.label} rests on ${retracted.label}, which is retracted. There is nothing left to go on.`,
    },
    15,
  )
  const anew: Attempt[] = []
  for (const seed of seeds) {
    const again = { intent: "rerun" as const, rerunOf: mistaken.attemptId, planId: experiment.planId, ...experiment.held }
    anew.push(await lab.attempt(experiment.experimentId, { by: member, settings: { group: GROUP, seed }, more: again }))
  }
  const small = mean(plain, "pass@64")
  const large = mean(anew, "pass@64")
  const honest = await finds(lab, member, {
    threadId,
    experiment,
    wording: `From the base policy, groups of ${GROUP} end at a held-out pass@${SAMPLES} of ${shown(large)}; groups of ${defaults.group} end at ${shown(small)}. Group size makes no difference to the narrowing.`,
    predicate: "lowers",
    roles: [
      role("cause", "What is done to the base policy.", `${defaults.steps} steps of GRPO with groups of ${GROUP}`),
      margin("fall", "By how much it is lower at the end than at step 0.", shown(base - large)),
    ],
    outcome: "negative",
    attempts: anew,
    baselines: plain,
    references: [
      about(falls, "supports", "It falls as far as with small groups."),
      about(reaches, "contradicts", "The effect it expects to grow is not there."),
    ],
    limitations: `Groups of ${GROUP} only.`,
    toward: [{ hypothesis: falls, verdict: "supports", explanation: `A fall of ${shown(base - large)} with groups of ${GROUP}.` }],
    answers: { verdict: "answers", explanation: "Yes, as far as before." },
  })
  await lab.completes(
    experiment,
    `It falls to ${shown(large)} (${named(anew)}). ${mistaken.label} was run from another policy; ${retracted.label} is retracted, ${honest.label} stands.`,
  )
  return { retracted, mistaken }
}
