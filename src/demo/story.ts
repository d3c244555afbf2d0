/** The main Room's story: a question about learning-rate warm-up, argued in two Threads. */
import type { InputOf } from "../contract/operations/index.ts"
import { tellConclusion } from "./conclusion.ts"
import { tellExperiment } from "./experiment.ts"
import type { Narrator } from "./narrator.ts"
import type { DemoRepositories } from "./repositories.ts"

interface Member {
  readonly userId: string
  readonly username: string
}

type Hypothesis = Omit<InputOf<"publish_hypothesis">, "schemaVersion" | "requestId" | "roomId" | "threadId">

const agent = { name: "sweep-agent", version: "0.4", model: "a small planner" }

const warmUpLowersLoss: Hypothesis = {
  kind: "hypothesis",
  assertion: {
    wording: "A linear warm-up of 400 steps lowers the training loss at step 1,000 by at least 0.05 nats compared with no warm-up.",
    predicate: { type: "concept", key: "lowers" },
    roles: [
      { role: "cause", definition: "What differs between the two runs.", value: { type: "concept", key: "warm_up" } },
      {
        role: "effect",
        definition: "What is measured in both.",
        value: { type: "text", value: "training loss at step 1,000, mean over 5 seeds" },
      },
      { role: "margin", definition: "The smallest difference that counts.", value: { type: "decimal", value: "0.05", unit: "nat" } },
    ],
  },
  concepts: {
    lowers: { label: "lowers", definition: "Makes the mean over seeds smaller by more than the stated margin." },
    warm_up: { label: "linear warm-up", definition: "The learning rate grows linearly from zero to its peak and stays there." },
  },
  scope: "Decoder-only language models of 10 to 100 million parameters, AdamW, batch of 0.5 million tokens.",
  premises: [],
  references: [],
  client: agent,
}

const clippingExplains = (first: string): Hypothesis => ({
  kind: "hypothesis",
  assertion: {
    wording: "With gradient clipping at norm 1, the difference made by a warm-up of 400 steps stays under 0.02 nats.",
    predicate: { type: "concept", key: "absorbs" },
    roles: [
      { role: "cause", definition: "What is added to both runs.", value: { type: "concept", key: "clipping" } },
      { role: "of", definition: "The effect that is said to vanish.", value: { type: "record", versionId: first } },
      {
        role: "cause_of_that",
        definition: "The concept that effect is about.",
        value: { type: "concept_ref", versionId: first, key: "warm_up" },
      },
      { role: "bound", definition: "The largest difference that may remain.", value: { type: "decimal", value: "0.02", unit: "nat" } },
    ],
  },
  concepts: {
    absorbs: { label: "absorbs", definition: "Leaves less of an effect than the stated bound." },
    clipping: {
      label: "clipping at norm 1",
      definition: "The gradient of all parameters together is scaled down to norm 1 where it is longer.",
    },
  },
  scope: "As the hypothesis it refines.",
  premises: [{ versionId: first, explanation: "Without an effect of warm-up there is nothing for clipping to absorb." }],
  references: [{ versionId: first, purpose: "refines", explanation: "Names the mechanism that the first prediction leaves open." }],
  client: agent,
})

/** Tells the story and returns the Room. */
export async function tellMainStory(
  narrator: Narrator,
  owner: Member,
  member: Member,
  repository: DemoRepositories["public"],
): Promise<{ roomId: string; openingThreadId: string }> {
  const { result: room } = await narrator.does(
    owner,
    "create_room",
    {},
    {
      title: "Does warm-up do more than clipping?",
      question: "How much of what learning-rate warm-up does to early training loss remains once gradients are clipped?",
    },
  )
  const { roomId, openingThreadId } = room
  await narrator.does(owner, "add_member", { roomId }, { username: member.username })

  const inOpening = { threadId: openingThreadId }
  await narrator.does(owner, "post_message", inOpening, {
    text: "We keep telling each other that warm-up matters *less* once gradients are clipped. Let us write down what that would mean, and test it.\n\nWith peak rate $\\eta$ and ramp $n_w$, step $t$ uses\n\n$$\\eta_t = \\eta \\cdot \\min(1, t / n_w).$$",
  })
  const first = await narrator.does(owner, "publish_hypothesis", {}, { ...warmUpLowersLoss, roomId, threadId: openingThreadId }, 45)
  const doubt = await narrator.does(
    member,
    "post_message",
    inOpening,
    {
      text: "0.05 nats is about twice the spread over seeds that I see. Is the **mean over five seeds** enough?",
      ...(first.entry && { replyToEntryId: first.entry.entryId }),
    },
    120,
  )
  await narrator.does(
    owner,
    "post_message",
    inOpening,
    {
      text: "With $s = 0.02$ and $n = 5$ the standard error is $s/\\sqrt{n} \\approx 0.009$. I think it is.",
      ...(doubt.entry && { replyToEntryId: doubt.entry.entryId }),
    },
    30,
  )

  const second = await narrator.does(
    member,
    "create_thread",
    {},
    {
      roomId,
      title: "What is left of warm-up under clipping?",
      message: "A sharper question, following the first prediction.",
      ...(first.entry && { replyToEntryId: first.entry.entryId }),
    },
    60 * 20,
  )
  const { threadId } = second.result
  await narrator.does(
    member,
    "reuse_record",
    { threadId },
    { versionId: first.result.versionId, note: "The prediction this Thread starts from." },
  )
  const absorbs = await narrator.does(
    member,
    "publish_hypothesis",
    {},
    { ...clippingExplains(first.result.versionId), roomId, threadId },
    50,
  )
  await narrator.does(owner, "post_message", { threadId }, { text: "Good: these two can be tested with the same twenty runs." }, 15)
  const lowers = first.result.versionId
  const experiment = await tellExperiment(narrator, { owner, member, roomId, threadId: openingThreadId, hypothesis: lowers, repository })
  await tellConclusion(narrator, {
    owner,
    member,
    roomId,
    openingThreadId,
    threadId,
    hypotheses: { lowers, absorbs: absorbs.result.versionId },
    experiment,
  })
  return { roomId, openingThreadId }
}
