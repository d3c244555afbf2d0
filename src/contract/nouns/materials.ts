/** Materials: inputs and outputs, identified by their content. */
import * as v from "valibot"
import { operation } from "../definitions/operation.ts"
import { quoting } from "../definitions/sentence.ts"
import { subject } from "../schema/parts.ts"
import { materialReference, digest, locationUri } from "../definitions/work.ts"
import { text, plain, whole, uuid, oneOf, shape } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { fromOtherRoom } from "../answers/evidence.ts"
import { enumerations } from "../schema/enumerations.ts"
import { id, optionalText, freeText, optionalFreeText, count, at } from "../answers/fields.ts"
import { author, schemaVersion, person, page } from "../answers/parts.ts"
import { read } from "../definitions/read.ts"

const permissions = ["publish_records", "post_thread"] as const

export const materialOperations = [
  operation({
    name: "register_material",
    sentence: ({ name }, label) => `registered material ${label}${quoting(name)}`,
    summary:
      "Registers a material by its digest or pinned reference. If it is already known, the answer has the existing " +
      "one and its label.",
    permissions,
    target: "material",
    fields: {
      roomId: subject("room"),
      threadId: v.exactOptional(subject("thread")),
      reference: materialReference,
      name: text(limits.title),
      description: v.exactOptional(text(limits.explanation)),
      mediaType: v.exactOptional(plain(limits.name)),
      sizeBytes: v.exactOptional(whole()),
      valuesDigest: v.exactOptional(digest),
      location: v.exactOptional(locationUri),
    },
    result: { materialId: uuid, label: v.string(), existing: v.boolean(), ...fromOtherRoom },
    example: {
      roomId: "0198f3a0-0000-7000-8000-000000000001",
      reference: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      name: "Token counts of the training split",
      mediaType: "application/json",
      sizeBytes: 412,
      location: "https://example.org/data/token-counts.json",
    },
  }),
  operation({
    name: "report_material_location",
    sentence: ({ state, explanation }, label) => `reported that ${label} is ${state}${quoting(explanation)}`,
    summary: "Reports where a material is and whether people can get it there. The service never opens the address.",
    permissions,
    refusals: ["unknown_material"],
    target: "material",
    fields: {
      materialId: subject("material"),
      uri: locationUri,
      state: oneOf(enumerations.locationState),
      observedDigest: v.exactOptional(digest),
      explanation: v.exactOptional(text(limits.explanation)),
    },
    result: { materialId: uuid, label: v.string(), obtainability: oneOf(enumerations.obtainability), ...fromOtherRoom },
    example: {
      materialId: "0198f3a0-0000-7000-8000-000000000008",
      uri: "https://example.org/data/token-counts.json",
      state: "available",
    },
  }),
] as const

const materialFields = {
  materialId: id,
  label: v.string(),
  materialOriginRoom: id,
  labelFromOtherRoom: v.boolean(),
  originRoomId: fromOtherRoom.originRoomId,
  reference: v.string(),
  digest: optionalText,
  name: freeText,
  description: optionalFreeText,
  mediaType: optionalFreeText,
  sizeBytes: v.nullable(count),
  valuesDigest: optionalText,
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
      observedDigest: optionalText,
      explanation: optionalFreeText,
    }),
  ),
  consumedBy: uses,
  producedBy: uses,
  requiredBy: uses,
})

export type MaterialSummary = v.InferOutput<typeof materialSummary>
export type MaterialAnswer = v.InferOutput<typeof material>

export const materialReads = [
  read({
    name: "room_materials",
    path: "/api/research/rooms/{roomId}/materials",
    summary: "The materials that a Room registered: its own, and those labelled by another Room.",
    cursor: "uuid",
    answer: page(materialSummary),
  }),
  read({
    name: "materials",
    path: "/api/research/materials",
    summary: "Materials of every Room; valuesDigest finds those with the same values.",
    parameters: { valuesDigest: v.exactOptional(digest) },
    cursor: "uuid",
    answer: page(materialSummary),
  }),
  read({
    name: "material",
    path: "/api/research/materials/{materialId}",
    summary: "One material: its reference, the reports of its locations, and which attempts and plans use it.",
    answer: material,
  }),
] as const
