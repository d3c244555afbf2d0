/** Parts of the routes' descriptions: tags, security, shared responses. */
import type { JsonSchema } from "../contract/definitions/json-schema.ts"
import { type RefusalCode, refusals } from "../contract/refusals/refusal.ts"
import { reference } from "./components.ts"
import type { Content, DescribedAnswer, DescribedRoute } from "./openapi-types.ts"
import { byStatus, httpRefusals } from "./possible-refusals.ts"

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
  browser: { name: "Browser writes", description: "The same writes, and those on Rooms, by a person signed in to the browser." },
  account: { name: "Accounts", description: "Set-up, signing in and out, invitations." },
  session: { name: "Browser reads", description: "Reads of a person signed in to the browser." },
  operator: { name: "Administration", description: "Reads for operators of the service. For everybody else these addresses do not exist." },
} as const

export const securitySchemes = { credential: "roomCredential", key: "personalKey", session: "session" } as const
export type Security = DescribedRoute["security"]
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

export const responses = (description: string, content: Content, codes: readonly RefusalCode[]): DescribedRoute["responses"] => ({
  200: { description, content },
  ...references,
  ...Object.fromEntries(byStatus(codes).map(([status, found]) => [status, refusalResponse(found)])),
})

/** The summary, and a description that adds to it; generated clients show the description beside the call. */
export const described = (summary: string, ...more: readonly (string | false)[]): { summary: string; description: string } => ({
  summary,
  description: [summary, ...more.filter((sentence) => sentence !== false)].join(" "),
})
export const needs = (permissions: readonly string[]): string | false => permissions.length > 0 && `Needs ${permissions.join(" and ")}.`
