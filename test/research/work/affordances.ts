/** Reads the affordances of an experiment or attempt, and attempts afforded and other writes. */
import type { AgentOperation, AnswerOf, ResearchRoomClient } from "research-room/client"
import { launch, nobody, plan, told } from "../../support/bodies.ts"

type Affordances = AnswerOf<"experiment">["affordances"] | AnswerOf<"attempt">["affordances"]
export type Affordance = Affordances["operations"][number]

/** One write to try: an operation, and the value of the field that the affordance's `values` restrict. */
export interface Try {
  readonly operation: AgentOperation
  readonly field?: "status" | "intent" | "event"
  readonly value?: string
}

const each = (operation: AgentOperation, field: "status" | "intent" | "event", values: readonly string[]): Try[] =>
  values.map((value) => ({ operation, field, value }))

/** Every write about an experiment. */
export const experimentTries: readonly Try[] = [
  { operation: "amend_experiment" },
  { operation: "cancel_experiment" },
  { operation: "take_experiment" },
  { operation: "accept_plan" },
  { operation: "release_experiment" },
  ...each("report_experiment_status", "status", ["in_progress", "completed", "cancelled"]),
  ...each("register_attempt", "intent", ["planned", "exploratory", "rerun", "reproduction"]),
]
/** Every write about an attempt. */
export const attemptTries: readonly Try[] = each("report_attempt_event", "event", [
  "started",
  "preflight_failed",
  "progress",
  "succeeded",
  "failed",
  "cancelled",
])

/** Whether a read affords a write to a person. @param isMember whether "any member" includes them */
export const affords = (
  { operations }: Affordances,
  { operation, field, value }: Try,
  userId: string,
  isMember: boolean,
): boolean =>
  operations.some((one) => {
    const forThem = one.userId === null ? one.by === "any_member" && isMember : one.userId === userId
    const ofValue = field === undefined || (one.values?.[field] ?? []).includes(value as string)
    return one.operation === operation && forThem && ofValue
  })

/** Ids that a write builds on besides its subject; undefined if no such object exists. */
export interface Grounds {
  readonly planId: string | undefined
  readonly ownAttempt: string | undefined
  readonly anyAttempt: string | undefined
}

/** The body of a write: its guard copied from the read, and otherwise as short as possible. */
export function bodyOf(
  { operation, value }: Try,
  subject: object,
  { expected }: Affordances,
  { planId = nobody, ownAttempt = nobody, anyAttempt = nobody }: Grounds,
): Record<string, unknown> {
  const more: Partial<Record<AgentOperation, () => object>> = {
    amend_experiment: () => ({ scope: "There.", explanation: "Better so." }),
    cancel_experiment: () => ({ reason: "Not worth it." }),
    take_experiment: () => ({ leaseMinutes: 30 }),
    release_experiment: () => ({ handoff: "Yours." }),
    accept_plan: () => plan,
    report_experiment_status: () => ({ status: value, summary: "So it went." }),
    register_attempt: () => ({
      attemptId: crypto.randomUUID(),
      intent: value,
      ...launch,
      ...grounds[value as keyof typeof grounds],
    }),
    report_attempt_event: () => told(value as "started"),
  }
  const grounds = {
    planned: { planId },
    exploratory: {},
    rerun: { rerunOf: ownAttempt },
    reproduction: { reproduces: { attemptId: anyAttempt } },
  }
  return { ...subject, ...expected, ...more[operation]?.() }
}

/** Rehearses a write. @returns null if it would be admitted, otherwise the code of the refusal */
export async function rehearsed(
  client: ResearchRoomClient,
  { operation }: Try,
  body: Record<string, unknown>,
): Promise<string | null> {
  try {
    await client.write(operation, body as never, { rehearse: true })
    return null
  } catch (error) {
    if (error instanceof Error && "refusal" in error) return error.refusal as string
    throw error
  }
}
