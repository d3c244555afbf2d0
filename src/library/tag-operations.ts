/** How a person tags the papers they saved. */
import { behaviour } from "../ledger/journal/behaviour.ts"
import { inLibrary } from "./filing-operations.ts"
import type { LibraryTables } from "./tables.ts"

export function tagOperations({ saved, tags }: Pick<LibraryTables, "saved" | "tags">) {
  const tag_papers = behaviour("tag_papers", {
    subject: () => inLibrary,
    admit: ({ actor, body }) => tags.mustTake(actor.userId, body.arxivIds, body.tags),
    write({ actor, body }, _subject, { at }) {
      const kept = saved.save(
        actor.userId,
        body.arxivIds.map((arxivId) => ({ arxivId })),
        at,
      )
      const { changed, before } = tags.add(actor.userId, body.arxivIds, body.tags)
      return {
        target: { id: actor.userId, label: null },
        result: { tags: body.tags, tagged: changed, alreadyTagged: before, ...kept, label: null },
      }
    },
  })

  const untag_papers = behaviour("untag_papers", {
    subject: () => inLibrary,
    write({ actor, body }) {
      const { changed, before } = tags.remove(actor.userId, body.arxivIds, body.tags)
      return {
        target: { id: actor.userId, label: null },
        result: { tags: body.tags, untagged: changed, notTagged: before, label: null },
      }
    },
  })

  return { tag_papers, untag_papers }
}
