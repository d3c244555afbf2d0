/** What the descriptions of routes are made of: tags, who may call, and the responses that they have in common. */
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
  credential: { name: "Agent reads", description: "Reads that a Room credential unlocks." },
  library: {
    name: "Library",
    description: "The Library of one person: what a personal key unlocks for their own agent, and the same for themselves in the browser.",
  },
  public: { name: "Public reads", description: "Reads that anyone may ask for." },
  discovery: { name: "Discovery", description: "What the service offers, and how to work with it." },
  browser: { name: "Browser writes", description: "The same writes, and those on Rooms, by a person signed in to the browser." },
  account: { name: "Accounts", description: "Set-up, signing in and out, invitations." },
  session: { name: "Browser reads", description: "Reads of a person signed in to the browser." },
  operator: { name: "Administration", description: "What operators of the service read. To everybody else nothing is at these addresses." },
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

/** The responses that every path has in common, by the name under which each stands once in the document. */
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

/** What a description says beyond the summary, where there is something; clients in every language show it beside the call. */
export const described = (summary: string, ...more: readonly (string | false)[]): { summary: string; description: string } => ({
  summary,
  description: [summary, ...more.filter((sentence) => sentence !== false)].join(" "),
})
export const needs = (permissions: readonly string[]): string | false => permissions.length > 0 && `Needs ${permissions.join(" and ")}.`
