/**
 * The two state tables of the protocol. Admission, affordances and the manifest all read these rows;
 * nothing else in the code knows which transitions are allowed.
 */
const held = ["claimed", "in_progress"] as const

export const experimentStates = [
  { from: ["open"], operation: "amend_experiment", by: "proposer", to: "unchanged" },
  { from: ["open"], operation: "cancel_experiment", by: "proposer", to: "cancelled" },
  { from: ["open"], operation: "take_experiment", by: "any_member", to: "claimed" },
  // An experiment without a lease cannot be taken over.
  { from: held, operation: "take_experiment", by: "any_member", to: "claimed", needs: "lapsed_lease" },
  { from: held, operation: "accept_plan", by: "assignee", to: "unchanged" },
  { from: held, operation: "release_experiment", by: "assignee", to: "open" },
  {
    from: ["claimed"],
    operation: "report_experiment_status",
    by: "assignee",
    to: { status: ["in_progress", "completed", "cancelled"] },
  },
  {
    from: ["in_progress"],
    operation: "report_experiment_status",
    by: "assignee",
    to: { status: ["completed", "cancelled"] },
  },
  // An attempt has states of its own; registering one does not raise the experiment's revision.
  {
    from: held,
    operation: "register_attempt",
    by: "assignee",
    to: "unchanged",
    values: { intent: ["planned", "exploratory", "rerun"] },
  },
  {
    from: ["open", "claimed", "in_progress", "completed", "cancelled"],
    operation: "register_attempt",
    by: "any_member",
    to: "unchanged",
    values: { intent: ["reproduction"] },
  },
] as const

export const attemptStates = [
  { from: ["registered"], event: "started", by: "registrant", to: "started" },
  { from: ["registered"], event: "preflight_failed", by: "registrant", to: "preflight_failed" },
  { from: ["registered"], event: "cancelled", by: "registrant", to: "cancelled" },
  { from: ["started"], event: "progress", by: "registrant", to: "started" },
  { from: ["started"], event: "succeeded", by: "registrant", to: "succeeded" },
  { from: ["started"], event: "failed", by: "registrant", to: "failed" },
  { from: ["started"], event: "cancelled", by: "registrant", to: "cancelled" },
  // Mistakes in the reports of a run are often noticed after it has ended.
  {
    from: ["succeeded", "failed", "cancelled"],
    event: "progress",
    by: "registrant",
    to: "unchanged",
    needs: "corrects",
  },
  { from: ["succeeded", "failed", "cancelled"], event: "progress", by: "registrant", to: "unchanged", needs: "late" },
] as const

export const states = {
  experiment: { initial: "open", terminal: ["completed", "cancelled"], transitions: experimentStates },
  attempt: {
    initial: "registered",
    terminal: ["preflight_failed", "succeeded", "failed", "cancelled"],
    transitions: attemptStates,
  },
} as const

/** Whether an experiment or attempt is in a terminal state. */
export const isOver = (kind: keyof typeof states, status: string | null): boolean =>
  states[kind].terminal.some((terminal) => terminal === status)

/** Whether an attempt with this status accepts progress, and so metrics. */
export const takesProgress = (status: string): boolean =>
  attemptStates.some(({ from, event }) => event === "progress" && from.some((state) => state === status))
