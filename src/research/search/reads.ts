/** The read of full-text search. */
import { offsetPage, pageSize } from "../../ledger/paging.ts"
import type { Readers } from "../../ledger/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Search } from "./search.ts"

interface Parts {
  readonly rooms: Rooms
  readonly search: Search
}

export function searchReads({ rooms, search }: Parts) {
  return {
    search({ query }) {
      const { query: words, roomId, kinds, after = 0 } = query
      if (roomId !== undefined) rooms.mustExist(roomId)
      return offsetPage(search.find(words, { roomId, kinds }, after, pageSize(query) + 1), after, query)
    },
  } satisfies Partial<Readers>
}
