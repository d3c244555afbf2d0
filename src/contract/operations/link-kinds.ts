/** The effect of each kind of research link on its target. */
import type { LinkKind, RecordStatus } from "../schema/enumerations.ts"
import { enumerations } from "../schema/enumerations.ts"
import type { OperationName } from "./index.ts"

export const linkKinds = {
  corrects: { operation: "assert_correction", status: "corrected", repeatable: true, final: false },
  supersedes: { operation: "assert_supersession", status: "superseded", repeatable: false, final: false },
  retracts: { operation: "assert_retraction", status: "retracted", repeatable: false, final: true },
  disputes: { operation: "assert_dispute", status: "disputed", repeatable: true, final: false },
} as const satisfies Record<
  LinkKind,
  {
    operation: OperationName
    status: RecordStatus /** Whether one member may assert it again with another explanation. */
    repeatable: boolean
    /** Whether its author cannot withdraw it. */
    final: boolean
  }
>

/** The stronger of two statuses: retracted, superseded, corrected, disputed, current, in this order. */
export const strongerStatus = (one: RecordStatus, other: RecordStatus): RecordStatus =>
  enumerations.recordStatus.indexOf(one) > enumerations.recordStatus.indexOf(other) ? one : other
