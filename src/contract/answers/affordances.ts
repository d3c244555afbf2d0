/** The operations that the service would accept next on an experiment or an attempt. */
import * as v from "valibot"
import { count, id, optionalText as text } from "./fields.ts"
import { shape } from "../schema/fields.ts"

const affordance = shape({
  operation: v.string(),
  path: v.string(),
  permission: text,
  by: v.string(),
  userId: v.nullable(id),
  values: v.exactOptional(v.record(v.string(), v.array(v.string()))),
})
/** What the service would accept next, and from whom, with the block to copy into the write as its guard. */
export const affordances = <S extends v.GenericSchema>(status: S) =>
  shape({ expected: shape({ expectedRevision: count, expectedStatus: status }), operations: v.array(affordance) })
