/** Suggestions for inputs, from the records of the Room: concepts with their meaning, roles, repositories. */
import { accepted } from "../../contract/reads/accepted.ts"
import { orNull, type Visit } from "../visit.ts"

/** The usual roles. A form begins with the first two. */
export const usualRoles = [
  { role: "cause", definition: "What is changed." },
  { role: "effect", definition: "What is measured." },
  { role: "comparison", definition: "What it is compared with." },
  { role: "condition", definition: "What must hold for it." },
]

/** How many of the newest records or attempts are read. */
const LOOKED_INTO = 15

const distinctBy = <T>(items: readonly T[], name: (item: T) => string): T[] =>
  [...new Map([...items].reverse().map((item) => [name(item), item])).values()].reverse()

/** The concepts and roles of a Room's newest records. A concept `happens` if it is the predicate of its record. */
function wordsIn(visit: Visit, roomId: string) {
  const { items } = visit.ask("publications", {}, { roomId, limit: LOOKED_INTO })
  const records = items.map(({ versionId, label }) => {
    const { content } = visit.ask("record", { versionId })
    return { versionId, label, ...accepted("record", content) }
  })
  const concepts = records.flatMap(({ versionId, label, concepts, assertion: { predicate } }) =>
    Object.entries(concepts).map(([key, concept]) => ({
      key,
      ...concept,
      happens: predicate.key === key,
      record: { versionId, label },
    })),
  )
  const roles = records.flatMap(({ assertion }) =>
    assertion.roles.map(({ role, definition }) => ({ role, definition })),
  )
  return {
    concepts: distinctBy(concepts, ({ label }) => label.toLowerCase()),
    roles: distinctBy([...roles, ...usualRoles], ({ role }) => role),
  }
}

function repositoriesIn(visit: Visit, roomId: string): string[] {
  const { items } = visit.ask("attempts", {}, { roomId, limit: LOOKED_INTO })
  const found = items.map(({ attemptId }) => orNull(() => visit.ask("attempt", { attemptId }))?.repository.url)
  return [...new Set(found.filter((url) => url !== undefined))]
}

/** Returns the suggestions for the form of a statement, or of a plan or attempt. */
export const suggestionsOf = (visit: Visit, roomId: string | undefined, wanted: "statement" | "work" | null) => ({
  ...(roomId !== undefined && wanted === "statement" ? wordsIn(visit, roomId) : { concepts: [], roles: usualRoles }),
  repositories: roomId !== undefined && wanted === "work" ? repositoriesIn(visit, roomId) : [],
})
export type Suggestions = ReturnType<typeof suggestionsOf>

/** The name under which a concept is borrowed: "warm-up, as H1 means it". */
export const borrowedName = ({ label, record }: Suggestions["concepts"][number]): string =>
  `${label}, as ${record.label} means it`
