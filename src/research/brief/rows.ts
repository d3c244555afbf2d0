/** The rows of the candidates for a brief: members of its items, and columns that the choice depends on. */
import type { Terms } from "../experiments/holders.ts"
import type { BriefList } from "../../contract/answers/brief.ts"
import type { EvidenceTally, KnownThen, StaleReason } from "../../contract/answers/evidence.ts"
import type { Protocol } from "../../contract/definitions/work.ts"
import type { Reviewed } from "../../contract/answers/reviews.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import type { VerdictFrom } from "../evidence/verdict.ts"
import type { StoredBlemishes } from "../findings/findings.ts"
import type { StoredTable } from "../measurements/kept-tables.ts"
import type { Stored } from "../../contract/json.ts"

/** The subject of a brief: a Room, or one of its Threads. */
export interface Place {
  readonly roomId: string
  readonly threadId?: string
}

type Item<L extends BriefList> = Readonly<AnswerOf<"room_brief">[L][number]>

type Worked = "table" | "stale" | "staleReasons" | "knownThen" | "reviewed" | "numbers" | "numbersCheck"
export interface Stand extends Omit<Item<"stands">, Worked> {
  readonly stale: number
  readonly answer: string | null
  readonly keptTable: StoredTable | null
  readonly knownThen: Stored<KnownThen[]>
  readonly staleReasons: Stored<StaleReason[]>
  readonly reviewed: Stored<Reviewed> | null
  readonly timelineWatermark: number
}
export type Message = Item<"messages">
export interface Hypothesis extends Omit<Item<"hypotheses">, "verdictBy" | "evidence" | "inDoubt"> {
  readonly verdictBy: VerdictFrom
  readonly evidence: Stored<EvidenceTally>
  readonly rank: number
  readonly threadId: string
  readonly inDoubt: number
  /** Whether an experiment that is not cancelled addresses it. */
  readonly isAddressed: number
}
export interface Finding
  extends Omit<Item<"findings">, "evidence" | "inDoubt" | "reviewed" | "blemishes" | "effects" | "omittedEffects"> {
  readonly evidence: Stored<EvidenceTally>
  readonly inDoubt: number
  readonly reviewed: Stored<Reviewed> | null
  readonly blemishes: StoredBlemishes
  readonly experimentId: string | null
  readonly threadId: string
  /** Whether a reproduction of it has a verdict or is running. */
  readonly isRepeated: number
}
/** A failure, with its sequence in the Room and the Thread of the object that failed. */
export interface Failure extends Item<"failures"> {
  readonly sequence: number
  readonly threadId: string
}
/** A dispute of a record, or an objection in a review. */
export interface Dispute extends Omit<Item<"disputes">, "part"> {
  readonly part: string | null
  /** The entry to reply to, for an objection to an object that cannot be corrected. */
  readonly replyTo: string | null
  readonly threadId: string
}
export interface Work extends Terms, Pick<Item<"work">, "experimentId" | "label" | "question" | "assignee" | "agent"> {
  readonly status: "open" | "claimed" | "in_progress"
  readonly revision: number
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
/** A sealed plan that has not been opened. */
export interface SealedPlan {
  readonly planId: string
  readonly label: string
  readonly acceptor: string
  readonly opensAt: string
}
/** An experiment whose attempts have ended and that no finding names. */
export interface Unwritten {
  readonly experimentId: string
  readonly label: string
  readonly threadId: string
  readonly question: string
}
/** An experiment whose arms are being run: how often each succeeded, and the protocol of its newest plan. */
export interface Compared {
  readonly experimentId: string
  readonly label: string
  readonly status: string
  readonly revision: number
  readonly ran: Stored<readonly { readonly arm: string; readonly runs: number; readonly attemptId: string }[]>
  readonly planId: string | null
  readonly protocol: Stored<Protocol> | null
  /** Whether its values stand for several seeds. */
  readonly isSeeded: number
}
/** The total number of items of each list that is counted at each write. */
export type Counts = Record<Exclude<BriefList, "claims" | "next">, number>
