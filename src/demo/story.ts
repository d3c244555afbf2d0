/** The main Room's story: does reinforcement learning on verifiable rewards add solutions, or only find them faster? */
import { tellFailures } from "./failures.ts"
import { tellGroups } from "./groups.ts"
import { Lab, type Member, type Repository } from "./lab.ts"
import { tellLonger } from "./longer.ts"
import type { Narrator } from "./narrator.ts"
import { mean, shown } from "./numbers.ts"
import { tellPenalty } from "./penalty.ts"
import { SAMPLES } from "./problems.ts"
import { tellSharpening } from "./sharpening.ts"
import { tellTeaching } from "./teaching.ts"

/** Tells the story and returns the Room. */
export async function tellMainStory(
  narrator: Narrator,
  owner: Member,
  member: Member,
  repository: Repository,
): Promise<{ roomId: string; openingThreadId: string }> {
  const { result: room } = await narrator.does(
    owner,
    "create_room",
    {},
    {
      title: "Does RL add solutions, or only find them faster?",
      question:
        "When a policy is trained on verifiable rewards, does it come to solve what it could not solve before, or does it only need fewer tries for what it could?",
    },
  )
  const { roomId, openingThreadId } = room
  await narrator.does(owner, "add_member", { roomId }, { username: member.username })
  const lab = new Lab(narrator, { owner, member, roomId, repository })

  const sharpening = await tellSharpening(lab, openingThreadId)
  const { retracted, mistaken } = await tellGroups(lab, sharpening)
  const { early, narrower } = await tellPenalty(lab, openingThreadId, sharpening)
  const { longer, beyond } = await tellLonger(lab, openingThreadId, sharpening)
  await tellFailures(lab, sharpening)
  const taught = await tellTeaching(lab, sharpening, retracted, mistaken)

  const { plain, finding, bounded } = sharpening
  const base = (name: "pass@1" | "pass@64") => shown(mean(plain, name, { step: 0 }))
  await lab.sums(member, openingThreadId, {
    synthesis: `In the toy, GRPO finds faster what was there: held-out pass@1 goes from ${base("pass@1")} to ${shown(mean(plain, "pass@1"))} and pass@${SAMPLES} from ${base("pass@64")} to ${shown(mean(plain, "pass@64"))} (${finding.label}, corrected and reproduced). A penalty slows the same path down and leads to no other (${early.label}, ${narrower.label}); longer training narrows further (${longer.label}). Teaching adds a way, and training keeps it (${taught.label}). That is the side of ${bounded.label}; what ${beyond.label} claims needs ways that can be combined, which the toy does not have.`,
    openQuestions: [
      "Does coverage grow where two known ways can be combined into one that is not known?",
      "Is it sampling noise that loses the rare ways, or the shared weights?",
      "How imperfect may a teacher be before teaching costs more than it adds?",
    ],
    citations: [finding, early, narrower, longer, taught, bounded, beyond].map(({ versionId }) => versionId),
  })
  return { roomId, openingThreadId }
}
