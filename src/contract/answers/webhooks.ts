/** Webhooks as their Room's owner sees them. */
import * as v from "valibot"
import { shape } from "../schema/fields.ts"
import { at, count, id, optionalSaid } from "./fields.ts"
import { person, schemaVersion } from "./parts.ts"

/** One delivery that was tried. */
export const delivery = shape({
  sequence: count,
  at,
  isDelivered: v.boolean(),
  /** The status that was answered, or why none was. */
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
  /** Since when deliveries fail; null where the newest did not. */
  failingSince: v.nullable(at),
  /** Why nothing is delivered any more; null while it is. */
  offBecause: optionalSaid,
  /** The newest first. */
  deliveries: v.array(delivery),
})

/** A webhook that was just added. Its secret is shown this once. */
export const webhookAdded = shape({ schemaVersion, webhookId: id, url: v.string(), secret: v.string() })
export const webhookChanged = shape({ schemaVersion, webhookId: id })
