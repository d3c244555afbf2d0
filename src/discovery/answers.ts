/** The schemas of the discovery routes' answers. */
import * as v from "valibot"
import { count } from "../contract/answers/fields.ts"
import { enumerations } from "../contract/schema/enumerations.ts"
import { shape } from "../contract/schema/fields.ts"
import { protocolVersion, schemaVersions, serviceName } from "../contract/service.ts"

const word = v.string()
const words = v.array(word)
const versions = shape({ research: v.literal(schemaVersions.research), library: v.literal(schemaVersions.library) })
const slices = v.array(v.picklist(enumerations.slice))
const surface = v.picklist(["research", "library"])

export const healthLive = shape({ status: v.literal("live") })

export const healthReady = shape({
  status: v.literal("ready"),
  protocolVersion: v.literal(protocolVersion),
  schemaVersions: versions,
  slices,
  instanceId: word,
  /** The instances this one was restored from, oldest first. */
  lineage: words,
  softwareVersion: word,
  /**
   * The latest time given to a write that the clock has not reached, because the clock was ahead then; null if there is
   * none.
   */
  datedAhead: v.nullable(word),
})

const conditional = shape({ field: word, when: shape({ field: word, in: words }) })
const operation = shape({
  name: word,
  surface,
  method: word,
  path: word,
  permissions: words,
  idempotencyKey: word,
  required: words,
  expected: words,
  requiredWhen: v.array(conditional),
  onlyWhen: v.array(conditional),
  inputSchemaUrl: word,
  exampleUrl: word,
  target: word,
})
export type ManifestOperation = v.InferOutput<typeof operation>

const read = shape({
  name: word,
  surface,
  method: word,
  path: word,
  permissions: words,
  parameters: words,
  cursor: v.nullable(word),
})
export type ManifestRead = v.InferOutput<typeof read>

const step = shape({ step: count, read: word, method: word, path: word, parameters: words, purpose: word })
export type BootstrapStep = v.InferOutput<typeof step>

export const manifest = shape({
  service: v.literal(serviceName),
  softwareVersion: word,
  protocolVersion: v.literal(protocolVersion),
  instanceId: word,
  /** The instances this one was restored from, oldest first. */
  lineage: words,
  baseUrl: word,
  supportedOrigins: words,
  schemaVersions: versions,
  slices,
  authentication: shape({
    scheme: v.literal("bearer"),
    header: word,
    agentWrites: word,
    agentReads: word,
    publicReads: word,
    library: word,
    permissions: v.record(word, word),
  }),
  permissions: v.array(v.picklist([...enumerations.permission, ...enumerations.libraryPermission])),
  operations: v.array(operation),
  batch: shape({ name: word, method: word, path: word, summary: word }),
  uploads: v.array(
    shape({
      name: word,
      method: word,
      path: word,
      permissions: v.array(v.picklist(enumerations.permission)),
      mediaTypes: words,
      summary: word,
    }),
  ),
  reads: v.array(read),
  refusals: v.array(shape({ code: word, status: v.array(count), meaning: word, retryable: v.boolean() })),
  limits: v.record(word, count),
  states: shape({ experiment: v.unknown(), attempt: v.unknown() }),
  enumerations: v.record(word, words),
  labels: v.array(shape({ prefix: word, object: word })),
  bootstrap: v.array(step),
})
export type Manifest = v.InferOutput<typeof manifest>

const jsonSchema = v.record(word, v.unknown())
const index = shape({
  schemaVersion: count,
  operations: v.array(shape({ name: word, schemaUrl: word, exampleUrl: word })),
})
const bundle = shape({
  schemaVersion: count,
  operations: v.array(shape({ name: word, inputSchema: jsonSchema, exampleBody: jsonSchema })),
})
/** An index, a bundle, or (with `operation`) a JSON Schema or an example body. */
export const schemaDocument = v.union([index, bundle, jsonSchema])
export type SchemaIndex = v.InferOutput<typeof index>
export type SchemaBundle = v.InferOutput<typeof bundle>

export const openApi = v.looseObject({ openapi: word, info: jsonSchema, paths: jsonSchema, components: jsonSchema })
