/** One piece of advice, as a receipt or a read says it. */
import type { WarningCode } from "../../contract/enumerations.ts"
import type { Writable } from "../../contract/json.ts"

/** A code of the enumeration, a sentence, and what it is about. */
export interface Warning {
  readonly code: WarningCode
  readonly message: string
  readonly [member: string]: Writable
}
