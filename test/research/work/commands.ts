/**
 * The writes that the model test tries in any order, by anybody, with right and wrong expectations. Each is checked
 * against the model.
 */
import fc from "fast-check"
import { RefusedError, type ResearchRoomClient, type WriteInput } from "research-room/client"
import { launch, type Place, plan, proposal, told } from "../../support/bodies.ts"
import * as model from "./model.ts"

export interface Real {
  readonly room: Place
  readonly clients: readonly ResearchRoomClient[]
}

type Command = fc.AsyncCommand<model.World, Real>
const people = 4
/** The last one is not a member of the Room. */
const anybody = fc.integer({ min: 0, max: people })
/** Anybody, but more often the proposer or holder. */
const who = fc.oneof(anybody, { weight: 4, arbitrary: fc.constantFrom("proposer" as const, "holder" as const) })
type Role = number | "proposer" | "holder"
const personOf = ({ proposer, holder }: model.Experiment, role: Role) =>
  role === "proposer" ? proposer : role === "holder" ? (holder ?? proposer) : role
const pick = fc.nat(1_000)
const one = <T>(choices: readonly T[], index: number) => choices[index % choices.length] as T
/** Mostly the true values; otherwise an old revision, a later one, or another status. */
const slip = fc.oneof(
  { weight: 5, arbitrary: fc.constant("right" as const) },
  fc.constantFrom("old" as const, "early" as const, "other" as const),
)

function believe(
  { revision, status }: { revision: number; status: string },
  how: "right" | "old" | "early" | "other",
  other: string,
): model.Belief {
  if (how === "old" && revision > 1) return { expectedRevision: revision - 1, expectedStatus: status }
  if (how === "early" || how === "old") return { expectedRevision: revision + 1, expectedStatus: status }
  return {
    expectedRevision: revision,
    expectedStatus: how === "other" ? (status === other ? "cancelled" : other) : status,
  }
}

/** Sends a write and checks the outcome against the model. @returns the result, if it was accepted */
async function held<T extends { readonly result: unknown }>(
  write: Promise<T>,
  expected: string | null,
  told: string,
): Promise<T["result"] | undefined> {
  let refusal: string | null = null
  let result: T["result"] | undefined
  try {
    result = (await write).result
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    refusal = error.refusal
  }
  if (refusal !== expected)
    throw new Error(`${told}: ${refusal ?? "accepted"}, but the model says ${expected ?? "accepted"}`)
  return result
}

/** Checks that the service shows an experiment as the model has it. */
async function compare(world: model.World, { clients }: Real, experiment: model.Experiment): Promise<void> {
  const { status, revision, assigneeId, attempts, plans } = await (clients[0] as ResearchRoomClient).read(
    "experiment",
    {
      experimentId: experiment.id,
    },
  )
  const ended = status === "completed" || status === "cancelled"
  const seen = { status, revision, isHeld: assigneeId !== null, attempts, plans }
  const modelled = {
    status: experiment.status,
    revision: experiment.revision,
    isHeld: experiment.holder !== null,
    attempts: model.rollup(world, experiment),
    plans: experiment.plans.length,
  }
  const same = fc.stringify(seen) === fc.stringify(modelled)
  if (!same)
    throw new Error(
      `the experiment reads ${fc.stringify(seen)}; the model holds ${fc.stringify(modelled)} ` +
        `(${ended ? "ended" : "going on"})`,
    )
}

const say = (name: string, ...more: readonly unknown[]) => `${name}(${more.join(", ")})`

const propose = anybody.map(
  (by): Command => ({
    check: ({ experiments, members }) => experiments.length < 3 || !members.has(by),
    async run(world, { room, clients }) {
      const result = await held(
        (clients[by] as ResearchRoomClient).write("propose_experiment", proposal(room)),
        world.members.has(by) ? null : "not_a_member",
        "propose",
      )
      if (result === undefined) return
      const count = world.experiments.push({
        id: result.experimentId,
        proposer: by,
        status: "open",
        revision: 1,
        holder: null,
        plans: [],
      })
      if (result.label !== `E${count}`) throw new Error(`labelled ${result.label}, the ${count}th`)
    },
    toString: () => say("propose", by),
  }),
)

/** Writes that end an experiment are rarer, or most histories would be short. */
const steps: readonly model.Step[] = [
  "amend_experiment",
  "take_experiment",
  "take_experiment",
  "release_experiment",
  "accept_plan",
  "report_experiment_status",
  "amend_experiment",
  "cancel_experiment",
  "take_experiment",
  "release_experiment",
  "report_experiment_status",
  "accept_plan",
]
const bodies: Readonly<Record<model.Step, object>> = {
  amend_experiment: { scope: "There.", explanation: "Better so." },
  cancel_experiment: { reason: "Not worth it." },
  take_experiment: {},
  release_experiment: { handoff: "Yours." },
  report_experiment_status: { summary: "So it went." },
  accept_plan: plan,
}

const step = fc
  .tuple(
    fc.constantFrom(...steps),
    who,
    pick,
    slip,
    fc.constantFrom("in_progress", "in_progress", "completed", "cancelled"),
  )
  .map(
    ([name, role, index, how, status]): Command => ({
      check: ({ experiments }) => experiments.length > 0,
      async run(world, real) {
        const experiment = one(world.experiments, index)
        const by = personOf(experiment, role)
        const belief = believe(experiment, how, "open")
        const expected = model.refusalOfStep(world, name, experiment, by, belief, status)
        const body = {
          experimentId: experiment.id,
          ...belief,
          ...bodies[name],
          ...(name === "report_experiment_status" && { status }),
        }
        const result = await held(
          (real.clients[by] as ResearchRoomClient).write(name, body as never),
          expected,
          say(name, by, how),
        )
        if (result !== undefined) {
          model.takeStep(name, experiment, by, status)
          if ("planId" in result) experiment.plans.push({ id: result.planId, acceptedBy: by })
        }
        await compare(world, real, experiment)
      },
      toString: () => say(name, role, index, how, ...(name === "report_experiment_status" ? [status] : [])),
    }),
  )

const register = fc
  .tuple(
    fc.constantFrom<model.Intent>("planned", "exploratory", "rerun", "reproduction"),
    who,
    pick,
    pick,
    slip,
    fc.boolean(),
  )
  .map(
    ([intent, role, index, other, how, silent]): Command => ({
      check({ experiments, attempts }) {
        if (experiments.length === 0) return false
        const experiment = one(experiments, index)
        if (intent === "planned") return experiment.plans.length > 0
        if (intent === "rerun") return attempts.some((attempt) => attempt.experiment === experiment)
        return intent === "exploratory" || attempts.length > 0
      },
      async run(world, real) {
        const experiment = one(world.experiments, index)
        const by = personOf(experiment, role)
        const belief = intent === "reproduction" && silent ? undefined : believe(experiment, how, "claimed")
        const own = world.attempts.filter((attempt) => attempt.experiment === experiment)
        const plan = intent === "planned" ? one(experiment.plans, other) : undefined
        const grounds = {
          planned: () => ({ planId: plan?.id }),
          exploratory: () => ({}),
          rerun: () => ({ rerunOf: one(own, other).id }),
          reproduction: () => ({ reproduces: { attemptId: one(world.attempts, other).id } }),
        }[intent]()
        const attemptId = crypto.randomUUID()
        const body = { attemptId, experimentId: experiment.id, intent, ...belief, ...grounds, ...launch }
        const write = (real.clients[by] as ResearchRoomClient).write(
          "register_attempt",
          body as WriteInput<"register_attempt">,
        )
        const result = await held(
          write,
          model.refusalOfRegistration(world, intent, experiment, by, belief, plan),
          say("register", intent, by, how),
        )
        if (result !== undefined) {
          const count = world.attempts.push({
            id: attemptId,
            experiment,
            registrant: by,
            status: "registered",
            revision: 1,
            events: 1,
          })
          if (result.label !== `A${count}`) throw new Error(`labelled ${result.label}, the ${count}th`)
        }
        await compare(world, real, experiment)
      },
      toString: () => say("register", intent, role, index, other, how, silent),
    }),
  )

const report = fc
  .tuple(
    fc.constantFrom<model.Event>("started", "preflight_failed", "progress", "succeeded", "failed", "cancelled"),
    fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, anybody),
    pick,
    slip,
  )
  .map(
    ([event, given, index, how]): Command => ({
      check: ({ attempts }) => attempts.length > 0,
      async run(world, real) {
        const attempt = one(world.attempts, index)
        const by = given ?? attempt.registrant
        const belief = believe(attempt, how, "started")
        const body = { attemptId: attempt.id, ...belief, ...told(event) } as WriteInput<"report_attempt_event">
        const result = await held(
          (real.clients[by] as ResearchRoomClient).write("report_attempt_event", body),
          model.refusalOfEvent(world, event, attempt, by, belief),
          say(event, by, how),
        )
        if (result !== undefined) model.takeEvent(event, attempt)
        const { status, revision, events } = await (real.clients[0] as ResearchRoomClient).read("attempt", {
          attemptId: attempt.id,
        })
        const seen = fc.stringify({ status, revision, events: events.length })
        if (seen !== fc.stringify({ status: attempt.status, revision: attempt.revision, events: attempt.events }))
          throw new Error(
            `the attempt reads ${seen} after ${event}; the model holds ${attempt.status} at ${attempt.revision}`,
          )
        await compare(world, real, attempt.experiment)
      },
      toString: () => say(event, given ?? "registrant", index, how),
    }),
  )

export const commands = (length: number) =>
  fc.commands([propose, step, step, step, register, register, report, report], { maxCommands: length, size: "max" })
