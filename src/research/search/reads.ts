/** The read of full-text search. */
import { Refusal } from "../../contract/refusals/refusal.ts"
import { offsetPage, pageSize } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { People } from "../../people/people.ts"
import type { Search } from "./search.ts"

export function searchReads({ people, search }: { people: People; search: Search }) {
  return {
    search({ query }) {
      const { query: words, roomId, kinds, author, agent, status, since, after = 0 } = query
      const authorId = author === undefined ? undefined : people.idOf(author)
      if (author !== undefined && authorId === undefined)
        throw new Refusal("invalid_parameter", "There is no person with that id or name.", {
          issues: [{ path: "/author", message: "must be the id or the name of a person" }],
        })
      const within = { roomId, kinds, authorId, agent, status, since }
      const found = search.find(words, within, after, pageSize(query) + 1)
      const near = found.length > 0 || after > 0 ? undefined : search.respelled(words)
      const didYouMean = near !== undefined && search.find(near, within, 0, 1).length > 0 ? near : null
      return { ...offsetPage(found, after, query), didYouMean }
    },
  } satisfies Partial<Readers>
}
