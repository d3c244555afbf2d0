/** The exact references that a record's content makes, each with its path, so that an unknown one can be named. */
import type { Issue } from "../../contract/refusals.ts"
import type { Assertion, Concepts } from "../../contract/science.ts"
import { pointer } from "../../contract/validation.ts"
import type { ConceptIndex } from "./concepts.ts"
import type { Records } from "./records.ts"

interface Referring {
  readonly assertion: Assertion
  readonly concepts: Concepts
  readonly premises?: readonly { readonly versionId: string }[]
  readonly references?: readonly { readonly versionId: string }[]
}

type Term = Assertion["predicate"] | Assertion["roles"][number]["value"]

/** The references in `content` to records and concepts that do not exist. A declared concept must stand in `concepts`. */
export function unknownReferences(
  { records, concepts: index }: { records: Records; concepts: ConceptIndex },
  { assertion, concepts, premises = [], references = [] }: Referring,
): Issue[] {
  const issues: Issue[] = []
  const known = new Map<string, boolean>()

  function record(versionId: string, path: (string | number)[]): boolean {
    const exists = known.get(versionId) ?? records.exists(versionId)
    known.set(versionId, exists)
    if (!exists) issues.push({ path: pointer(path), message: "is no record of this service" })
    return exists
  }

  function term(value: Term, path: (string | number)[]): void {
    if (value.type === "concept" && !Object.hasOwn(concepts, value.key)) {
      issues.push({ path: pointer([...path, "key"]), message: "is not declared in concepts" })
    }
    if (value.type === "record") record(value.versionId, [...path, "versionId"])
    if (value.type === "concept_ref" && record(value.versionId, [...path, "versionId"]) && !index.exists(value.versionId, value.key)) {
      issues.push({ path: pointer([...path, "key"]), message: "is no concept of that record" })
    }
  }

  term(assertion.predicate, ["assertion", "predicate"])
  assertion.roles.forEach(({ value }, index) => term(value, ["assertion", "roles", index, "value"]))
  premises.forEach(({ versionId }, index) => record(versionId, ["premises", index, "versionId"]))
  references.forEach(({ versionId }, index) => record(versionId, ["references", index, "versionId"]))
  return issues
}
