/** What the reads of materials answer. */
import * as v from "valibot"
import { at, count, id, optionalSaid, optionalText as text, said } from "./fields.ts"
import { author, person, schemaVersion } from "./parts.ts"
import { enumerations } from "../schema/enumerations.ts"
import { fromOtherRoom } from "./evidence.ts"
import { shape } from "../schema/fields.ts"

const materialFields = {
  materialId: id,
  label: v.string(),
  materialOriginRoom: id,
  labelFromOtherRoom: v.boolean(),
  originRoomId: fromOtherRoom.originRoomId,
  reference: v.string(),
  digest: text,
  name: said,
  description: optionalSaid,
  mediaType: optionalSaid,
  sizeBytes: v.nullable(count),
  valuesDigest: text,
  registeredBy: author,
  registeredAt: at,
  contentDigest: v.string(),
  obtainability: v.picklist(enumerations.obtainability),
}
export const materialSummary = shape(materialFields)
const uses = shape({ total: count, items: v.array(shape({ id, label: v.string(), roomId: id, name: said, ...fromOtherRoom })) })
export const material = shape({
  schemaVersion,
  ...materialFields,
  content: v.record(v.string(), v.unknown()),
  locations: v.array(
    shape({
      reporter: person,
      roomId: id,
      at,
      uri: said,
      state: v.picklist(enumerations.locationState),
      observedDigest: text,
      explanation: optionalSaid,
    }),
  ),
  consumedBy: uses,
  producedBy: uses,
  requiredBy: uses,
})

export type MaterialSummary = v.InferOutput<typeof materialSummary>
export type MaterialAnswer = v.InferOutput<typeof material>
