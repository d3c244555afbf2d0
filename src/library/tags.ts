/** The tags that a person put on saved papers. */
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import { mustFit } from "./reach/scope.ts"

export function tags(db: Db) {
  const insert = inserting(db, "paper_tags", { onConflict: "DO NOTHING" })
  const remove = db.prepare("DELETE FROM paper_tags WHERE user_id = +? AND paper_id = +? AND tag = +?")
  const ofPaper = db.prepare<{ tag: string }>(
    "SELECT tag FROM paper_tags WHERE user_id = +? AND paper_id = +? ORDER BY tag",
  )
  const all = db.prepare<{ tag: string; papers: number }>(
    "SELECT tag, papers FROM tag_counts WHERE user_id = +? ORDER BY tag",
  )

  /**
   * Runs a step for each paper. @returns the papers that it changed, and those that needed no change, each in the order
   * they were sent
   */
  function forEachPaper(paperIds: readonly string[], isChanged: (paperId: string) => boolean) {
    const changed = paperIds.filter(isChanged)
    return { changed, before: paperIds.filter((paperId) => !changed.includes(paperId)) }
  }

  return {
    /** @throws Refusal `limit_reached` if the tags would exceed a limit */
    mustTake(userId: string, paperIds: readonly string[], given: readonly string[]): void {
      const known = new Set(all.all(userId).map(({ tag }) => tag))
      mustFit("tags", known.size, given.filter((tag) => !known.has(tag)).length)
      for (const paperId of paperIds) {
        const present = ofPaper.all(userId, paperId).map(({ tag }) => tag)
        mustFit("paperTags", present.length, given.filter((tag) => !present.includes(tag)).length)
      }
    },
    /** Tags papers, which must be saved already. */
    add: (userId: string, paperIds: readonly string[], given: readonly string[]) =>
      forEachPaper(paperIds, (paperId) => given.map((tag) => insert({ userId, paperId, tag })).includes(1)),
    remove: (userId: string, paperIds: readonly string[], given: readonly string[]) =>
      forEachPaper(paperIds, (paperId) => given.map((tag) => remove.run(userId, paperId, tag)).includes(1)),
    /** Returns all tags of a person by name, with the number of papers each is on. */
    all: (userId: string) => all.all(userId),
  }
}
