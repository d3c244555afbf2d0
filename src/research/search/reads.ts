/** The read of full-text search. */
import { Refusal } from "../../contract/refusals.ts"
import { offsetPage, pageSize } from "../../ledger/paging.ts"
import type { Readers } from "../../ledger/reading.ts"
import type { People } from "../../people/people.ts"
import type { Search } from "./search.ts"

interface Parts {
  readonly people: People
  readonly search: Search
}

export function searchReads({ people, search }: Parts) {
  return {
    search({ query }) {
      const { query: words, roomId, kinds, author, status, since, after = 0 } = query
      const authorId = author === undefined ? undefined : people.idOf(author)
      if (author !== undefined && authorId === undefined) throw new Refusal("room_unavailable", "There is no such person.")
      return offsetPage(search.find(words, { roomId, kinds, authorId, status, since }, after, pageSize(query) + 1), after, query)
    },
  } satisfies Partial<Readers>
}
