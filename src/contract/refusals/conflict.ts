/** The refusals for writes that conflict with an earlier delivery or with a changed state. */
import type { RefusalSpecOf } from "./spec.ts"

export const refusalsOfConflict = {
  request_conflict: {
    status: [409],
    when: ["delivery"],
    meaning: "The delivery id was used before with other content.",
    remedy: "If this is a new contribution, give it a new id; if it is a retry, send exactly what was sent first.",
  },
  state_conflict: {
    status: [409],
    when: ["expectation"],
    meaning: "The state changed since it was read; current holds the present state.",
    remedy: "Read current, decide again, and send a new id with fresh expectations; keep the draft.",
  },
  assignment_conflict: {
    status: [409],
    when: ["assignment"],
    meaning: "Someone else holds the experiment, or nobody does and the assignee must act; current holds its state.",
    remedy: "Read current and choose other work, or wait for a release; keep the draft.",
  },
  experiment_not_open: {
    status: [409],
    when: ["assignment"],
    meaning: "The experiment's state does not allow this step; current holds its state.",
    remedy: "Read current and choose a step that its state allows.",
  },
  thread_exists: {
    status: [409],
    meaning:
      "Another Thread already follows the same card; current names it. allowDuplicate starts a second one on purpose.",
    remedy: "Post in the Thread that current names.",
  },
  link_exists: {
    status: [409],
    meaning: "The same member has already asserted the same kind of link on this target; current holds it.",
    remedy: "Read the link in current; if its kind allows several, add one with another explanation.",
  },
  attempt_exists: {
    status: [409],
    meaning: "The attemptId was used before; every execution needs a fresh one.",
    remedy: "Make a new attemptId for a new execution.",
  },
} as const satisfies Record<string, RefusalSpecOf>
