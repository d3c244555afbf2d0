/** Tagging saved papers. Tagging a paper also saves it. */
import { behaviour } from "../ledger/journal/behaviour.ts"
import { naming, papersNamedBy, inLibrary, outcome } from "./filed.ts"
import type { LibraryTables } from "./tables.ts"

export function tagOperations(tables: LibraryTables) {
  const { saved, tags, names } = tables
  const { named } = naming(tables)
  const tag_papers = behaviour("tag_papers", {
    subject: () => inLibrary,
    admit: ({ actor, body }) => tags.mustTake(actor.userId, papersNamedBy(names, actor.userId, body), body.tags),
    write({ actor, body }, _subject, change) {
      const sent = papersNamedBy(names, actor.userId, body).map((paperId) => ({ paperId }))
      const papers = named(actor.userId, sent, change)
      const kept = saved.save(actor.userId, papers, change.at)
      const paperIds = papers.map(({ paperId }) => paperId)
      const { changed, before } = tags.add(actor.userId, paperIds, body.tags)
      return outcome(actor.userId, { tags: body.tags, tagged: changed, alreadyTagged: before, ...kept, label: null })
    },
  })

  const untag_papers = behaviour("untag_papers", {
    subject: () => inLibrary,
    write({ actor, body }) {
      const { changed, before } = tags.remove(actor.userId, papersNamedBy(names, actor.userId, body), body.tags)
      return outcome(actor.userId, { tags: body.tags, untagged: changed, notTagged: before, label: null })
    },
  })

  return { tag_papers, untag_papers }
}
