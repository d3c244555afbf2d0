/** The form of a finding also asks what it says about its experiment's question and hypotheses: a second operation, sent in the same batch. */
import type { Operation } from "../../../contract/definitions/operation.ts"
import { operationOf } from "../../../contract/operations/index.ts"

/** The place of the second operation's fields in the form. */
export const SAYS = "/says"
/** The fields that the form shows. The others follow from the first operation. */
export const saidFields = ["towardHypothesis", "towardQuestion"]

/** The second operation of a form, if it has one. */
export const companionOf = (operation: string): Operation | undefined =>
  operation === "publish_finding" ? operationOf("link_experiment_finding") : undefined
