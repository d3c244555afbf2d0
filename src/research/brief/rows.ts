/** The rows that a brief chooses from. */
import type { BriefList } from "../../contract/answers/brief.ts"
import type { EvidenceTally, StaleReason } from "../../contract/answers/evidence.ts"
import type { Reviewed } from "../../contract/answers/reviews.ts"
import type { Bearing } from "../../contract/schema/enumerations.ts"
import type { VerdictFrom } from "../evidence/verdict.ts"
import type { BlemishesTold } from "../findings/blemishes.ts"
import type { Stored } from "../../contract/json.ts"

/** Where a brief looks: a Room, or one of its Threads. */
export interface Place {
  readonly roomId: string
  readonly threadId?: string
}

export interface Stand {
  readonly threadId: string
  readonly title: string
  readonly checkpointId: string
  readonly state: "open" | "concluded"
  readonly says: string
  readonly by: string
  readonly agent: string | null
  readonly at: string
  readonly stale: number
  readonly staleReasons: Stored<StaleReason[]>
  readonly reviewed: Stored<Reviewed> | null
  readonly timelineWatermark: number
}
export interface Hypothesis {
  readonly versionId: string
  readonly label: string
  readonly says: string
  readonly status: "current" | "disputed" | "corrected" | "superseded" | "retracted"
  readonly tally: Stored<EvidenceTally>
  readonly verdict: Bearing
  readonly verdictFrom: VerdictFrom
  readonly rank: number
  readonly threadId: string
  readonly inDoubt: number
  /** Whether an experiment that was not given up addresses it. */
  readonly isAddressed: number
}
export interface Finding {
  readonly versionId: string
  readonly label: string
  readonly outcome: "positive" | "negative" | "inconclusive"
  readonly says: string
  readonly status: Hypothesis["status"]
  readonly tally: Stored<EvidenceTally>
  readonly inDoubt: number
  readonly reviewed: Stored<Reviewed> | null
  readonly blemishes: BlemishesTold
  readonly by: string
  readonly agent: string | null
  readonly experimentId: string | null
  readonly threadId: string
  /** Whether a reproduction of it has told its verdict, or is under way. */
  readonly isRepeated: number
}
export interface FailureRow {
  readonly kind: "attempt_failed" | "attempt_diverged" | "retraction"
  readonly id: string
  readonly label: string | null
  readonly why: string
  readonly at: string
  readonly by: string
  readonly agent: string | null
}
/** A failure with its place among those of its Room, and the Thread of what failed. */
export interface Failure extends FailureRow {
  readonly sequence: number
  readonly threadId: string
}
/** A dispute of a record, or an objection in a review. */
export interface Dispute {
  readonly source: "dispute" | "review"
  readonly kind: string
  readonly id: string
  readonly label: string | null
  readonly says: string | null
  readonly why: string
  readonly linkId: string
  readonly by: string
  readonly agent: string | null
  /** The part that it speaks of. */
  readonly part: string | null
  /** Of an objection to what cannot be corrected: the entry that its author replies to. */
  readonly replyTo: string | null
  readonly threadId: string
}
export interface Work {
  readonly experimentId: string
  readonly label: string
  readonly question: string
  readonly status: "open" | "claimed" | "in_progress"
  readonly revision: number
  readonly assignee: string | null
  readonly agent: string | null
  readonly leaseMinutes: number | null
  readonly leaseUntil: string | null
  readonly lastSign: string
}
export interface Running {
  readonly attemptId: string
  readonly label: string
  readonly status: "registered" | "started"
  readonly revision: number
  readonly registrant: string
  readonly updatedAt: string
}
/** A plan that was sealed and not opened. */
export interface SealedPlan {
  readonly planId: string
  readonly label: string
  readonly acceptor: string
  readonly opensAt: string
}
/** How much there is in all of each list that is counted as it lands. */
export type Counts = Record<Exclude<BriefList, "claims" | "next">, number>
