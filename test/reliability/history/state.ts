/**
 * The contents of a Room, as the protocol describes them, and the parts of its tables that say what an accepted write
 * changes.
 */
import type { Members, Receipt, Write } from "./history.ts"

export interface Experiment {
  readonly id: string
  readonly label: string
  readonly threadId: string
  readonly status: string
  readonly revision: number
  readonly proposer: string
  readonly assignee: string | null
  readonly question: string
  readonly plans: readonly string[]
  /** Attempts by status. */
  readonly attempts: Readonly<Record<string, number>>
}
export interface Plan {
  readonly experimentId: string
  readonly acceptedBy: string
}
export interface Revision {
  readonly revision: number
  readonly operation: string
  readonly author: string
  readonly status: string
  readonly assigneeId: string | null
  readonly planId: string | null
}
export interface Attempt {
  readonly id: string
  readonly label: string
  readonly threadId: string
  readonly experimentId: string
  readonly status: string
  readonly revision: number
  readonly registrant: string
  readonly events: readonly string[]
  readonly outputs: readonly string[]
}
export interface Thread {
  readonly id: string
  readonly watermark: number
  readonly follows: string | null
  readonly selected: string | null
  /** The place of the selected checkpoint, if it concludes. */
  readonly concludedAt: number | null
  readonly stale: boolean
}
export interface Entry {
  readonly entryId: string
  readonly threadId: string
  readonly sequence: number
  readonly kind: string
  readonly author: string
  readonly replyTo: string | null
  readonly isReceipt: boolean
  /** The record whose standing its card shows. */
  readonly standingOf: string | null
}
export interface Published {
  readonly id: string
  readonly label: string
  readonly kind: string
  readonly threadId: string
  readonly author: string
  readonly status: string
  readonly notices: number
}
export interface Said {
  readonly linkId: string
  readonly label: string | null
  readonly kind: string
  readonly targetVersionId: string
  readonly author: string
  readonly explanation: string
  readonly at: string
}
export interface Accepted {
  readonly write: Write
  readonly receipt: Receipt
  readonly text: string
  readonly digest: string
}

/** The standing that each assertion gives its target, strongest last. */
export const standings = ["current", "disputed", "corrected", "superseded", "retracted"]
const assertions: Readonly<Record<string, { kind: string; status: string }>> = {
  assert_correction: { kind: "corrects", status: "corrected" },
  assert_supersession: { kind: "supersedes", status: "superseded" },
  assert_dispute: { kind: "disputes", status: "disputed" },
  assert_retraction: { kind: "retracts", status: "retracted" },
}
export const assertionOf = (operation: string) => assertions[operation]

export const publications: ReadonlySet<string> = new Set(["publish_hypothesis", "publish_finding", "reuse_record"])
export const cards: ReadonlySet<string> = new Set([
  ...publications,
  "post_research_checkpoint",
  "link_experiment_finding",
  "post_message",
])
/** The prefix of labels by the operation that assigns them. */
export const prefixes: Readonly<Record<string, string>> = {
  propose_experiment: "E",
  accept_plan: "P",
  register_attempt: "A",
  publish_hypothesis: "H",
  publish_finding: "F",
  assert_correction: "L",
  assert_supersession: "L",
  assert_dispute: "L",
  assert_retraction: "L",
}

/** How an accepted operation changes its experiment: the last column of the protocol's table. */
export function stepOf(operation: string, person: string, body: Members): Partial<Experiment> {
  switch (operation) {
    case "take_experiment":
      return { status: "claimed", assignee: person }
    case "release_experiment":
      return { status: "open", assignee: null }
    case "cancel_experiment":
      return { status: "cancelled" }
    case "report_experiment_status":
      return { status: String(body.status) }
    case "amend_experiment":
      return body.question === undefined ? {} : { question: String(body.question) }
    default:
      return {}
  }
}

/** A member's link between a finding and an experiment; these histories always use the same verdicts. */
export const relationOf = (
  person: string,
  { experimentId, findingVersionId, attemptId = "none" }: Readonly<Record<string, unknown>>,
): string => `${person} ${experimentId} ${findingVersionId} ${attemptId}`
