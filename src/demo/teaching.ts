/** Last chapter: what teaching adds that reinforcement learning does not. It began with a mistake, and ends in a conclusion that is fresh. */
import { digestOf } from "../contract/json.ts"
import { DEMONSTRATIONS } from "./groups.ts"
import type { Attempt, Lab } from "./lab.ts"
import { mean, named, shown } from "./numbers.ts"
import { SAMPLES } from "./problems.ts"
import { about, cites, finds, margin, predicts, role, type PublishedRecord } from "./records.ts"
import type { Sharpening } from "./sharpening.ts"
import { defaults } from "./simulation.ts"

const RISE = "0.10"
const AMOUNTS = [20, 40, DEMONSTRATIONS]

/** Tells the chapter and returns its finding. */
export async function tellTeaching(
  lab: Lab,
  { plain }: Sharpening,
  retracted: PublishedRecord,
  mistaken: Attempt,
): Promise<PublishedRecord> {
  const { owner, member, narrator, roomId } = lab
  const { result } = await narrator.does(
    owner,
    "create_thread",
    {},
    {
      roomId,
      title: "What does teaching add?",
      message: `${retracted.label} is retracted, but ${mistaken.label} is a real run, and a striking one: ${shown(mistaken.value("pass@64"))} at the end, from a policy that had been shown the eighth way. Let us do on purpose what happened there by mistake.`,
      replyToEntryId: retracted.entryId,
    },
    300,
  )
  const { threadId } = result
  const claim = await cites(lab, member, {
    threadId,
    wording: "Distillation from a teacher gives a model ways of reasoning that reinforcement learning does not.",
    predicate: "exceeds",
    roles: [
      role("greater", "What goes beyond.", "models distilled from a teacher"),
      role("lesser", "What it goes beyond.", "the same models after training on verifiable rewards"),
      role("in", "In what.", "the reasoning they are capable of"),
    ],
    scope: "The models, teachers and benchmarks of the paper.",
    arxivId: "2504.13837",
    quote: "distillation can introduce new reasoning patterns from the teacher and genuinely expand the model's reasoning capabilities",
  })
  const widens = await predicts(lab, owner, {
    threadId,
    wording: `After ${DEMONSTRATIONS} demonstrations of the eighth way held-out pass@${SAMPLES} is at least ${RISE} above the base policy's, and is still so after ${defaults.steps} steps of GRPO.`,
    predicate: "raises",
    roles: [
      { role: "cause", definition: "What is done first.", value: { type: "concept", key: "teaching" } },
      role("effect", "What is measured.", `held-out pass@${SAMPLES}, before the training and after it`),
      margin("margin", "The smallest rise that counts, at both times.", RISE),
    ],
    concepts: { teaching: { label: "teaching", definition: "Imitation of demonstrations that all take the eighth way." } },
    references: [about(claim, "derived_from", "The same, where it can be counted.")],
  })
  const seeds = [1, 2, 3]
  const experiment = await lab.experiment({
    threadId,
    proposer: owner,
    assignee: owner,
    question: "What do demonstrations of a way that the base policy never takes change, and what does GRPO leave of it?",
    scope: `${AMOUNTS.join(", ")} demonstrations alone; ${DEMONSTRATIONS} of them before the default training.`,
    hypotheses: [widens.versionId],
    summary: `Teach only, with growing amounts; then teach and train, ${seeds.length} seeds.`,
    success: `${RISE} above the base policy before training and after it.`,
    arms: [
      ...AMOUNTS.map((demonstrations) => ({ name: `${demonstrations} shown, no training`, settings: { demonstrations, steps: 0 } })),
      ...seeds.map((seed) => ({
        name: `${DEMONSTRATIONS} shown, then trained, seed ${seed}`,
        settings: { demonstrations: DEMONSTRATIONS, seed },
      })),
    ],
  })
  const weights = await tellWeights(lab, threadId)
  const runs = await lab.runsAll(experiment, ({ digest }, { demonstrations, steps }) => {
    const measured = { outputLabel: "metrics.json", digest, mediaType: "application/json" }
    return demonstrations === DEMONSTRATIONS && steps === 0 ? { outputs: [measured, { outputLabel: "weights.json", ...weights }] } : {}
  })
  const [shownOnly, trained] = [runs.slice(0, AMOUNTS.length), runs.slice(AMOUNTS.length)]
  const base = mean(plain, "pass@64", { step: 0 })
  const before = mean(trained, "pass@64", { step: 0 })
  const after = mean(trained, "pass@64")
  const finding = await finds(lab, owner, {
    threadId,
    experiment,
    wording: `${DEMONSTRATIONS} demonstrations raise held-out pass@${SAMPLES} from the base policy's ${shown(base)} to ${shown(before)}; GRPO then narrows it to ${shown(after)}, while pass@1 goes from ${shown(mean(trained, "pass@1", { step: 0 }))} to ${shown(mean(trained, "pass@1"))}.`,
    predicate: "raises",
    roles: [
      role(
        "cause",
        "What is done to the base policy.",
        `${DEMONSTRATIONS} demonstrations of the eighth way, then ${defaults.steps} steps of GRPO`,
      ),
      margin("rise", "How far above the base policy coverage ends.", shown(after - base)),
    ],
    outcome: "positive",
    attempts: runs,
    baselines: plain,
    references: [
      about(widens, "supports", "At both times the margin is passed."),
      about(claim, "supports", "Teaching adds what rewards did not."),
    ],
    limitations: "The demonstrations are perfect and all of one way. What a worse teacher would do was not tried.",
    toward: [
      {
        hypothesis: widens,
        verdict: "supports",
        explanation: `${shown(before - base)} above before training, ${shown(after - base)} above after it.`,
      },
    ],
    answers: { verdict: "answers", explanation: "They add a way; the training narrows again, and keeps it." },
  })
  await lab.says(
    member,
    threadId,
    `And it has a price that I like to see told: ${named(shownOnly)} have a pass@1 of ${shownOnly.map((attempt) => shown(attempt.value("pass@1"))).join(", ")}. Who is shown only the eighth way forgets how to do the easy ones; even trained, ${named(trained)} stay at ${shown(mean(trained, "pass@1"))}, far below the ${shown(mean(plain, "pass@1"))} of ${named(plain)}.`,
    finding.entryId,
    80,
  )
  await lab.completes(experiment, `Coverage grows to ${shown(before)} and is ${shown(after)} after training.`)
  await lab.sums(owner, threadId, {
    synthesis: `${finding.label}: teaching lifts held-out pass@${SAMPLES} from ${shown(base)} to ${shown(before)}, training on rewards brings it down to ${shown(after)} and pass@1 up. It agrees with ${claim.label}.`,
    conclusion: "In the toy new ways come from outside. Rewards choose among the ways that are there, those just taught included.",
    citations: [finding.versionId, widens.versionId, claim.versionId],
  })
  return finding
}

/** The taught policy, kept for those who want to go on from it, and where it is said to lie. */
async function tellWeights({ narrator, owner, roomId }: Lab, threadId: string): Promise<{ digest: string; materialId: string }> {
  const digest = digestOf("the taught policy")
  const { result } = await narrator.does(
    owner,
    "register_material",
    {},
    {
      roomId,
      threadId,
      reference: digest,
      name: "The taught policy",
      description: "The weights after teaching and before any training.",
      mediaType: "application/json",
    },
    10,
  )
  const { materialId } = result
  const where = { materialId, uri: "s3://coverage-lab/taught/weights.json" }
  await narrator.does(
    owner,
    "report_material_location",
    {},
    { ...where, state: "restricted", explanation: "Ask me; the bucket is the group's." },
    5,
  )
  return { digest, materialId }
}
