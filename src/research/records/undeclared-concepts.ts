/** Checks that each concept in an assertion is defined, by the record itself or by the record it is taken from. */
import type { Issue } from "../../contract/refusals/refusal.ts"
import { type Assertion, type Concepts, undeclaredIn } from "../../contract/definitions/science.ts"
import type { ConceptIndex } from "./concepts.ts"

type Term = Assertion["predicate"] | Assertion["roles"][number]["value"]

/** Sorts paths: the predicate first, then the roles in order. */
let collator: Intl.Collator | undefined

/** Returns an issue for each term whose concept is not defined. A record that does not exist is reported elsewhere. */
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
  ].sort((one, other) => (collator ??= new Intl.Collator("en", { numeric: true })).compare(one.path, other.path))
}
