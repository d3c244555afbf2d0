/** A person's private annotations of a paper: notes, highlights and the reading position. */
import type { Highlight, Annotations as Shown } from "../contract/library/answers.ts"
import { named } from "../contract/library/reads.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"

const HIGHLIGHTS = `SELECT highlight_id AS highlightId, quote, page, colour, comment, version, prefix, suffix,
    created_at AS createdAt, updated_at AS updatedAt
  FROM highlights`

export function annotations(db: Db) {
  const one = db.prepare<Pick<Shown, "revision" | "notes" | "updatedAt">>(
    "SELECT revision, notes, updated_at AS updatedAt FROM annotations WHERE user_id = +? AND paper_id = +?",
  )
  const raise = db.prepare<{ revision: number }>(
    `INSERT INTO annotations (user_id, paper_id, revision, notes, updated_at) VALUES (+?, +?, 1, coalesce(+?, ''), +?)
     ON CONFLICT DO UPDATE SET revision = revision + 1, notes = coalesce(+?, notes), updated_at = excluded.updated_at
      RETURNING revision`,
  )
  const insert = inserting(db, "highlights")
  const found = db.prepare<Highlight & { paperId: string }>(
    `${HIGHLIGHTS.replace("SELECT", "SELECT paper_id AS paperId,")} WHERE highlight_id = +? AND user_id = +?`,
  )
  const amend = db.prepare("UPDATE highlights SET colour = +?, comment = +?, updated_at = +? WHERE highlight_id = +?")
  const remove = db.prepare("DELETE FROM highlights WHERE highlight_id = +?")
  const all = db.prepare<Highlight>(`${HIGHLIGHTS} WHERE user_id = +? AND paper_id = +? ORDER BY page, highlight_id`)
  const count = db.prepare<{ held: number }>(
    "SELECT count(*) AS held FROM highlights WHERE user_id = +? AND paper_id = +?",
  )
  const position = db.prepare<{ page: number; pages: number | null; offset: number; at: string }>(
    `SELECT page, pages, thousandths AS offset, set_at AS at
      FROM reading_positions
      WHERE user_id = +? AND paper_id = +?`,
  )
  const positions = db.prepare<{ paperId: string; page: number; pages: number | null }>(
    `SELECT paper_id AS paperId, page, pages
      FROM reading_positions
      WHERE user_id = +? AND paper_id IN (SELECT value FROM json_each(+?))`,
  )
  // A stored page count is dropped if the reader is past it.
  const setPosition = db.prepare<{ pages: number | null }>(
    `INSERT INTO reading_positions (user_id, paper_id, page, pages, thousandths, set_at) VALUES (+?, +?, +?, +?, +?, +?)
     ON CONFLICT DO UPDATE SET page = excluded.page, thousandths = excluded.thousandths, set_at = excluded.set_at,
       pages = coalesce(excluded.pages, CASE WHEN pages >= excluded.page THEN pages END) RETURNING pages`,
  )

  return {
    /** Returns the annotations of a paper, at revision 0 if there are none. */
    read(userId: string, paperId: string) {
      const { revision, notes, updatedAt } = one.get(userId, paperId) ?? { revision: 0, notes: "", updatedAt: null }
      return {
        ...named(paperId),
        revision,
        notes,
        highlights: revision === 0 ? [] : all.all(userId, paperId),
        updatedAt,
      }
    },
    revision: (userId: string, paperId: string): number => one.get(userId, paperId)?.revision ?? 0,
    /** Increments the revision, replaces the notes unless they are null, and returns the revision. */
    raise: (userId: string, paperId: string, notes: string | null, at: string): number =>
      raise.one(userId, paperId, notes, at, notes).revision,

    highlights: (userId: string, paperId: string): number => count.get(userId, paperId)?.held ?? 0,
    addHighlight(
      userId: string,
      paperId: string,
      highlight: Omit<Highlight, "createdAt" | "updatedAt">,
      at: string,
    ): void {
      insert({ ...highlight, userId, paperId, createdAt: at, updatedAt: at })
    },
    findHighlight: (highlightId: string, userId: string) => found.get(highlightId, userId),
    amendHighlight: (highlightId: string, colour: string, comment: string | null, at: string) =>
      amend.run(colour, comment, at, highlightId),
    removeHighlight: (highlightId: string) => remove.run(highlightId),

    position(userId: string, paperId: string) {
      return {
        ...named(paperId),
        ...(position.get(userId, paperId) ?? { page: null, pages: null, offset: null, at: null }),
      }
    },
    /** Returns the reading positions in the given papers, without the papers that the person has not opened. */
    positions: (userId: string, paperIds: readonly string[]) =>
      new Map(positions.all(userId, JSON.stringify(paperIds)).map(({ paperId, ...read }) => [paperId, read])),
    /** Stores the reading position and returns the page count, if any client ever sent one. */
    setPosition: (
      userId: string,
      paperId: string,
      read: { page: number; pages: number | null; offset: number },
      at: string,
    ) => setPosition.one(userId, paperId, read.page, read.pages, read.offset, at).pages,
  }
}
