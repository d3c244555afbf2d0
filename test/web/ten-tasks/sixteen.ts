/** Sixteen attempts of one experiment: four arms over four seeds, of which one clearly lowers the error. */
import type { Browser, Cast } from "research-room/testing"

const ARMS = { baseline: 0, shift: -0.9, smoothing: -0.1, dropout: 0.4 } as const
const SEEDS = [1, 2, 3, 4] as const
const reportedAt = "2026-11-20T09:30:00.000Z"
/** Noise of a seed, almost the same for every arm. */
const noise = (arm: number, seed: number): number =>
  0.3 * Math.sin(12.9 * seed) + 0.05 * Math.sin(78.2 * (arm + 4 * seed))

/** @param house a demo, whose owner writes them */
export async function makeSixteen(
  { repositories }: Pick<Cast, "repositories">,
  ada: Browser,
): Promise<{ readonly roomId: string }> {
  const { url, commit } = repositories.public
  const { roomId, openingThreadId: threadId } = (
    await ada.write("create_room", { title: "Four arms", question: "Which of four ways lowers the error?" })
  ).result
  const { experimentId } = (
    await ada.write("propose_experiment", {
      ...{
        roomId,
        threadId,
        question: "What do they do to the error?",
        scope: "One model, four seeds.",
        hypotheses: [],
      },
    })
  ).result
  await ada.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  for (const [index, [arm, change]] of Object.entries(ARMS).entries())
    for (const seed of SEEDS) {
      const attemptId = crypto.randomUUID()
      await ada.write("register_attempt", {
        ...{
          attemptId,
          experimentId,
          intent: "exploratory",
          expectedRevision: 2,
          expectedStatus: "claimed",
          repository: { url, commit },
        },
        ...{
          argv: ["python", "train.py", "--arm", arm, "--seed", String(seed)],
          configuration: { arm, seed },
          inputs: [],
        },
      })
      const at = { attemptId, reportedAt }
      await ada.write("report_attempt_event", {
        ...at,
        event: "started",
        expectedRevision: 1,
        expectedStatus: "registered",
      })
      await ada.write("report_attempt_event", {
        ...{ ...at, event: "succeeded", expectedRevision: 2, expectedStatus: "started" },
        metrics: [
          {
            name: "error",
            unit: "%",
            value: Number((12 + change + noise(index, seed)).toFixed(3)),
            dimensions: { arm, seed },
          },
        ],
      })
    }
  return { roomId }
}
