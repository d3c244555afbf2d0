/** A Library as full as it may be. Its caps are low enough to fill it with the service's own code. */
import { limits } from "../../../../src/contract/limits.ts"
import type { House } from "../../data/house.ts"
import { times } from "../../data/house.ts"
import { arxivId } from "../../data/targets.ts"

const batches = (papers: number): string[][] =>
  times(Math.ceil(papers / limits.arxivIds), (batch) =>
    times(Math.min(limits.arxivIds, papers - batch * limits.arxivIds), (index) =>
      arxivId(batch * limits.arxivIds + index),
    ),
  )

/** Fills the Library of the demo's owner with `size` of everything, or up to its cap. */
export function fillLibrary(house: House, size: number) {
  const { owner } = house
  const saved = Math.min(size, limits.savedPapers - 1_000)
  const collectionPapers = Math.min(size, limits.collectionPapers)
  const notes = Math.min(size, limits.threadNotes)
  return house.fill(() => {
    for (const arxivIds of batches(saved)) house.does("save_papers", { arxivIds }, owner)
    const { collectionId } = house.does("create_collection", { name: "As full as may be" }, owner).result
    for (const arxivIds of batches(collectionPapers)) house.does("add_papers", { collectionId, arxivIds }, owner)
    const noted = arxivId(0)
    for (let made = 0; made < notes; made += 1)
      house.does("post_note", { collectionId, arxivId: noted, replyToNoteId: undefined }, owner)
    const owned = Math.min(size, limits.ownedCollections - 20)
    for (let made = 0; made < owned; made += 1) house.does("create_collection", { name: `Collection ${made}` }, owner)
    return { collectionId, noted, saved, collectionPapers, notes }
  })
}
