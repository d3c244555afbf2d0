/** The refusals of what stands against a write: what was sent or has changed meanwhile. */
import type { RefusalSpecOf } from "./spec.ts"

export const refusalsOfConflict = {
  request_conflict: {
    status: [409],
    retryable: false,
    when: ["delivery"],
    meaning: "The delivery id was used before with other content.",
    remedy: "If this is a new contribution, give it a new id; if it is a retry, send exactly what was sent first.",
  },
  state_conflict: {
    status: [409],
    retryable: false,
    when: ["expectation"],
    meaning: "The state moved since it was read; current holds it as it is now.",
    remedy: "Read current, decide again, and send a new id with fresh expectations; keep the draft.",
  },
  assignment_conflict: {
    status: [409],
    retryable: false,
    when: ["assignment"],
    meaning: "The experiment is held by someone else, or by nobody where the assignee must act; current holds its state.",
    remedy: "Read current and choose other work, or wait for a release; keep the draft.",
  },
  experiment_not_open: {
    status: [409],
    retryable: false,
    when: ["assignment"],
    meaning: "The experiment is not open to this step; current holds its state.",
    remedy: "Read current and choose a step its state allows.",
  },
  thread_exists: {
    status: [409],
    retryable: false,
    meaning: "Another Thread follows the same card already; current names it. allowDuplicate starts a second one on purpose.",
    remedy: "Post in the Thread that current names.",
  },
  link_exists: {
    status: [409],
    retryable: false,
    meaning: "The same member asserted the same kind of link on this target already; current holds it.",
    remedy: "Read the link that current names; say more only with another explanation, where the kind of link allows several.",
  },
  attempt_exists: {
    status: [409],
    retryable: false,
    meaning: "The attemptId was used before; every execution needs a fresh one.",
    remedy: "Make a new attemptId for a new execution.",
  },
} as const satisfies Record<string, RefusalSpecOf>
