import * as v from "valibot"
import { at, count, id, optionalFreeText, optionalText as text, freeText } from "./fields.ts"
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
  name: freeText,
  description: optionalFreeText,
  mediaType: optionalFreeText,
  sizeBytes: v.nullable(count),
  valuesDigest: text,
  registeredBy: author,
  registeredAt: at,
  contentDigest: v.string(),
  obtainability: v.picklist(enumerations.obtainability),
}
export const materialSummary = shape(materialFields)
const uses = shape({
  total: count,
  items: v.array(shape({ id, label: v.string(), roomId: id, name: freeText, ...fromOtherRoom })),
})
export const material = shape({
  schemaVersion,
  ...materialFields,
  content: v.record(v.string(), v.unknown()),
  locations: v.array(
    shape({
      reporter: person,
      roomId: id,
      at,
      uri: freeText,
      state: v.picklist(enumerations.locationState),
      observedDigest: text,
      explanation: optionalFreeText,
    }),
  ),
  consumedBy: uses,
  producedBy: uses,
  requiredBy: uses,
})

export type MaterialSummary = v.InferOutput<typeof materialSummary>
export type MaterialAnswer = v.InferOutput<typeof material>
