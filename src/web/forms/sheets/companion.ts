/**
 * Operations whose form also asks for a second one, sent in the same batch. The form of a finding asks what it says about its
 * experiment's question and hypotheses.
 */
import type { OperationName } from "../../../contract/operations/index.ts"

/** The place of the second operation's fields in the form. */
export const SAYS = "/says"

interface Companion {
  readonly operation: OperationName
  /** The fields that the form shows. The others follow from the first operation. */
  readonly fields: readonly string[]
}
const companions: Readonly<Record<string, Companion | undefined>> = {
  publish_finding: { operation: "link_experiment_finding", fields: ["towardHypothesis", "towardQuestion"] },
} satisfies Partial<Record<OperationName, Companion>>

/** The second operation of a form, if it has one. */
export const companionOf = (operation: string): Companion | undefined => companions[operation]
