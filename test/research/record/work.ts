/** Work for findings to cite: an experiment that somebody holds, a plan, and attempts with every kind of ending. */
import type { ResearchRoomClient, WriteInput } from "research-room/client"
import { sha256 } from "../../support/bodies.ts"
import type { Lab, LabRoom } from "../../support/lab.ts"

type Event = WriteInput<"report_attempt_event">
export type Ending = "registered" | "preflight_failed" | "started" | "succeeded" | "failed" | "cancelled"

const ways: Readonly<Record<Ending, readonly Event["event"][]>> = {
  registered: [],
  preflight_failed: ["preflight_failed"],
  started: ["started"],
  succeeded: ["started", "succeeded"],
  failed: ["started", "failed"],
  cancelled: ["started", "cancelled"],
}
const failure = { stage: "running", explanation: "It did not go well." }
export const reportedAt = "2026-11-20T09:30:00.000Z"

/** The output of attempts in these tests, unless another is given. */
export const losses = { outputLabel: "losses.json", digest: sha256("a") }

/** An execution without a plan, for attempts whose details do not matter. */
export const launch = {
  intent: "exploratory",
  repository: { url: "https://git.example.org/lab/work", commit: "0123456789abcdef0123456789abcdef01234567" },
  argv: ["run"],
  configuration: {},
  inputs: [],
} as const

export class Work {
  readonly experimentId: string
  readonly #holder: ResearchRoomClient
  readonly #pin: { readonly url: string; readonly commit: string }

  private constructor(
    experimentId: string,
    holder: ResearchRoomClient,
    pin: { readonly url: string; readonly commit: string },
  ) {
    this.experimentId = experimentId
    this.#holder = holder
    this.#pin = pin
  }

  /** Proposes and takes an experiment as `holder`. */
  static async begin(
    { house }: Lab,
    { roomId, threadId, ada }: LabRoom,
    { holder = ada, ...more }: Partial<WriteInput<"propose_experiment">> & { holder?: ResearchRoomClient } = {},
  ): Promise<Work> {
    const { result } = await holder.write("propose_experiment", {
      roomId,
      threadId,
      question: "Does it?",
      scope: "Here.",
      hypotheses: [],
      ...more,
    })
    await holder.write("take_experiment", {
      experimentId: result.experimentId,
      expectedRevision: 1,
      expectedStatus: "open",
    })
    const { url, commit } = house.repositories.public
    return new Work(result.experimentId, holder, { url, commit })
  }

  async #expected() {
    return (await this.#holder.read("experiment", { experimentId: this.experimentId })).affordances.expected
  }

  /** Accepts a plan and returns its id. */
  async plan(more: Partial<WriteInput<"accept_plan">> = {}): Promise<string> {
    const { result } = await this.#holder.write("accept_plan", {
      experimentId: this.experimentId,
      ...(await this.#expected()),
      repository: this.#pin,
      hypotheses: [],
      premises: [],
      intent: "exploratory",
      protocol: { summary: "Run it.", steps: [], arms: [] },
      requiredMaterials: [],
      ...more,
    })
    return result.planId
  }

  /** Registers an attempt and reports its events up to the ending; a successful one has `outputs`. */
  async attempt(
    ending: Ending = "succeeded",
    outputs: Event["outputs"] = [losses],
    planId?: string,
    more: Partial<WriteInput<"register_attempt">> = {},
  ): Promise<string> {
    const attemptId = crypto.randomUUID()
    await this.#holder.write("register_attempt", {
      attemptId,
      experimentId: this.experimentId,
      ...(planId === undefined ? { intent: "exploratory" as const } : { intent: "planned" as const, planId }),
      ...(await this.#expected()),
      repository: this.#pin,
      argv: ["run"],
      configuration: {},
      inputs: [],
      ...more,
    })
    for (const event of ways[ending]) await this.tell(attemptId, event, event === "succeeded" ? { outputs } : {})
    return attemptId
  }

  async tell(attemptId: string, event: Event["event"], more: Partial<Event> = {}): Promise<void> {
    const { affordances } = await this.#holder.read("attempt", { attemptId })
    const failed = event === "failed" || event === "preflight_failed" ? { failure } : {}
    await this.#holder.write("report_attempt_event", {
      attemptId,
      event,
      ...affordances.expected,
      reportedAt,
      ...failed,
      ...more,
    })
  }

  /** Completes the experiment. */
  async complete(summary = "Done.") {
    return this.#holder.write("report_experiment_status", {
      experimentId: this.experimentId,
      ...(await this.#expected()),
      status: "completed",
      summary,
    })
  }

  /** Cancels the experiment. */
  async tellCancelled(summary: string): Promise<void> {
    await this.#holder.write("report_experiment_status", {
      experimentId: this.experimentId,
      ...(await this.#expected()),
      status: "cancelled",
      summary,
    })
  }

  /** Returns the provenance block of an execution that names these attempts. */
  execution(attemptIds: readonly string[], baselineAttemptIds: readonly string[] = [], planId?: string) {
    return {
      experimentId: this.experimentId,
      attemptIds,
      baselineAttemptIds,
      ...(planId === undefined ? {} : { planId }),
    }
  }
}
