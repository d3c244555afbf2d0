/** What a person keeps of a paper for themselves: free text, highlights, and how far they have read. */
import type { Db } from "../ledger/database.ts"

export interface Highlight {
  readonly highlightId: string
  readonly quote: string
  readonly page: number
  readonly colour: string
  readonly comment: string | null
  readonly version: number | null
  readonly prefix: string | null
  readonly suffix: string | null
}

interface HighlightRow extends Omit<Highlight, "highlightId"> {
  highlight_id: string
  user_id: string
  arxiv_id: string
  created_at: string
  updated_at: string
}

const highlight = ({ highlight_id, quote, page, colour, comment, version, prefix, suffix, created_at, updated_at }: HighlightRow) => ({
  highlightId: highlight_id,
  quote,
  page,
  colour,
  comment,
  version,
  prefix,
  suffix,
  createdAt: created_at,
  updatedAt: updated_at,
})

export type Annotations = ReturnType<typeof annotations>

export function annotations(db: Db) {
  const one = db.prepare<{ revision: number; notes: string; updated_at: string }>(
    "SELECT revision, notes, updated_at FROM annotations WHERE user_id = ? AND arxiv_id = ?",
  )
  const raise = db.prepare<{ revision: number }>(
    `INSERT INTO annotations (user_id, arxiv_id, revision, notes, updated_at) VALUES (?, ?, 1, coalesce(?, ''), ?)
     ON CONFLICT DO UPDATE SET revision = revision + 1, notes = coalesce(?, notes), updated_at = excluded.updated_at RETURNING revision`,
  )
  const insert = db.prepare(
    "INSERT INTO highlights (highlight_id, user_id, arxiv_id, quote, page, colour, comment, version, prefix, suffix, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  )
  const found = db.prepare<HighlightRow>("SELECT * FROM highlights WHERE highlight_id = ? AND user_id = ?")
  const amend = db.prepare("UPDATE highlights SET colour = ?, comment = ?, updated_at = ? WHERE highlight_id = ?")
  const remove = db.prepare("DELETE FROM highlights WHERE highlight_id = ?")
  const all = db.prepare<HighlightRow>("SELECT * FROM highlights WHERE user_id = ? AND arxiv_id = ? ORDER BY page, highlight_id")
  const count = db.prepare<{ held: number }>("SELECT count(*) AS held FROM highlights WHERE user_id = ? AND arxiv_id = ?")
  const position = db.prepare<{ page: number; thousandths: number; set_at: string }>(
    "SELECT page, thousandths, set_at FROM reading_positions WHERE user_id = ? AND arxiv_id = ?",
  )
  const setPosition = db.prepare(
    `INSERT INTO reading_positions (user_id, arxiv_id, page, thousandths, set_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET page = excluded.page, thousandths = excluded.thousandths, set_at = excluded.set_at`,
  )

  return {
    /** What was annotated; the empty state where nothing ever was. */
    read(userId: string, arxivId: string) {
      const row = one.get(userId, arxivId)
      return {
        arxivId,
        revision: row?.revision ?? 0,
        notes: row?.notes ?? "",
        highlights: row === undefined ? [] : all.all(userId, arxivId).map(highlight),
        updatedAt: row?.updated_at ?? null,
      }
    },
    revision: (userId: string, arxivId: string): number => one.get(userId, arxivId)?.revision ?? 0,
    /** Raises the revision, with a new free text if one is given, and returns it. */
    raise: (userId: string, arxivId: string, notes: string | null, at: string): number =>
      (raise.get(userId, arxivId, notes, at, notes) as { revision: number }).revision,

    highlights: (userId: string, arxivId: string): number => count.get(userId, arxivId)?.held ?? 0,
    addHighlight(
      userId: string,
      arxivId: string,
      { highlightId, quote, page, colour, comment, version, prefix, suffix }: Highlight,
      at: string,
    ): void {
      insert.run(highlightId, userId, arxivId, quote, page, colour, comment, version, prefix, suffix, at, at)
    },
    /** A highlight of the person's own, with the paper it is in. */
    findHighlight(highlightId: string, userId: string): (Highlight & { readonly arxivId: string }) | undefined {
      const row = found.get(highlightId, userId)
      return row && { ...highlight(row), arxivId: row.arxiv_id }
    },
    amendHighlight: (highlightId: string, colour: string, comment: string | null, at: string) =>
      amend.run(colour, comment, at, highlightId),
    removeHighlight: (highlightId: string) => remove.run(highlightId),

    position(userId: string, arxivId: string) {
      const row = position.get(userId, arxivId)
      return { arxivId, page: row?.page ?? null, offset: row?.thousandths ?? null, at: row?.set_at ?? null }
    },
    setPosition: (userId: string, arxivId: string, page: number, thousandths: number, at: string) =>
      setPosition.run(userId, arxivId, page, thousandths, at),
  }
}
