/** The discovery routes, with which a client finds out what the service offers: their answers and definitions. */
import * as v from "valibot"
import { connectPaths, protocolVersion, schemaVersions, serviceName } from "../contract/service.ts"
import { enumerations } from "../contract/schema/enumerations.ts"
import { described } from "../contract/schema/validation.ts"
import { oneOf, plain, shape } from "../contract/schema/fields.ts"
import { type Read, read } from "../contract/definitions/read.ts"
import { count } from "../contract/answers/fields.ts"

// The answers.

const word = v.string()
const words = v.array(word)
const versions = shape({ research: v.literal(schemaVersions.research), library: v.literal(schemaVersions.library) })
const slices = v.array(v.picklist(enumerations.slice))
const servedTo = v.picklist(["research", "library"])

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
  surface: servedTo,
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

const manifestRead = shape({
  name: word,
  surface: servedTo,
  method: word,
  path: word,
  permissions: words,
  parameters: words,
  cursor: v.nullable(word),
})
export type ManifestRead = v.InferOutput<typeof manifestRead>

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
  reads: v.array(manifestRead),
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

// The routes.

const surface = "discovery"
const flag = (description: string) => v.exactOptional(described(v.literal("1"), description))

const schemaParameters = {
  operation: v.exactOptional(
    described(
      plain(1_000),
      "The operation whose JSON Schema to return, or reads; with compact one or several, separated by commas.",
    ),
  ),
  example: flag("With operation: an example body instead of the schema."),
  compact: flag(
    "With operation: the schema in at most 4 KB with examples, for reading; patterns and conditions become prose.",
  ),
  bundle: flag("Every operation of the document with its schema and its example body."),
}

const all = [
  read({
    name: "service",
    surface,
    path: "/.well-known/service.json",
    summary: "The manifest, at an address that needs only the host's name.",
    answer: manifest,
  }),
  read({
    name: "manifest",
    surface,
    path: "/api/manifest",
    summary: "Every operation, read, refusal, limit, state and enumeration, and the steps to start a client.",
    answer: manifest,
  }),
  read({
    name: "llms_txt",
    surface,
    path: "/llms.txt",
    summary: "An index of these documents in plain text.",
    mediaType: "text/plain",
    answer: v.string(),
  }),
  read({
    name: "health_ready",
    surface,
    path: "/api/health/ready",
    summary: "Whether the service accepts requests, its slices and its versions.",
    answer: healthReady,
  }),
  read({
    name: "health_live",
    surface,
    path: "/api/health/live",
    summary: "Whether the process runs.",
    answer: healthLive,
  }),
  read({
    name: "skill",
    surface,
    path: connectPaths.skill,
    summary: "How agents work here, in Markdown; part selects one of the references.",
    parameters: {
      part: v.exactOptional(described(oneOf(enumerations.skillPart), "Left out: how to start, and the rules.")),
      operation: v.exactOptional(
        described(plain(100), "With part: only the section of this operation or read; all: the whole part."),
      ),
    },
    mediaType: "text/markdown",
    refusals: ["unknown_operation"],
    answer: v.string(),
  }),
  read({
    name: "research_schema",
    surface,
    path: "/api/research/research-schema",
    summary: "JSON Schemas and example bodies of the research operations, Threads and messages included.",
    parameters: schemaParameters,
    refusals: ["unknown_operation"],
    answer: schemaDocument,
  }),
  read({
    name: "publication_schema",
    surface,
    path: "/api/research/publication-schema",
    summary: "JSON Schemas and example bodies of the operations that publish or reuse records.",
    parameters: schemaParameters,
    refusals: ["unknown_operation"],
    answer: schemaDocument,
  }),
  read({
    name: "library_schema",
    family: "library",
    surface,
    path: "/api/agent/library/schema",
    summary:
      "JSON Schemas and example bodies of the Library's operations. It needs no key; if one is sent, it must be valid.",
    parameters: schemaParameters,
    refusals: ["unknown_operation", "not_authenticated", "browser_origin"],
    answer: schemaDocument,
  }),
  read({
    name: "python_client",
    surface,
    path: "/research_room.py",
    summary:
      "A client for Python in one file: the standard library only, 3.9 and newer. Its docstring shows how to begin.",
    mediaType: "text/x-python",
    answer: v.string(),
  }),
  read({
    name: "skill_zip",
    surface,
    path: connectPaths.skill_zip,
    summary: "The skill as a folder in the open format of Agent Skills, with the Python client beside it, in a zip.",
    mediaType: "application/zip",
    answer: v.unknown(),
  }),
  read({
    name: "openapi",
    surface,
    path: "/api/openapi.json",
    summary:
      "OpenAPI 3.1 of all routes, the browser's included; slice selects the routes and schemas of one part of the " +
      "service.",
    parameters: {
      slice: v.exactOptional(described(oneOf(enumerations.slice), "Left out: everything.")),
    },
    answer: openApi,
  }),
] as const

export const discoveryRoutes: readonly Read[] = all

/** The metrics, for the operator only: in the OpenAPI document, but not among the routes for clients. */
export const metricsRead = read({
  name: "metrics",
  surface,
  path: "/metrics",
  summary:
    "For the operator: the service's metrics in Prometheus' text format. Served to the same machine, " +
    "or with the operator's token.",
  mediaType: "text/plain",
  refusals: ["unknown_operation"],
  answer: v.string(),
})

type Definition = (typeof all)[number]
export type DiscoveryName = Definition["name"]
/** The validated query parameters of a discovery route. */
export type DiscoveryParameters<N extends DiscoveryName> = v.InferOutput<Extract<Definition, { name: N }>["query"]>
