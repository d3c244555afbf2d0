/** The parts of the OpenAPI document: its types, tags, security and shared responses, and how a route is described. */
import type { JsonSchema } from "../contract/definitions/json-schema.ts"
import { type RefusalCode, refusals } from "../contract/refusals/refusal.ts"
import type { Slice } from "../contract/schema/enumerations.ts"
import { reference } from "./components.ts"
import { type Parameter, pathParameters } from "./parameters.ts"
import { byStatus, httpRefusals } from "./possible-refusals.ts"

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
