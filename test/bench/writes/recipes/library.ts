/** Writes of the Library. One person may have only so much of most things, so there are as many people as needed. */
import { limits } from "../../../../src/contract/limits.ts"
import type { House } from "../../data/house.ts"
import { inTurn, times } from "../../data/house.ts"
import { arxivId } from "../../data/targets.ts"
import type { Recipes } from "../recipes.ts"

/** Groups of at most `size`: for each write, the index of its group. */
const groups = <T>(count: number, size: number, make: (group: number) => T): T[] => times(Math.ceil(count / size), make)

const collection = (house: House, name: string, person = house.owner): string =>
  house.does("create_collection", { name }, person).result.collectionId

/** A Collection of the demo's owner with this many papers. */
function filled(house: House, papers: readonly string[], group: number): string {
  const collectionId = collection(house, `Filled ${group}`)
  for (let next = 0; next < papers.length; next += limits.arxivIds)
    house.does("add_papers", { collectionId, arxivIds: papers.slice(next, next + limits.arxivIds) }, house.owner)
  return collectionId
}

/** Fewer than a Collection may hold: HTTP and the bare loop stay far below the cap. */
const PAPERS = 900

export const library: Recipes<
  "save_papers" | "create_collection" | "add_papers" | "remove_paper" | "rename_collection" | "post_note"
> = {
  save_papers(house, count) {
    const holders = groups(count, limits.savedPapers / 4, (group) => house.keyHolder(`saver${group}`))
    return times(count, (index) => ({
      said: { arxivIds: [arxivId(index * 2), arxivId(index * 2 + 1)] },
      token: inTurn(holders, index).token,
    }))
  },
  create_collection(house, count) {
    const holders = groups(count, limits.ownedCollections - 10, (group) => house.keyHolder(`collector${group}`))
    return times(count, (index) => ({ said: { name: `Collection ${index}` }, token: inTurn(holders, index).token }))
  },
  add_papers(house, count) {
    const made = groups(count, PAPERS, (group) => collection(house, `To fill ${group}`))
    return times(count, (index) => ({ said: { collectionId: inTurn(made, index), arxivIds: [arxivId(index)] } }))
  },
  remove_paper(house, count) {
    const papers = times(count, arxivId)
    const made = groups(count, PAPERS, (group) =>
      filled(house, papers.slice(group * PAPERS, (group + 1) * PAPERS), group),
    )
    return papers.map((paper, index) => ({
      said: { collectionId: made[Math.floor(index / PAPERS)] as string, arxivId: paper },
    }))
  },
  rename_collection(house, count) {
    const made = times(20, (index) => collection(house, `To rename ${index}`))
    return times(count, (index) => ({ said: { collectionId: inTurn(made, index), name: `Renamed ${index}` } }))
  },
  post_note(house, count) {
    const papers = times(Math.ceil(count / (limits.threadNotes / 2)), arxivId)
    const collectionId = filled(house, papers, 0)
    return times(count, (index) => ({
      said: { collectionId, arxivId: inTurn(papers, index), replyToNoteId: undefined },
    }))
  },
}
