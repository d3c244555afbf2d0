/** The concepts that a record's assertion is made of: each is defined by the record itself, or by the one it is borrowed from. */
import type { Issue } from "../../contract/refusals/refusal.ts"
import { type Assertion, type Concepts, undeclaredIn } from "../../contract/definitions/science.ts"
import type { ConceptIndex } from "./concepts.ts"

type Term = Assertion["predicate"] | Assertion["roles"][number]["value"]

/** Predicate first, then the roles in their order. */
let inOrder: Intl.Collator | undefined

/** The terms whose concept nobody defines. A record that is not there is at fault itself, not what is borrowed from it. */
export function undeclaredConcepts(index: ConceptIndex, body: { assertion: Assertion; concepts: Concepts }): Issue[] {
  const borrowed = (value: Term, path: string): Issue[] =>
    value.type === "concept_ref" && index.isUndefined(value.versionId, value.key)
      ? [{ path: `${path}/key`, message: "is not a concept of that record" }]
      : []
  const { predicate, roles } = body.assertion
  return [
    ...undeclaredIn(body),
    ...borrowed(predicate, "/assertion/predicate"),
    ...roles.flatMap(({ value }, position) => borrowed(value, `/assertion/roles/${position}/value`)),
  ].sort((one, other) => (inOrder ??= new Intl.Collator("en", { numeric: true })).compare(one.path, other.path))
}
