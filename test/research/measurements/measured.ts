/** Attempts that measured something by arm and seed, for tests about measurements. */
import type { ResearchRoomClient, WriteInput } from "research-room/client"
import { finding } from "../../support/bodies.ts"
import type { Lab, LabRoom } from "../../support/lab.ts"
import { reportedAt, Work } from "../record/work.ts"

export type Metrics = NonNullable<WriteInput<"report_attempt_event">["metrics"]>
export type Effect = NonNullable<WriteInput<"publish_finding">["effects"]>[number]
type Reproduction = NonNullable<WriteInput<"report_attempt_event">["reproduction"]>
type Reproduces = NonNullable<WriteInput<"register_attempt">["reproduces"]>

/** The values of an arm, one per seed. */
export const arm = (name: string, values: readonly number[], more: Partial<Metrics[number]> = {}): Metrics =>
  values.map((value, seed) => ({ name: "error", value, ...more, dimensions: { arm: name, seed, ...more.dimensions } }))

/** An arm and a baseline whose paired difference is close to `difference`. */
export const pairs = (difference: number, seeds = 5, jitter = 0.02): Metrics =>
  ["baseline", "shift"].flatMap((name, index) =>
    arm(
      name,
      Array.from(
        { length: seeds },
        (_, seed) => 5 + ((seed * 7) % 5) / 10 + (index === 0 ? 0 : difference + jitter * (seed - (seeds - 1) / 2)),
      ),
    ),
  )

export async function measuring(lab: Lab, room: LabRoom) {
  const work = await Work.begin(lab, room)
  const { experimentId } = work
  const shift: Effect = {
    experimentId,
    metric: "error",
    of: { arm: "shift" },
    against: { arm: "baseline" },
    over: "seed",
  }
  const { url, commit } = lab.house.repositories.public

  return {
    work,
    experimentId,
    shift,

    /** Makes a successful attempt by ada with these values. */
    async attempt(metrics: Metrics, more: Partial<WriteInput<"register_attempt">> = {}): Promise<string> {
      const attemptId = await work.attempt("started", [], undefined, more)
      await work.tell(attemptId, "succeeded", { metrics })
      return attemptId
    },

    publish: async (
      by: ResearchRoomClient,
      attemptIds: readonly string[],
      effects: readonly Effect[] = [shift],
      more: Partial<WriteInput<"publish_finding">> = {},
    ) =>
      by.write("publish_finding", {
        ...finding(room),
        provenance: { execution: work.execution(attemptIds), papers: [] },
        effects: [...effects],
        ...more,
      }),

    /** Registers and starts a reproduction. */
    async begin(by: ResearchRoomClient, reproduces: Reproduces): Promise<string> {
      const attemptId = crypto.randomUUID()
      await by.write("register_attempt", {
        ...{ attemptId, experimentId, intent: "reproduction" as const, reproduces },
        ...{ repository: { url, commit }, argv: ["again"], configuration: {}, inputs: [] },
      })
      await this.tell(by, attemptId, "started")
      return attemptId
    },

    async tell(
      by: ResearchRoomClient,
      attemptId: string,
      event: WriteInput<"report_attempt_event">["event"],
      more: Partial<WriteInput<"report_attempt_event">> = {},
    ) {
      const { affordances } = await by.read("attempt", { attemptId })
      return by.write("report_attempt_event", { attemptId, event, ...affordances.expected, reportedAt, ...more })
    },

    /** Makes a person's reproduction, with its outcome. */
    async reproduce(by: ResearchRoomClient, reproduces: Reproduces, metrics: Metrics, reproduction: Reproduction) {
      const attemptId = await this.begin(by, reproduces)
      return { attemptId, receipt: await this.tell(by, attemptId, "succeeded", { metrics, reproduction }) }
    },
  }
}
