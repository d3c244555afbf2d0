/** The routes by which a client finds out what the service offers. The edge serves each of them by its name. */
import * as v from "valibot"
import { enumerations } from "../contract/schema/enumerations.ts"
import { described } from "../contract/schema/described.ts"
import { oneOf, plain } from "../contract/schema/fields.ts"
import { type Read, read } from "../contract/definitions/read.ts"
import * as answers from "./answers.ts"

const surface = "discovery"
const flag = (description: string) => v.exactOptional(described(v.literal("1"), description))

const schemaParameters = {
  operation: v.exactOptional(
    described(plain(1_000), "The operation whose JSON Schema is asked for; with compact one or several, with commas between them."),
  ),
  example: flag("With operation: an example body in place of the schema."),
  compact: flag("With operation: the schema in at most 4 KB with examples, for reading; patterns and conditions are said in words."),
  bundle: flag("Every operation of the document with its schema and its example body."),
}

const all = [
  read({
    name: "service",
    surface,
    path: "/.well-known/service.json",
    summary: "The manifest, at the address where a client looks that knows only the host.",
    answer: answers.manifest,
  }),
  read({
    name: "manifest",
    surface,
    path: "/api/manifest",
    summary: "Every operation, read, refusal, limit, state and enumeration, and the steps by which a client starts.",
    answer: answers.manifest,
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
    summary: "Whether requests are taken, which slices are served, and in which versions.",
    answer: answers.healthReady,
  }),
  read({
    name: "health_live",
    surface,
    path: "/api/health/live",
    summary: "Whether the process answers at all.",
    answer: answers.healthLive,
  }),
  read({
    name: "skill",
    surface,
    path: "/api/research/skill",
    summary: "How an agent works here, in Markdown; part picks one of the references.",
    parameters: {
      part: v.exactOptional(described(oneOf(enumerations.skillPart), "Left out: how to start and what to do in each case.")),
      operation: v.exactOptional(described(plain(100), "With part: that of one operation.")),
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
    answer: answers.schemaDocument,
  }),
  read({
    name: "publication_schema",
    surface,
    path: "/api/research/publication-schema",
    summary: "JSON Schemas and example bodies of the operations that publish or reuse records.",
    parameters: schemaParameters,
    refusals: ["unknown_operation"],
    answer: answers.schemaDocument,
  }),
  read({
    name: "library_schema",
    family: "library",
    surface,
    path: "/api/agent/library/schema",
    summary: "JSON Schemas and example bodies of the Library's operations. It needs no key; where one is sent, it must be one.",
    parameters: schemaParameters,
    refusals: ["unknown_operation", "not_authenticated", "browser_origin"],
    answer: answers.schemaDocument,
  }),
  read({
    name: "python_client",
    surface,
    path: "/research_room.py",
    summary: "A client for Python in one file: the standard library only, 3.9 and newer. Its text says how to begin.",
    mediaType: "text/x-python",
    answer: v.string(),
  }),
  read({
    name: "skill_zip",
    surface,
    path: "/skill.zip",
    summary: "The skill as a folder in the open format of Agent Skills, with the Python client beside it, in a zip.",
    mediaType: "application/zip",
    answer: v.unknown(),
  }),
  read({
    name: "openapi",
    surface,
    path: "/api/openapi.json",
    summary: "OpenAPI 3.1 of everything, the browser's routes included; slice picks the routes and schemas of one part of the service.",
    parameters: {
      slice: v.exactOptional(described(oneOf(enumerations.slice), "Left out: everything.")),
    },
    answer: answers.openApi,
  }),
] as const

export const discoveryRoutes: readonly Read[] = all

/** What concerns the operator alone: described with all the rest, and nothing that a client is told to use. */
export const metricsRead = read({
  name: "metrics",
  surface,
  path: "/metrics",
  summary:
    "For the operator: what the service counts, in Prometheus' text format. Served on its own machine, or with the operator's token.",
  mediaType: "text/plain",
  refusals: ["unknown_operation"],
  answer: v.string(),
})

type Definition = (typeof all)[number]
export type DiscoveryName = Definition["name"]
/** The query parameters of a discovery route as the service sees them. */
export type DiscoveryParameters<N extends DiscoveryName> = v.InferOutput<Extract<Definition, { name: N }>["query"]>
