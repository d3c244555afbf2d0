/** A person's own tags of the papers they saved. */
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import { mustFit } from "./reach/scope.ts"

/** What was changed of some papers, and what was so before, in the order they were sent. */
export interface TagChanges {
  readonly changed: string[]
  readonly before: string[]
}

export function tags(db: Db) {
  const insert = inserting(db, "paper_tags", { onConflict: "DO NOTHING" })
  const remove = db.prepare("DELETE FROM paper_tags WHERE user_id = +? AND paper_id = +? AND tag = +?")
  const on = db.prepare<{ tag: string }>("SELECT tag FROM paper_tags WHERE user_id = +? AND paper_id = +? ORDER BY tag")
  const all = db.prepare<{ tag: string; papers: number }>("SELECT tag, papers FROM tag_counts WHERE user_id = +? ORDER BY tag")

  /** Tells the papers of which a step changed something from those of which it did not. */
  function told(paperIds: readonly string[], step: (paperId: string) => boolean): TagChanges {
    const changed = paperIds.filter(step)
    return { changed, before: paperIds.filter((paperId) => !changed.includes(paperId)) }
  }

  return {
    /** @throws Refusal `limit_reached` where there is no room for the tags */
    mustTake(userId: string, paperIds: readonly string[], given: readonly string[]): void {
      const known = new Set(all.all(userId).map(({ tag }) => tag))
      mustFit("tags", known.size, given.filter((tag) => !known.has(tag)).length)
      for (const paperId of paperIds) {
        const there = on.all(userId, paperId).map(({ tag }) => tag)
        mustFit("paperTags", there.length, given.filter((tag) => !there.includes(tag)).length)
      }
    },
    /** Tags papers that are saved. */
    add: (userId: string, paperIds: readonly string[], given: readonly string[]): TagChanges =>
      told(paperIds, (paperId) => given.map((tag) => insert({ userId, paperId, tag })).includes(1)),
    remove: (userId: string, paperIds: readonly string[], given: readonly string[]): TagChanges =>
      told(paperIds, (paperId) => given.map((tag) => remove.run(userId, paperId, tag)).includes(1)),
    /** The tags of one paper. */
    of: (userId: string, paperId: string): string[] => on.all(userId, paperId).map(({ tag }) => tag),
    /** All tags of a person, by name. */
    all: (userId: string) => all.all(userId),
  }
}
