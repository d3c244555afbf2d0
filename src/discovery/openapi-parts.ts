/**
 * The parts of the OpenAPI document: its types, tags, security and shared responses, and how a route is described, with
 * the refusals that it can answer with.
 */
import * as v from "valibot"
import * as fields from "../contract/schema/fields.ts"
import { arxivId, key, plain, username, uuid } from "../contract/schema/fields.ts"
import * as libraryAnswers from "../contract/library/reads.ts"
import * as work from "../contract/definitions/work.ts"
import { digest } from "../contract/definitions/work.ts"
import * as activity from "../contract/reads/activity.ts"
import * as attempts from "../contract/nouns/attempt-answers.ts"
import * as credentials from "../contract/nouns/credentials.ts"
import * as experiments from "../contract/nouns/experiments.ts"
import * as materials from "../contract/nouns/materials.ts"
import * as parts from "../contract/answers/parts.ts"
import * as people from "../contract/nouns/people.ts"
import * as receipts from "../contract/answers/receipts.ts"
import { similarAnswer, similarItem, warning } from "../contract/answers/receipts.ts"
import * as records from "../contract/nouns/record-answers.ts"
import * as rooms from "../contract/nouns/rooms.ts"
import { license } from "../contract/nouns/rooms.ts"
import * as threads from "../contract/nouns/threads.ts"
import {
  type JsonSchema,
  bodySchema,
  type Form,
  jsonSchemaOf,
  type Shared,
  sharedSchemas,
} from "../contract/definitions/json-schema.ts"
import { type RefusalCode, refusals, type Circumstance, refusalCodes, codeIn } from "../contract/refusals.ts"
import type { Slice } from "../contract/schema/enumerations.ts"
import { attemptOutcome, freeText, withholding } from "../contract/answers/fields.ts"
import { asServed } from "../contract/reads/index.ts"
import { type Operation, pathNames } from "../contract/definitions/operation.ts"
import { aOrAn, objectList, unknownIn, unknownOf } from "../contract/objects/objects.ts"
import { uploadFigure } from "../contract/definitions/attachments.ts"
import type { Action } from "../contract/operations/actions.ts"
import type { Read } from "../contract/definitions/read.ts"
import { refersIn } from "../contract/schema/parts.ts"
import { states } from "../contract/states.ts"
import type { Family } from "../contract/service.ts"

// The refusals that a route can answer with, derived from its definition.

interface Facts {
  readonly family: Family
  readonly circumstances: readonly (Circumstance | false)[]
  readonly path: string
  /** The schema of the body or the query. */
  readonly input: v.GenericSchema
  /** The codes that the definition lists. */
  readonly own: readonly RefusalCode[]
}

/** The codes that apply, in the order of the table and under the family's names. */
function codes({ family, circumstances, path, input, own }: Facts): RefusalCode[] {
  const inPath = pathNames(path)
  const here = new Set(circumstances)
  here.add("any")
  const isOwn = (code: RefusalCode) => refusals[code].family === undefined || family === "library"
  if (!inPath.every((name) => unknownIn(name).some((code) => isOwn(code) && code !== "room_unavailable")))
    here.add("subject")
  const unknown = new Set([
    ...inPath.flatMap(unknownIn).filter(isOwn),
    ...refersIn(input).flatMap(({ refers }) => (refers.isSubject ? refers.named.map(unknownOf) : [])),
  ])
  const fits = (code: RefusalCode) =>
    own.includes(code) || unknown.has(code) || refusals[code].when?.some((circumstance) => here.has(circumstance))
  return [...new Set(refusalCodes.filter(fits).map((code) => codeIn(code, family)))]
}

/** The possible refusals of an operation, for an agent or, on the browser's path, for a person. */
export function operationRefusals(operation: Operation, caller: "agent" | "browser"): RefusalCode[] {
  const { family, path, body, permissions, by, archived, expected, refusals: own } = operation
  const inRooms = family === "research"
  const named = refersIn(body)
  const steps = states.experiment.transitions.filter((transition) => transition.operation === operation.name)
  const isAgent = caller === "agent"
  const inRoom = pathNames(path).length > 0 || named.length > 0
  return codes({
    family,
    circumstances: [
      "origin",
      "caller",
      "body",
      "query",
      "delivery",
      inRooms && by !== "person" && "membership",
      (by === "owner" || steps.some((step) => step.by === "proposer")) && "role",
      inRooms && isAgent && "scope",
      isAgent && permissions.length > 0 && "permission",
      named.some(({ refers }) => !refers.isSubject) && "reference",
      expected.length > 0 && "expectation",
      steps.length > 0 && "assignment",
    ],
    path,
    input: body,
    own: [
      ...own,
      ...(inRooms && inRoom ? (["room_mirrored"] as const) : []),
      ...(inRoom && archived !== "admitted" ? [archived] : []),
    ],
  })
}

const nothing = v.object({})
/** The possible refusals of an upload of a picture. */
export const uploadRefusals = (caller: "agent" | "browser"): RefusalCode[] =>
  codes({
    family: "research",
    circumstances: ["origin", "caller", "body", caller === "agent" && "permission"],
    path: uploadFigure.path,
    input: nothing,
    own: [],
  })
export const figureRefusals = codes({
  family: "research",
  circumstances: [],
  path: "",
  input: nothing,
  own: ["unknown_figure"],
})

export const actionRefusals = ({ path, body, by, refusals: own }: Action): RefusalCode[] =>
  codes({ family: "research", circumstances: ["origin", "body", by !== "anyone" && "caller"], path, input: body, own })

/** @param caller an agent, or a person on the browser's path */
export function readRefusals(
  { family, path, permissions, query, surface, refusals: own }: Read,
  caller: "agent" | "browser" = "agent",
): RefusalCode[] {
  const ofRoom =
    family === "research" && pathNames(path).some((name) => name !== "userId" && unknownIn(name).length > 0)
  const credential = (surface === "credential" || surface === "key") && caller === "agent"
  const session = surface === "session" || (surface === "key" && caller === "browser")
  return codes({
    family,
    circumstances: [
      "query",
      (credential || session) && "caller",
      credential && "origin",
      credential && permissions.length > 0 && "permission",
      credential && ofRoom && "scope",
      session && ofRoom && "membership",
    ],
    path,
    input: query,
    own,
  })
}

/** The refusals possible on any path, before its route runs. */
const httpRefusals: readonly RefusalCode[] = refusalCodes.filter((code) => refusals[code].when?.includes("http"))

/** Groups codes by HTTP status, in ascending order. */
function byStatus(found: readonly RefusalCode[]): [status: number, codes: RefusalCode[]][] {
  const groups = new Map<number, RefusalCode[]>()
  for (const code of found)
    for (const status of refusals[code].status) groups.getOrInsertComputed(status, () => []).push(code)
  return [...groups].sort(([one], [other]) => one - other)
}

// The parameters of paths and queries, as OpenAPI describes them.

/** The path parameters that are not UUIDs. */
const pathFields: Readonly<Record<string, v.GenericSchema>> = { key, token: plain(200), arxivId, username, digest }

/** A parameter as OpenAPI describes it. */
export interface Parameter {
  readonly name: string
  readonly in: "path" | "query"
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
  readonly style?: string
  readonly explode?: boolean
}

/**
 * Describes which object an id belongs to. A versionId may be of any kind of record, a linkId of either kind of link.
 */
function idOf(name: string): { description: string } | Record<string, never> {
  const [first, ...others] = objectList.filter(({ id }) => id === name)
  if (first === undefined) return {}
  const noun = others.length === 0 ? first.noun[0] : name === "versionId" ? "record" : name.replace(/Id$/, "")
  return { description: `The id of ${aOrAn(noun)}.` }
}

const pathParameter = (name: string): Parameter => ({
  name,
  in: "path",
  required: true,
  ...idOf(name),
  schema: jsonSchemaOf(pathFields[name] ?? uuid),
})

export const pathParameters = (path: string): Parameter[] => pathNames(path).map(pathParameter)

/** The schema that describes a query parameter: the one its definition gives, or else that of its text. */
function parameterSchema(schema: v.GenericSchema): JsonSchema {
  const { parameter } = v.getMetadata(schema) as { parameter?: JsonSchema }
  return parameter ?? jsonSchemaOf(schema)
}

type Entry = v.ObjectEntries[string]
const isOptional = (entry: Entry): entry is v.ExactOptionalSchema<v.GenericSchema, undefined> =>
  entry.type === "exact_optional"

function queryParameter(name: string, entry: Entry): Parameter {
  const optional = isOptional(entry)
  const { description, ...schema } = parameterSchema(optional ? entry.wrapped : entry)
  return {
    name,
    in: "query",
    required: !optional,
    ...(typeof description === "string" ? { description } : {}),
    // A list is sent as one value, separated by commas.
    ...(schema.type === "array" ? { style: "form", explode: false } : {}),
    schema,
  }
}

export const queryParameters = (entries: v.ObjectEntries): Parameter[] =>
  Object.entries(entries).map(([name, entry]) => queryParameter(name, entry))

// The shared schemas of the OpenAPI document: answers and parts of bodies, under their names in the code.

/** `publish_hypothesis` and `roomSummary` as `PublishHypothesis` and `RoomSummary`. */
export const typeName = (name: string): string =>
  name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const SHARED_TYPES: readonly string[] = ["strict_object", "record", "union"]
const isShared = (value: unknown): value is v.GenericSchema =>
  typeof value === "object" && value !== null && "type" in value && SHARED_TYPES.some((type) => type === value.type)

/** The schemas that a module exports and that get a component of their own. */
const named = (module: object, suffix: string): Shared =>
  Object.fromEntries(
    Object.entries(module)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([name, value]) => (isShared(value) ? [[`${typeName(name)}${suffix}`, asServed(value)]] : [])),
  )

/** The answers that get a component of their own, in the order in which components of one name are numbered. */
const answering = [
  { similarAnswer, warning },
  attempts,
  { ...experiments, ...materials },
  { ...activity, ...credentials, ...parts, ...people, ...receipts, ...records, ...rooms, ...threads },
]

const answered: Form & { shared: Shared } = {
  open: true,
  shared: {
    FreeText: freeText,
    Withholding: withholding,
    SimilarItem: similarItem,
    // Not AttemptOutcome: the kind of evidence attempt_outcome is a constant of that name in some languages.
    OutcomeOfAttempt: attemptOutcome,
    ...Object.assign({}, ...answering.map((module) => named(module, ""))),
    ...named(libraryAnswers, ""),
  },
}
const sent: Form & { shared: Shared } = {
  // Includes the licence, a list of some seven hundred words.
  shared: { ...named(fields, "Input"), ...named(work, "Input"), LicenseInput: license },
}

/** The schema of an answer: clients must accept members that are added later. */
export const answerSchema = (schema: v.GenericSchema): JsonSchema => jsonSchemaOf(schema, answered)

/** The schema of an action's body. */
export const sentSchema = (schema: v.GenericSchema): JsonSchema => jsonSchemaOf(schema, sent)

export const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
export const bodyName = ({ name }: { name: string }): string => `${typeName(name)}Body`
export const receiptName = ({ name }: { name: string }): string => `${typeName(name)}Receipt`

const refusalCode: JsonSchema = {
  type: "string",
  description: Object.entries(refusals)
    .map(([code, { meaning }]) => `- \`${code}\`: ${meaning}`)
    .join("\n"),
}

const refusal = (): JsonSchema => {
  const { $ref: _itself, ...schema } = sharedSchemas(answered).Refusal ?? {}
  return { ...schema, properties: { ...schema.properties, refusal: reference("RefusalCode") } }
}

/** The operations whose receipts tell what was tried before. */
const FINDS_SIMILAR = ["publish_hypothesis", "propose_experiment", "publish_finding", "register_attempt"]

/** The receipt of one operation as a single object: clients in many languages cannot combine schemas. */
function receipt({ schemaVersion, name, result }: Operation): JsonSchema {
  const { similar, sameExecution, readAs, ...always } = receipts.receipt.entries
  const entries: v.ObjectEntries = {
    ...always,
    ...(FINDS_SIMILAR.includes(name) && { similar, sameExecution }),
    ...(name === "report_attempt_event" && { readAs }),
    schemaVersion: v.literal(schemaVersion),
    operation: v.literal(name),
    result,
  }
  return answerSchema(fields.shape(entries))
}

/** JSON of any shape. Client generators cannot follow a recursive schema; the operation's own schema is exact. */
const free = { JsonInput: { description: "Any JSON value whose strings hold no NUL." } }

/** The document's `components.schemas`. */
export const componentSchemas = (operations: readonly Operation[]): Record<string, JsonSchema> => ({
  RefusalCode: refusalCode,
  ...sharedSchemas(answered),
  Refusal: refusal(),
  ...sharedSchemas(sent),
  ...free,
  ...Object.fromEntries(
    operations.flatMap((operation) => [
      [bodyName(operation), bodySchema(operation, sent)],
      [receiptName(operation), receipt(operation)],
    ]),
  ),
})

/** The content of a body or response, by media type. */
export type Content = Readonly<Record<string, { readonly schema?: JsonSchema; readonly example?: unknown }>>

/** A response, or a reference to a shared one. */
export interface DescribedAnswer {
  readonly $ref?: string
  readonly description?: string
  readonly headers?: Readonly<Record<string, object>>
  readonly content?: Content
  readonly "x-refusals"?: readonly string[]
}

export const tags = {
  agent: {
    name: "Agent writes",
    description: "Writes with a Room credential. Each is admitted or refused as a whole and answers a receipt.",
  },
  credential: { name: "Agent reads", description: "Reads that need a Room credential." },
  library: {
    name: "Library",
    description: "A person's Library: for their agents with a personal key, and for the person in the browser.",
  },
  public: { name: "Public reads", description: "Reads that need no credential." },
  discovery: { name: "Discovery", description: "What the service offers, and how to work with it." },
  browser: {
    name: "Browser writes",
    description: "The same writes, and those on Rooms, by a person signed in to the browser.",
  },
  account: { name: "Accounts", description: "Set-up, signing in and out, invitations." },
  session: { name: "Browser reads", description: "Reads of a person signed in to the browser." },
  operator: {
    name: "Administration",
    description: "Reads for operators of the service. For everybody else these addresses do not exist.",
  },
} as const

export const securitySchemes = { credential: "roomCredential", key: "personalKey", session: "session" } as const
export type Security = readonly Readonly<Record<string, readonly string[]>>[]
export const byCredential = [{ [securitySchemes.credential]: [] }]
export const byKey = [{ [securitySchemes.key]: [] }]
export const bySession = [{ [securitySchemes.session]: [] }]
export const byAnyone: Security = []

export const json = (schema: JsonSchema, more: { readonly example?: unknown } = {}): Content => ({
  "application/json": { schema, ...more },
})

const retryAfter = { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } }

function refusalResponse(codes: readonly RefusalCode[]): DescribedAnswer {
  const retryable = codes.some((code) => refusals[code].retryable)
  return {
    description: codes.map((code) => `\`${code}\``).join(", "),
    ...(retryable ? { headers: retryAfter } : {}),
    content: json(reference("Refusal")),
    "x-refusals": codes,
  }
}

/** The responses that every path shares, under their names in the document. */
export const commonResponses: Readonly<Record<string, DescribedAnswer>> = Object.fromEntries(
  byStatus(httpRefusals).map(([status, found]) => [`Refused${status}`, refusalResponse(found)]),
)
const references = Object.fromEntries(
  byStatus(httpRefusals).map(([status]) => [status, { $ref: `#/components/responses/Refused${status}` }]),
)

interface Route {
  readonly name: string
  readonly path: string
  readonly slice: Slice | null
  readonly method: string
  /** The summary, and sentences that add to it. Generated clients show all of them beside the call. */
  readonly words: readonly [string, ...(string | false)[]]
  readonly tag: keyof typeof tags
  readonly security: Security
  /** The parameters beyond those of the path. */
  readonly parameters?: readonly Parameter[]
  readonly body?: Content
  readonly answer: readonly [description: string, content: Content]
  readonly refusals: readonly RefusalCode[]
}

const responses = (
  [description, content]: Route["answer"],
  codes: Route["refusals"],
): Readonly<Record<string, DescribedAnswer>> => ({
  200: { description, content },
  ...references,
  ...Object.fromEntries(byStatus(codes).map(([status, found]) => [status, refusalResponse(found)])),
})

/** Describes a route. */
export const described = ({
  name,
  path,
  slice,
  method,
  words,
  tag,
  security,
  parameters = [],
  body,
  answer,
  refusals,
}: Route) => ({
  path,
  slice,
  method: method.toLowerCase(),
  operation: {
    operationId: name,
    summary: words[0],
    description: words.filter((sentence) => sentence !== false).join(" "),
    tags: [tags[tag].name],
    security,
    parameters: [...pathParameters(path), ...parameters],
    ...(body && { requestBody: { required: true, content: body } }),
    responses: responses(answer, refusals),
  },
})
export type OpenApiRoute = ReturnType<typeof described>
export type DescribedRoute = OpenApiRoute["operation"]
