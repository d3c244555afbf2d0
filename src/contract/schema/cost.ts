/** The cost of work, as declared: the budget of a plan, or what an attempt used. */
import * as v from "valibot"
import { shape, whole } from "./fields.ts"
import { CURRENCY } from "./patterns.ts"

const amount = v.pipe(v.number("must be a number"), v.finite("must be finite"), v.minValue(0, "must be at least 0"))
const optional = v.exactOptional

/** Hours of accelerators, tokens of models, money, and seconds from start to end. */
export const cost = shape({
  gpuHours: optional(amount),
  tokens: optional(whole()),
  money: optional(
    shape({
      amount,
      currency: v.pipe(
        v.string("must be a string"),
        v.title("currency"),
        v.regex(CURRENCY, "must be an ISO 4217 code such as EUR"),
      ),
    }),
  ),
  wallSeconds: optional(amount),
})
export type Cost = v.InferOutput<typeof cost>
