/** A person's private annotations of a paper (notes, highlights, the reading position), and notes for a Collection. */
import { type Highlight, type Annotations as Shown, type Note, named } from "../contract/library/reads.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting, type NewRow } from "../ledger/storage/inserting.ts"
import { fitting, JsonText, type Served, type Stored } from "../contract/json.ts"
import { limits } from "../contract/limits.ts"
import { REINDEX } from "./papers/names.ts"
import { offsetPage, pageItems } from "./saved.ts"

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

// Notes on the papers of Collections, and which members have not read them yet.

type Row = Omit<Note, "arxivId" | "via" | "unread"> & {
  readonly via: Stored<Note["via"]> | null
  readonly unread: number
}

/** The most notes that a page of papers includes. Older ones are left out. */
const NOTES_PER_PAGE = 1_000

const note = ({ via, unread, paperId, ...row }: Row): Served<Note> => ({
  ...row,
  ...named(paperId),
  via: via && new JsonText(via),
  unread: unread === 1,
})

const COLUMNS = `n.note_id AS noteId, n.paper_id AS paperId, p.username AS author, n.posted_at AS at, n.text,
    n.reply_to_note_id AS replyToNoteId, n.via,
  EXISTS (SELECT 1 FROM unread_notes u WHERE u.user_id = +? AND u.collection_id = n.collection_id
      AND u.paper_id = n.paper_id AND u.note_id = n.note_id) AS unread
  FROM notes n JOIN people p ON p.user_id = n.author_id`

export function notes(db: Db) {
  const insert = inserting(db, "notes")
  // A note that a person wrote is not unread for them; a note that their agent posted is.
  const addUnread = db.prepare(
    `INSERT INTO unread_notes (user_id, collection_id, paper_id, note_id)
      SELECT user_id, collection_id, +?, +?
      FROM collection_members
      WHERE collection_id = +? AND user_id <> +?`,
  )
  const find = db.prepare<Pick<NewRow<"notes">, "collectionId" | "paperId" | "authorId">>(
    "SELECT collection_id AS collectionId, paper_id AS paperId, author_id AS authorId FROM notes WHERE note_id = +?",
  )
  const removeUnread = db.prepare("DELETE FROM unread_notes WHERE note_id = +?")
  const remove = db.prepare("DELETE FROM notes WHERE note_id = +?")
  const reindex = db.prepare(REINDEX)
  const page = db.prepare<Row>(
    `SELECT ${COLUMNS}
      WHERE n.collection_id = +? AND n.paper_id = +?
      ORDER BY n.note_id
      LIMIT ${pageItems + 1} OFFSET +?`,
  )
  const on = db.prepare<Row>(
    `SELECT ${COLUMNS}
      WHERE n.collection_id = +? AND n.paper_id IN (SELECT value FROM json_each(+?))
      ORDER BY n.note_id DESC
      LIMIT ${NOTES_PER_PAGE + 1}`,
  )
  const readAll = db.prepare("DELETE FROM unread_notes WHERE user_id = +? AND collection_id = +? AND note_id <= +?")
  const readThread = db.prepare(
    "DELETE FROM unread_notes WHERE user_id = +? AND collection_id = +? AND paper_id = +? AND note_id <= +?",
  )
  const unread = db.prepare<{ unread: number }>(
    "SELECT unread FROM collection_members WHERE user_id = +? AND collection_id = +?",
  )

  return {
    post(note: NewRow<"notes">): void {
      insert(note)
      const { noteId, collectionId, paperId, authorId, via } = note
      addUnread.run(paperId, noteId, collectionId, via == null ? authorId : "")
    },
    find: (noteId: string) => find.get(noteId),
    /** Deletes a note, and removes its words from the author's search index. */
    delete(noteId: string): void {
      const note = find.get(noteId)
      removeUnread.run(noteId)
      remove.run(noteId)
      if (note !== undefined) reindex.run(note.authorId, note.paperId)
    },

    /** Returns a page of the notes on one paper, oldest first. */
    page: (userId: string, collectionId: string, paperId: string, offset: number) =>
      offsetPage(page.all(userId, collectionId, paperId, offset).map(note), offset),
    /** Returns the notes on the given papers, oldest first. If they do not all fit, the oldest are left out. */
    on(userId: string, collectionId: string, paperIds: readonly string[]) {
      const rows = on.all(userId, collectionId, JSON.stringify(paperIds))
      const fit = fitting(rows.slice(0, NOTES_PER_PAGE).map(note), limits.innerListBytes)
      return { notes: fit.reverse(), notesTruncated: rows.length > fit.length }
    },

    /**
     * Marks notes in a Collection as read and returns how many are still unread.
     * @param paperId limits this to one paper @param through the last note to mark; the default sorts after every id
     */
    markRead(userId: string, collectionId: string, paperId: string | undefined, through = "g"): number {
      if (paperId === undefined) readAll.run(userId, collectionId, through)
      else readThread.run(userId, collectionId, paperId, through)
      return unread.get(userId, collectionId)?.unread ?? 0
    },
  }
}
