/** Materials: inputs and outputs, identified by their content. */
import * as v from "valibot"
import { quoting } from "../definitions/sentence.ts"
import { enumerations } from "../schema/enumerations.ts"
import { fromOtherRoom } from "../answers/evidence.ts"
import { oneOf, plain, text, uuid, whole } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { operation } from "../definitions/operation.ts"
import { subject } from "../schema/parts.ts"
import { digest, locationUri, materialReference } from "../definitions/work.ts"

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
