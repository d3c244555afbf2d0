/** Puts an experiment or an attempt into any of its states, newly made for each test. */
import type { ResearchRoomClient, WriteInput } from "research-room/client"
import { launch, type Place, plan, proposal, reportedAt, told } from "../../support/bodies.ts"

export type State = "open" | "claimed" | "in_progress" | "completed" | "cancelled"
export type AttemptState = "registered" | "preflight_failed" | "started" | "succeeded" | "failed" | "cancelled"

/** An experiment with the expected values that guard a write to it. */
export interface Made {
  readonly experimentId: string
  readonly expected: { readonly expectedRevision: number; readonly expectedStatus: State }
}

/** Proposes an experiment and brings it into a state. @param holder who takes it, if it is taken */
export async function experimentIn(
  state: State,
  room: Place,
  proposer: ResearchRoomClient,
  holder: ResearchRoomClient,
): Promise<Made> {
  const { result } = await proposer.write("propose_experiment", proposal(room))
  const { experimentId } = result
  const made = { experimentId, expected: { expectedRevision: 1, expectedStatus: "open" as State } }
  if (state === "open") return made
  const { result: taken } = await holder.write("take_experiment", {
    experimentId,
    expectedRevision: 1,
    expectedStatus: "open",
  })
  if (state === "claimed")
    return { experimentId, expected: { expectedRevision: taken.revision, expectedStatus: "claimed" } }
  const reported = await holder.write("report_experiment_status", {
    experimentId,
    expectedRevision: taken.revision,
    expectedStatus: "claimed",
    status: state,
    summary: "As it went.",
  })
  return { experimentId, expected: { expectedRevision: reported.result.revision, expectedStatus: state } }
}

/** Accepts a plan for an experiment that the client holds. */
export async function planFor(
  { experimentId, expected }: Made,
  client: ResearchRoomClient,
  more: Partial<WriteInput<"accept_plan">> = {},
): Promise<{ planId: string; made: Made }> {
  const { result } = await client.write("accept_plan", { experimentId, ...expected, ...plan, ...more })
  return {
    planId: result.planId,
    made: { experimentId, expected: { expectedRevision: result.revision, expectedStatus: result.status } },
  }
}

/** Registers an attempt that reproduces another one, which nobody has to hold anything for. */
export async function reproductionOf(
  attemptId: string,
  { experimentId }: Made,
  client: ResearchRoomClient,
): Promise<string> {
  const { result } = await client.write("register_attempt", {
    attemptId: crypto.randomUUID(),
    experimentId,
    intent: "reproduction",
    reproduces: { attemptId },
    ...launch,
  })
  return result.attemptId
}

/** Registers an exploratory attempt at an experiment that the client holds. */
export async function exploration({ experimentId, expected }: Made, client: ResearchRoomClient): Promise<string> {
  const { result } = await client.write("register_attempt", {
    attemptId: crypto.randomUUID(),
    experimentId,
    intent: "exploratory",
    ...expected,
    ...launch,
  })
  return result.attemptId
}

const way: Readonly<Record<AttemptState, readonly WriteInput<"report_attempt_event">["event"][]>> = {
  registered: [],
  preflight_failed: ["preflight_failed"],
  started: ["started"],
  succeeded: ["started", "succeeded"],
  failed: ["started", "failed"],
  cancelled: ["cancelled"],
}

/** Brings a newly registered attempt into a state. @returns the expected values that guard the next event */
export async function leadTo(
  state: AttemptState,
  attemptId: string,
  client: ResearchRoomClient,
): Promise<{ expectedRevision: number; expectedStatus: AttemptState }> {
  let expected: { expectedRevision: number; expectedStatus: AttemptState } = {
    expectedRevision: 1,
    expectedStatus: "registered",
  }
  for (const event of way[state]) {
    const { result } = await client.write("report_attempt_event", {
      attemptId,
      ...expected,
      ...told(event),
      reportedAt,
    })
    expected = { expectedRevision: result.revision, expectedStatus: result.status }
  }
  return expected
}
