/** What a reader should know about the runs behind a finding before relying on it. None of it is a refusal or counts as evidence. */
import type * as v from "valibot"
import { count } from "./fields.ts"
import { shape } from "../schema/fields.ts"

export const blemishes = shape({
  /** The attempts that it rests on: producing and baseline. */
  attempts: count,
  /** Those of them that depart from their plan, that were registered as exploratory, and that were reported on after their end. */
  departing: count,
  exploratory: count,
  late: count,
  /** Attempts of its experiment that the finding does not name. */
  unnamed: count,
})
export type Blemishes = v.InferOutput<typeof blemishes>

const ofAll = (some: number, all: number): string =>
  some === all ? (all === 1 ? "its attempt" : `all ${all} attempts`) : `${some} of ${all} attempts`

/** "2 of 3 attempts depart from their plan, 13 attempts are not named"; null if there is nothing to say. */
export function blemishesInWords({ attempts, departing, exploratory, late, unnamed }: Blemishes): string | null {
  const parts = [
    departing > 0 ? `${ofAll(departing, attempts)} ${departing === 1 ? "departs from its plan" : "depart from their plan"}` : [],
    exploratory > 0 ? `${ofAll(exploratory, attempts)} ${exploratory === 1 ? "was" : "were"} exploratory` : [],
    late > 0 ? `${ofAll(late, attempts)} reported late` : [],
    unnamed > 0 ? `${unnamed} ${unnamed === 1 ? "attempt" : "attempts"} of its experiment ${unnamed === 1 ? "is" : "are"} not named` : [],
  ].flat()
  return parts.length === 0 ? null : parts.join(", ")
}
