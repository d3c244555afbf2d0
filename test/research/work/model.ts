/**
 * The rules of protocol.md for experiments and attempts, written a second time and independently of
 * src/contract/states.ts: for every write, the model gives the next state or the code of the refusal.
 */

export type Step =
  | "amend_experiment"
  | "cancel_experiment"
  | "take_experiment"
  | "release_experiment"
  | "report_experiment_status"
  | "accept_plan"
export type Intent = "planned" | "exploratory" | "rerun" | "reproduction"
export type Event = "started" | "preflight_failed" | "progress" | "succeeded" | "failed" | "cancelled"
/** People by their number; `null` stands for nobody. */
export type Who = number

export interface Experiment {
  readonly id: string
  readonly proposer: Who
  status: string
  revision: number
  holder: Who | null
  /** The holder of ended work stays set, although they hold nothing then. */
  readonly plans: Plan[]
}

export interface Plan {
  readonly id: string
  readonly acceptedBy: Who
}

export interface Attempt {
  readonly id: string
  readonly experiment: Experiment
  readonly registrant: Who
  status: string
  revision: number
  events: number
}

/** What a caller believes the state to be. */
export interface Belief {
  readonly expectedRevision: number
  readonly expectedStatus: string
}

export interface World {
  readonly experiments: Experiment[]
  readonly attempts: Attempt[]
  /** The members of the Room. */
  readonly members: ReadonlySet<Who>
}

export const outcomes = ["preflight_failed", "succeeded", "failed", "cancelled"]
const over = (status: string) => status === "completed" || status === "cancelled"
const wrong = (belief: Belief, { revision, status }: { revision: number; status: string }) =>
  belief.expectedRevision !== revision || belief.expectedStatus !== status

/** The code with which a step is refused; null if it is accepted. */
export function refusalOfStep(
  world: World,
  step: Step,
  experiment: Experiment,
  who: Who,
  belief: Belief,
  status?: string,
): string | null {
  if (!world.members.has(who)) return "not_a_member"
  const forProposer = step === "amend_experiment" || step === "cancel_experiment"
  if (forProposer && who !== experiment.proposer) return "role_required"
  if (over(experiment.status)) return "experiment_not_open"
  if (forProposer || step === "take_experiment") {
    if (experiment.holder !== null && experiment.holder !== who) return "assignment_conflict"
    if (wrong(belief, experiment)) return "state_conflict"
    return experiment.holder === null ? null : "experiment_not_open"
  }
  if (experiment.holder !== who) return "assignment_conflict"
  if (wrong(belief, experiment)) return "state_conflict"
  return step === "report_experiment_status" && status === "in_progress" && experiment.status === "in_progress"
    ? "state_conflict"
    : null
}

/** Applies an accepted step. */
export function takeStep(step: Step, experiment: Experiment, who: Who, status?: string): void {
  experiment.revision += 1
  if (step === "take_experiment") [experiment.status, experiment.holder] = ["claimed", who]
  if (step === "release_experiment") [experiment.status, experiment.holder] = ["open", null]
  if (step === "cancel_experiment") experiment.status = "cancelled"
  if (step === "report_experiment_status") experiment.status = status as string
}

/** @param belief undefined if a reproduction gives no expected values */
export function refusalOfRegistration(
  world: World,
  intent: Intent,
  experiment: Experiment,
  who: Who,
  belief: Belief | undefined,
  plan?: Plan,
): string | null {
  if (!world.members.has(who)) return "not_a_member"
  // A planned attempt names a plan that the current assignee accepted.
  if (plan !== undefined && experiment.holder !== null && plan.acceptedBy !== experiment.holder)
    return "unknown_reference"
  if (intent === "reproduction") return belief !== undefined && wrong(belief, experiment) ? "state_conflict" : null
  if (over(experiment.status)) return "experiment_not_open"
  if (experiment.holder !== who) return "assignment_conflict"
  return belief === undefined || wrong(belief, experiment) ? "state_conflict" : null
}

export function refusalOfEvent(world: World, event: Event, attempt: Attempt, who: Who, belief: Belief): string | null {
  if (!world.members.has(who)) return "not_a_member"
  if (attempt.registrant !== who) return "role_required"
  if (wrong(belief, attempt) || outcomes.includes(attempt.status)) return "state_conflict"
  const running = attempt.status === "started"
  const follows = running
    ? event !== "started" && event !== "preflight_failed"
    : event === "started" || event === "preflight_failed" || event === "cancelled"
  return follows ? null : "state_conflict"
}

/** Applies an accepted event. */
export function takeEvent(event: Event, attempt: Attempt): void {
  attempt.revision += 1
  attempt.events += 1
  if (event !== "progress") attempt.status = event
}

/** Counts the attempts of an experiment by status. */
export function rollup(world: World, experiment: Experiment): Record<string, number> {
  const counts: Record<string, number> = {
    total: 0,
    registered: 0,
    preflight_failed: 0,
    started: 0,
    succeeded: 0,
    failed: 0,
    cancelled: 0,
  }
  for (const attempt of world.attempts) {
    if (attempt.experiment !== experiment) continue
    counts.total = (counts.total ?? 0) + 1
    counts[attempt.status] = (counts[attempt.status] ?? 0) + 1
  }
  return counts
}
