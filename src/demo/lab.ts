/** How the story works: experiments taken and planned, runs of the toy told as attempts, findings with the runs they rest on. */
import { present } from "../contract/present.ts"
import { digestOf } from "../contract/json.ts"
import type { InputOf } from "../contract/operations/index.ts"
import type { Narrator } from "./narrator.ts"
import type { Measure, Split } from "./problems.ts"
import { PROBLEMS, SAMPLES, WAYS } from "./problems.ts"
import { type Settings, simulate } from "./simulation.ts"

export interface Member {
  readonly userId: string
  readonly username: string
}
type Body<N extends "publish_finding" | "register_attempt" | "report_attempt_event" | "accept_plan"> = Omit<
  InputOf<N>,
  "schemaVersion" | "requestId"
>
type Report = Omit<Body<"report_attempt_event">, "attemptId" | "expectedRevision" | "expectedStatus" | "event" | "reportedAt">

export interface Repository {
  readonly url: string
  readonly commit: string
  readonly otherCommit: string
}

/** A run that the Room knows as an attempt. */
export interface Attempt {
  readonly attemptId: string
  readonly label: string
  /** The digest of what it measured, as its output metrics.json. */
  readonly digest: string
  /** What it measured; the last point of a run where no step is given. */
  readonly value: (name: Measure, at?: { step?: number; split?: Split }) => number
  readonly diverged: number | null
}

/** The command line of a run: what departs from the program's own settings. */
export const commandOf = (settings: Partial<Settings>): string[] => [
  "node",
  "toy.js",
  ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
]

const runs = new Map<string, ReturnType<typeof simulate>>()
/** A run, made once in a process however many demos start in it. */
function runOf(settings: Partial<Settings>): ReturnType<typeof simulate> {
  const key = JSON.stringify(settings)
  const known = runs.get(key) ?? simulate(settings)
  runs.set(key, known)
  return known
}

interface Registration {
  readonly by: Member
  readonly settings: Partial<Settings>
  readonly more: Partial<Body<"register_attempt">> & Pick<Body<"register_attempt">, "intent">
  /** What is told with the outcome, from what was measured. */
  readonly told?: (attempt: Attempt, settings: Partial<Settings>) => Report
}

export class Lab {
  readonly narrator: Narrator
  readonly owner: Member
  readonly member: Member
  readonly roomId: string
  readonly repository: Repository
  /** The problems, which every run consumes. */
  materialId = ""

  constructor(narrator: Narrator, room: { owner: Member; member: Member; roomId: string; repository: Repository }) {
    this.narrator = narrator
    this.owner = room.owner
    this.member = room.member
    this.roomId = room.roomId
    this.repository = room.repository
  }

  get configuration() {
    return { ways: WAYS, problems: PROBLEMS, samples: SAMPLES, batch: 4 }
  }

  /** Says something in a Thread, in reply where an entry is given, and returns the entry's id. */
  async says(who: Member, threadId: string, text: string, replyToEntryId?: string, minutes = 35): Promise<string> {
    const { entry } = await this.narrator.does(
      who,
      "post_message",
      { threadId },
      { text, ...(replyToEntryId && { replyToEntryId }) },
      minutes,
    )
    return present(entry?.entryId)
  }

  /** Registers a run, lets it end as it ended, and returns what it measured. */
  async attempt(experimentId: string, { by, settings, more, told }: Registration): Promise<Attempt> {
    const { narrator, repository } = this
    const attemptId = narrator.id()
    const { url, commit } = repository
    const registered = await narrator.does(
      by,
      "register_attempt",
      {},
      {
        attemptId,
        experimentId,
        repository: { url, commit },
        argv: commandOf(settings),
        configuration: this.configuration,
        environment: { runtime: "Node 26", machine: by === this.owner ? "Ada's workstation" : "Grace's laptop" },
        inputs: [{ materialId: this.materialId, name: "problems" }],
        ...more,
      },
      4,
    )
    const { points, diverged } = runOf(settings)
    const digest = digestOf(JSON.stringify(points))
    const attempt: Attempt = {
      attemptId,
      label: registered.result.label,
      digest,
      diverged,
      value(name, { step, split = "held-out" } = {}) {
        const of = points.filter((point) => point.name === name && point.split === split)
        const found = step === undefined ? of.at(-1) : of.find((point) => point.step === step)
        if (found === undefined) throw new Error(`${name} was not measured at step ${step}`)
        return found.value
      },
    }
    const metrics = points.map(({ value, ...point }) => ({
      ...point,
      value: Number.isNaN(value) ? ("NaN" as const) : value,
      ...(point.name === "entropy" && { unit: "nat" }),
    }))
    const report = { attemptId, reportedAt: narrator.later(2) }
    await narrator.does(
      by,
      "report_attempt_event",
      {},
      { ...report, expectedRevision: 1, expectedStatus: "registered", event: "started" },
      3,
    )
    const ended = { ...report, reportedAt: narrator.later(11), expectedRevision: 2, expectedStatus: "started" as const, metrics }
    const outputs = [{ outputLabel: "metrics.json", digest, mediaType: "application/json" }]
    const outcome = diverged === null ? { event: "succeeded" as const, outputs, exitCode: 0 } : { event: "failed" as const, exitCode: 1 }
    await narrator.does(by, "report_attempt_event", {}, { ...ended, ...outcome, ...told?.(attempt, settings) }, 12)
    return attempt
  }

  /** Proposes an experiment in a Thread and lets someone take it and accept a plan with an arm for each of the settings. */
  async experiment(plan: {
    threadId: string
    proposer: Member
    assignee: Member
    question: string
    scope: string
    hypotheses: string[]
    summary: string
    success: string
    arms: readonly { readonly name: string; readonly settings: Partial<Settings> }[]
    intent?: "confirmatory" | "exploratory"
    /** A scope that the proposer settles on before anybody takes it. */
    amended?: { scope: string; explanation: string }
  }): Promise<Experiment> {
    const { narrator, roomId, repository, materialId } = this
    const { threadId, proposer, assignee, question, scope, hypotheses, summary, success, amended } = plan
    const proposed = await narrator.does(proposer, "propose_experiment", {}, { roomId, threadId, question, scope, hypotheses }, 90)
    const { experimentId, label } = proposed.result
    let expectedRevision = 1
    if (amended !== undefined) {
      await narrator.does(proposer, "amend_experiment", {}, { experimentId, expectedRevision, expectedStatus: "open", ...amended }, 40)
      expectedRevision += 1
    }
    await narrator.does(assignee, "take_experiment", {}, { experimentId, expectedRevision, expectedStatus: "open" }, 60)
    const accepted = await narrator.does(
      assignee,
      "accept_plan",
      {},
      {
        experimentId,
        expectedRevision: expectedRevision + 1,
        expectedStatus: "claimed",
        repository: { url: repository.url, commit: repository.commit },
        hypotheses,
        premises: [],
        intent: plan.intent ?? "confirmatory",
        requiredMaterials: [{ materialId, purpose: "Every run is trained and measured on it." }],
        protocol: {
          summary,
          steps: ["Check out the commit.", "Run each arm once.", "Read the held-out split; report every run, whatever it shows."],
          arms: plan.arms.map(({ name, settings }) => ({ name, argv: commandOf(settings) })),
          configuration: this.configuration,
          successCriteria: [success],
        },
      },
      30,
    )
    const held = { expectedRevision: expectedRevision + 3, expectedStatus: "in_progress" as const }
    await narrator.does(
      assignee,
      "report_experiment_status",
      {},
      { experimentId, expectedRevision: expectedRevision + 2, expectedStatus: "claimed", status: "in_progress" },
      5,
    )
    const { planId } = accepted.result
    return { experimentId, label, planId, assignee, held, arms: plan.arms }
  }

  /** Runs an arm as planned. */
  async runs(experiment: Experiment, settings: Partial<Settings>, told?: Registration["told"]): Promise<Attempt> {
    const { experimentId, planId, assignee: by, held } = experiment
    return this.attempt(experimentId, { by, settings, more: { intent: "planned", planId, ...held }, ...(told && { told }) })
  }

  /** Runs every arm as planned, in their order. */
  async runsAll(experiment: Experiment, told?: Registration["told"]): Promise<Attempt[]> {
    const attempts: Attempt[] = []
    for (const { settings } of experiment.arms) attempts.push(await this.runs(experiment, settings, told))
    return attempts
  }

  /** Ends an experiment. */
  async completes({ experimentId, assignee, held }: Experiment, summary: string): Promise<void> {
    await this.narrator.does(assignee, "report_experiment_status", {}, { experimentId, ...held, status: "completed", summary }, 20)
  }

  /** Leaves a synthesis of all that a Thread holds so far. */
  async sums(
    who: Member,
    threadId: string,
    said: { synthesis: string; conclusion?: string; openQuestions?: string[]; citations: string[] },
  ): Promise<void> {
    const watermark = this.narrator.watermark(threadId)
    const { openQuestions = [], ...rest } = said
    const state = said.conclusion === undefined ? ("open" as const) : ("concluded" as const)
    const where = { threadId, expectedWatermark: watermark, coversThrough: watermark }
    await this.narrator.does(who, "post_research_checkpoint", {}, { ...where, state, openQuestions, ...rest }, 45)
  }
}

export interface Experiment {
  readonly experimentId: string
  readonly label: string
  readonly planId: string
  readonly assignee: Member
  readonly held: { readonly expectedRevision: number; readonly expectedStatus: "in_progress" }
  readonly arms: readonly { readonly name: string; readonly settings: Partial<Settings> }[]
}
