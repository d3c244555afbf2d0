/** The search. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { search, type Search } from "./search.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { offsetPage, pageSize } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { People } from "../../people/people.ts"
import type { EffectsOf } from "../../ledger/journal/timeline.ts"
import type { Hit } from "./snippet.ts"

// The read of full-text search.

interface Tables {
  readonly people: People
  readonly search: Search
  readonly effects: { readonly sentencesOf: EffectsOf }
}

export function searchReads({ people, search, effects }: Tables) {
  /** Adds the effects of findings. */
  function withEffects(hits: readonly Hit[]): Hit[] {
    const sentences = effects.sentencesOf(hits.flatMap(({ kind, id }) => (kind === "finding" ? [id] : [])))
    return hits.map((hit) => {
      const own = sentences.get(hit.id)
      return own === undefined ? hit : { ...hit, effects: [...own] }
    })
  }

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
      const page = offsetPage(found, after, query)
      return { ...page, items: withEffects(page.items), didYouMean }
    },
  } satisfies Partial<Readers>
}

export const domain = {
  tables: [({ db }: Ground) => ({ search: search(db) })],
  reads: [searchReads],
} satisfies Domain
