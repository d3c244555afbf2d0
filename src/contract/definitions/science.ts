/** The parts of hypotheses, findings and cited claims. */
import { isObject } from "../json.ts"
import * as v from "valibot"
import { enumerations } from "../schema/enumerations.ts"
import { decimal, dictionary, distinctBy, key, list, oneOf, plain, shape, text, variant } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { ref } from "../schema/ref.ts"
import type { Issue } from "../refusals/refusal.ts"

const concept = shape({ type: v.literal("concept"), key })
const conceptRef = shape({ type: v.literal("concept_ref"), versionId: ref("record"), key })

const roleValue = variant("type", [
  concept,
  conceptRef,
  shape({ type: v.literal("record"), versionId: ref("record") }),
  shape({ type: v.literal("text"), value: text(limits.roleText) }),
  shape({ type: v.literal("decimal"), value: decimal, unit: plain(limits.unit) }),
  shape({ type: v.literal("boolean"), value: v.boolean("must be true or false") }),
])

export const assertion = shape({
  wording: text(limits.statement),
  predicate: variant("type", [concept, conceptRef]),
  roles: distinctBy(
    list(
      shape({ role: key, definition: text(limits.roleDefinition), value: roleValue }),
      limits.rolesMax,
      limits.rolesMin,
    ),
    "role",
  ),
})
export type Assertion = v.InferOutput<typeof assertion>

export const concepts = dictionary(
  shape({ label: text(limits.conceptLabel), definition: text(limits.conceptDefinition) }),
)
export type Concepts = v.InferOutput<typeof concepts>

export const scope = text(limits.statement)

export const premises = list(
  shape({ versionId: ref("record"), explanation: text(limits.explanation) }),
  limits.premises,
)

export const references = list(
  shape({
    versionId: ref("record"),
    purpose: oneOf(enumerations.referencePurpose),
    explanation: text(limits.explanation),
  }),
  limits.references,
)

/**
 * Finds the terms of an assertion whose concepts the record does not declare. Any input is accepted; only an assertion
 * has terms.
 */
export function undeclaredIn(body: unknown): Issue[] {
  const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)
  const declared = member(body, "concepts")
  const term = (value: unknown, path: string): Issue[] => {
    const conceptKey = member(value, "key")
    const isOwn = member(value, "type") === "concept" && typeof conceptKey === "string"
    const isDeclared = typeof declared === "object" && declared !== null && isOwn && Object.hasOwn(declared, conceptKey)
    return isOwn && !isDeclared ? [{ path: `${path}/key`, message: "is not declared in concepts" }] : []
  }
  const asserted = member(body, "assertion")
  const roles = member(asserted, "roles")
  return [
    ...term(member(asserted, "predicate"), "/assertion/predicate"),
    ...(Array.isArray(roles) ? roles.slice(0, limits.rolesMax) : []).flatMap((role, position) =>
      term(member(role, "value"), `/assertion/roles/${position}/value`),
    ),
  ]
}
