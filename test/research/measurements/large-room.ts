/** Fills a Room with thousands of attempts: four arms, five sizes, two numbers of updates told by a flag alone. */
import type { Filler, Written } from "../record/filler.ts"

type Person = ReturnType<Filler["person"]>

/** The metrics of the attempt with this index. */
export const metricsOf = (index: number) => {
  const arm = ["baseline", "shift", "mixup", "smoothing"][index % 4] as string
  return [0, 1].map((seed) => ({
    name: "error",
    value: (index * 7919) % 101,
    dimensions: { arm, labels: 50 * (1 + (index % 5)), seed: seed + 2 * (index % 50) },
  }))
}

/** What the attempt with this index was started with: its seed and its place of writing are its own. */
export const launchOf = (index: number) => ({
  argv: ["python", "mlp.py", "--updates", index % 3 === 0 ? "1000" : "5000", "--out", `runs/${index}.json`],
  configuration: { rate: 0.1, layers: [64, 64], seed: index },
})

interface Place {
  readonly roomId: string
  readonly threadId: string
  readonly repository: { readonly url: string; readonly commit: string }
}

/**
 * Proposes twenty experiments and takes them. Call it, and what it returns, only inside `fill`.
 * @returns their ids, and a function that reports the attempt with an index
 */
export function largeRoom(filler: Filler, owner: Person, { repository, ...place }: Place) {
  const experimentIds = Array.from({ length: 20 }, () => {
    const asked = { ...place, question: "Which?", scope: "Here.", hypotheses: [] }
    const { experimentId }: Written<"propose_experiment">["result"] = filler.does(
      owner,
      "propose_experiment",
      asked,
    ).result
    filler.does(owner, "take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
    return experimentId
  })
  function report(index: number): void {
    const attemptId = filler.instance.world.id()
    filler.does(owner, "register_attempt", {
      ...{ attemptId, experimentId: experimentIds[index % 20] as string, intent: "exploratory" },
      ...{ expectedRevision: 2, expectedStatus: "claimed", inputs: [], repository },
      ...launchOf(index),
    })
    const at = { attemptId, reportedAt: "2026-11-20T09:30:00.000Z" }
    const started = { event: "started", expectedRevision: 1, expectedStatus: "registered" } as const
    filler.does(owner, "report_attempt_event", { ...at, ...started })
    filler.does(owner, "report_attempt_event", {
      ...at,
      ...{ event: "succeeded", expectedRevision: 2, expectedStatus: "started" },
      metrics: metricsOf(index),
    })
  }
  return { experimentIds, report }
}
