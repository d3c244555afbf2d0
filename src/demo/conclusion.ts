/** How the story ends: a finding and what became of it, a claim from a paper, checkpoints, a second Thread concluded. */
import { digestOf } from "../contract/json.ts"
import type { InputOf } from "../contract/operations/index.ts"
import type { tellExperiment } from "./experiment.ts"
import type { Narrator } from "./narrator.ts"

interface Member {
  readonly userId: string
  readonly username: string
}

interface Scene {
  readonly owner: Member
  readonly member: Member
  readonly roomId: string
  readonly openingThreadId: string
  /** The Thread about clipping. */
  readonly threadId: string
  readonly hypotheses: { readonly lowers: string; readonly absorbs: string }
  readonly experiment: Awaited<ReturnType<typeof tellExperiment>>
}

type Assertion = InputOf<"publish_finding">["assertion"]

const concepts = { lowers: { label: "lowers", definition: "Makes the mean over seeds smaller by more than twice its standard error." } }

const lowersBy = (nats: string, wording: string): Assertion => ({
  wording,
  predicate: { type: "concept", key: "lowers" },
  roles: [
    { role: "cause", definition: "What differs between the arms.", value: { type: "text", value: "a linear warm-up of 400 steps" } },
    {
      role: "difference",
      definition: "By how much the mean loss at step 1,000 is lower.",
      value: { type: "decimal", value: nats, unit: "nat" },
    },
  ],
})

const scope = "The 50-million-parameter model of the shared repository at one peak rate, five seeds an arm."

/** Tells the ending. */
export async function tellConclusion(
  narrator: Narrator,
  { owner, member, roomId, openingThreadId, threadId, hypotheses, experiment }: Scene,
): Promise<void> {
  const { experimentId, planId, materialId, attempts } = experiment
  const common = { roomId, threadId: openingThreadId, concepts, scope }
  const execution = { experimentId, planId, attemptIds: [attempts.rerun], baselineAttemptIds: [attempts.baseline] }

  const claim = await narrator.does(
    member,
    "publish_cited_claim",
    {},
    {
      ...common,
      kind: "cited_claim",
      assertion: lowersBy("0", "A linear warm-up followed by decay was used for training the first transformers."),
      paper: { arxivId: "1706.03762", version: 7 },
      quote: "This corresponds to increasing the learning rate linearly for the first warmup_steps training steps.",
      locator: { section: "5.3" },
      references: [{ versionId: hypotheses.lowers, purpose: "related", explanation: "The schedule the prediction is about." }],
    },
    60 * 6,
  )

  const finding = await narrator.does(
    owner,
    "publish_finding",
    {},
    {
      ...common,
      kind: "finding",
      assertion: lowersBy("0.08", "With a warm-up of 400 steps the mean training loss at step 1,000 is 0.08 nats lower than without."),
      outcome: "positive",
      retrospective: false,
      evidence: [
        {
          kind: "attempt_output",
          attemptId: attempts.rerun,
          outputLabel: "metrics.json",
          digest: digestOf("metrics with warm-up"),
          explanation: "The losses of the arm with a warm-up.",
        },
        {
          kind: "attempt_output",
          attemptId: attempts.baseline,
          outputLabel: "metrics.json",
          digest: digestOf("metrics without warm-up"),
          explanation: "The losses of the arm without.",
        },
        {
          kind: "attempt_outcome",
          attemptId: attempts.diverged,
          explanation: "The first try of the arm failed for a reason outside of the question.",
        },
        { kind: "record", versionId: claim.result.versionId, explanation: "The schedule is the paper's." },
      ],
      provenance: { execution, papers: [] },
      materials: [{ materialId, purpose: "The batches of both arms are drawn from it." }],
      references: [{ versionId: hypotheses.lowers, purpose: "supports", explanation: "The predicted margin is exceeded." }],
      limitations: "One model size, one peak rate.",
    },
    60 * 3,
  )
  const { versionId } = finding.result
  const link = await narrator.does(
    owner,
    "link_experiment_finding",
    {},
    {
      experimentId,
      findingVersionId: versionId,
      attemptId: attempts.rerun,
      towardHypothesis: [{ versionId: hypotheses.lowers, verdict: "supports", explanation: "0.08 is more than the predicted 0.05 nats." }],
      towardQuestion: { verdict: "answers", explanation: "For this model and rate: yes." },
    },
    20,
  )
  await narrator.does(
    member,
    "post_message",
    { threadId: openingThreadId },
    {
      text: "The reproduction gives 0.076. I agree with the verdict.",
      ...(link.entry && { replyToEntryId: link.entry.entryId }),
    },
    90,
  )
  await narrator.does(
    owner,
    "report_experiment_status",
    {},
    {
      experimentId,
      expectedRevision: 5,
      expectedStatus: "in_progress",
      status: "completed",
      summary: "Warm-up lowered the mean loss by 0.08 nats; reproduced with 0.076.",
    },
    15,
  )

  await narrator.does(
    member,
    "assert_correction",
    {},
    {
      targetVersionId: versionId,
      explanation: "The mean was taken over four seeds: the fifth was counted twice.",
      correction: "Read 0.078 for 0.08; the verdict stands.",
    },
    60 * 20,
  )
  const negative = await narrator.does(
    member,
    "publish_finding",
    {},
    {
      ...common,
      threadId,
      kind: "finding",
      assertion: lowersBy(
        "0.06",
        "With gradient clipping at norm 1 a warm-up of 400 steps still lowers the loss at step 1,000, by 0.06 nats.",
      ),
      outcome: "negative",
      retrospective: true,
      evidence: [],
      provenance: { papers: [] },
      materials: [],
      references: [{ versionId: hypotheses.absorbs, purpose: "contradicts", explanation: "More than the bound of 0.02 nats remains." }],
      limitations: "Read off runs that were made for another purpose.",
    },
    60 * 4,
  )
  await narrator.does(
    owner,
    "assert_dispute",
    {},
    {
      targetVersionId: hypotheses.absorbs,
      explanation: `${negative.result.label} leaves more of the effect than the bound allows.`,
      evidence: [negative.result.versionId],
    },
    30,
  )

  const inOpening = narrator.watermark(openingThreadId)
  await narrator.does(
    owner,
    "post_research_checkpoint",
    {},
    {
      threadId: openingThreadId,
      expectedWatermark: inOpening,
      coversThrough: inOpening,
      state: "open",
      synthesis:
        "Warm-up lowers the early loss by about 0.08 nats for this model, reproduced once. How much of it is left at larger rates is not known.",
      openQuestions: ["Does the difference grow with the peak rate?", "Is it gone by the end of training?"],
      citations: [versionId],
    },
    60,
  )
  const inSecond = narrator.watermark(threadId)
  await narrator.does(
    member,
    "post_research_checkpoint",
    {},
    {
      threadId,
      expectedWatermark: inSecond,
      coversThrough: inSecond,
      state: "concluded",
      synthesis: "Clipping does not absorb what warm-up does: three quarters of the effect remain.",
      conclusion: "Warm-up does more than clipping, for the models in scope.",
      openQuestions: [],
      citations: [negative.result.versionId, hypotheses.absorbs],
    },
    60,
  )
}
