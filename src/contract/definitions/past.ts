/** The past: the reads that answer as of an earlier entry of their Room's activity, and what that adds to each. */
import * as v from "valibot"
import { at, count } from "../answers/fields.ts"
import { isShape, shape } from "../schema/fields.ts"
import { digits } from "./parameters.ts"

const pastReads = [
  "attempt_table",
  "attempt_curves",
  "record_effects",
  "experiment_measurements",
  "room_measurements",
  "board",
  "room_brief",
  "thread_brief",
  "room_failures",
  "room_next",
  "hypotheses",
  "hypothesis",
  "record",
  "room_context",
  "thread_research_context",
  "checkpoint",
  "room_links",
  "room_reviews",
  "record_evidence",
  "record_case",
  "checkpoint_case",
  "record_uses",
  "experiment_findings",
  "room",
  "room_publications",
  "experiments",
  "experiment",
  "experiment_history",
  "plan",
  "attempts",
  "room_ledger",
  "attempt",
  "attempt_metrics",
] as const
type PastRead = (typeof pastReads)[number]
export const isPastRead = (name: string): boolean => pastReads.some((each) => each === name)

/** The parameter that these reads take. */
export const pastParameter = {
  at: v.exactOptional(
    digits(1, 999_999_999_999_999, {
      description:
        "A sequence of the Room's activity (for a list, of the Room in its filter): the answer is as of that entry.",
    }),
  ),
}
export type PastParameter<N extends string> = N extends PastRead ? typeof pastParameter : Record<never, never>

/** What an answer about the past adds: the entry of the Room's activity, and when it was accepted. */
const asOf = shape({ sequence: count, acceptedAt: at })
export type AsOf = v.InferOutput<typeof asOf>
export type PastAnswer<N extends string> = N extends PastRead ? { readonly asOf?: AsOf } : unknown

const made = new WeakMap<object, v.GenericSchema>()
/** The answer of a read, with `asOf` in each of its forms. @throws if it has a form that is no object */
export function pastAnswer(answer: v.GenericSchema): v.GenericSchema {
  const known = made.get(answer)
  if (known !== undefined) return known
  const { options = [] } = answer as { readonly options?: readonly v.GenericSchema[] }
  if (!isShape(answer) && options.length === 0) throw new Error("an answer about the past must be an object")
  const extended = isShape(answer)
    ? shape({ ...answer.entries, asOf: v.exactOptional(asOf) })
    : v.union(options.map(pastAnswer))
  made.set(answer, extended)
  return extended
}

/** An answer in the form in which its read gives it. */
export const asServed = (answer: v.GenericSchema): v.GenericSchema => made.get(answer) ?? answer
