/** The read of full-text search. */
import { offsetPage, pageSize } from "../../ledger/paging.ts"
import type { Readers } from "../../ledger/reading.ts"
import type { Search } from "./search.ts"

interface Parts {
  readonly search: Search
}

export function searchReads({ search }: Parts) {
  return {
    search({ query }) {
      const { query: words, roomId, kinds, after = 0 } = query
      return offsetPage(search.find(words, { roomId, kinds }, after, pageSize(query) + 1), after, query)
    },
  } satisfies Partial<Readers>
}
