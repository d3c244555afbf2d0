/**
 * What one form asks beside its own operation: of a finding, what it says of the question and the hypotheses of its experiment.
 * Both are sent in one batch.
 */
import type { OperationName } from "../../../contract/operations/index.ts"

/** The place of a form's draft under which the other operation's fields stand. */
export const SAYS = "/says"

interface Companion {
  readonly operation: OperationName
  /** The fields of it that are asked; the form knows the others. */
  readonly asks: readonly string[]
}
const companions: Partial<Record<OperationName, Companion>> = {
  publish_finding: { operation: "link_experiment_finding", asks: ["towardHypothesis", "towardQuestion"] },
}
const all: Readonly<Record<string, Companion | undefined>> = companions

/** What is asked beside an operation, where something is. */
export const companionOf = (operation: string): Companion | undefined => all[operation]
