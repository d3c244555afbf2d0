/** The concepts that a record's assertion is made of: each is defined by the record itself, or by the one it is borrowed from. */
import type { Issue } from "../../contract/refusals.ts"
import type { Assertion, Concepts } from "../../contract/science.ts"
import type { ConceptIndex } from "./concepts.ts"

type Term = Assertion["predicate"] | Assertion["roles"][number]["value"]

/** The terms whose concept nobody defines. A record that is not there is at fault itself, not what is borrowed from it. */
export function undeclaredConcepts(index: ConceptIndex, { assertion, concepts }: { assertion: Assertion; concepts: Concepts }): Issue[] {
  const term = (value: Term, path: string): Issue[] => {
    if (value.type === "concept" && !Object.hasOwn(concepts, value.key))
      return [{ path: `${path}/key`, message: "is not declared in concepts" }]
    if (value.type === "concept_ref" && index.isUndefined(value.versionId, value.key))
      return [{ path: `${path}/key`, message: "is not a concept of that record" }]
    return []
  }
  return [
    ...term(assertion.predicate, "/assertion/predicate"),
    ...assertion.roles.flatMap(({ value }, position) => term(value, `/assertion/roles/${position}/value`)),
  ]
}
