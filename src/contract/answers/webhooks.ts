/** Webhooks as their Room's owner sees them. */
import * as v from "valibot"
import { shape } from "../schema/fields.ts"
import { at, count, id, optionalFreeText } from "./fields.ts"
import { person, schemaVersion } from "./parts.ts"

/** One attempted delivery. */
export const delivery = shape({
  sequence: count,
  at,
  isDelivered: v.boolean(),
  /** The status of the response, or why there was none. */
  outcome: v.string(),
  milliseconds: count,
})
export type Delivery = v.InferOutput<typeof delivery>

export const webhook = shape({
  webhookId: id,
  url: v.string(),
  addedBy: person,
  addedAt: at,
  /** The last entry of the Room's activity that was delivered. */
  delivered: count,
  /** Since when deliveries have failed; null if the newest succeeded. */
  failingSince: v.nullable(at),
  /** Why deliveries were turned off; null if they are on. */
  offBecause: optionalFreeText,
  /** The newest first. */
  deliveries: v.array(delivery),
})

/** A webhook that was just added. Its secret is shown only once. */
export const webhookAdded = shape({ schemaVersion, webhookId: id, url: v.string(), secret: v.string() })
export const webhookChanged = shape({ schemaVersion, webhookId: id })
