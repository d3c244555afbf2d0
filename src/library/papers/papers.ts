/** The data of arXiv about papers, one record for each paper. */
import { extendJson, JsonText, parse, type Served, type Stored, stored, type Writable, writeJson } from "../../contract/json.ts"
import type { Holding, PaperMember } from "../../contract/library/answers.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { REACHED, reachesLibrary, type Scope, values } from "../reach/scope.ts"

export interface PaperRecord {
  readonly arxivId: string
  readonly title: string
  readonly authors: readonly string[]
  readonly abstract: string | null
  readonly categories: readonly string[]
  readonly publishedAt: string | null
}

/** What somebody who filed a paper said of it, where arXiv's own word is not known. */
export type Given = Pick<PaperRecord, "title" | "authors" | "publishedAt">

/** Where a record came from: the operator brought it in, or arXiv was asked for somebody. */
export type Origin = "import" | "arxiv"

/** A paper in an answer: its record as it is stored, or what can be said without one, and whatever else the answer says. */
export function shownPaper<Answer extends { readonly [M in PaperMember]: unknown }>(
  arxivId: string,
  record: Stored<PaperRecord> | null,
  more: { readonly [M in Exclude<keyof Answer, PaperMember>]: Served<Answer[M]> },
  given: Stored<Given> | null = null,
): JsonText<Answer> {
  const { title = null, authors = [], publishedAt = null } = given === null ? {} : parse(given)
  const known = record ?? writeJson({ arxivId, title, authors, abstract: null, categories: [], publishedAt })
  return new JsonText(stored<Answer>(extendJson(known, { metadata: record === null ? "unknown" : "known", ...(more as Members) })))
}
type Members = { readonly [member: string]: Writable }

interface StandingRow {
  readonly record: Stored<PaperRecord> | null
  readonly origin: Origin | null
  readonly savedAt: string | null
  readonly savedKnown: number | null
  readonly savedGiven: Stored<Given> | null
  readonly heldGiven: Stored<Given> | null
  readonly collections: Stored<Holding>
  readonly tags: Stored<string[]>
  readonly heldKnown: number | null
}

/** A paper as one reader may know it. */
export interface PaperStanding {
  /** null: nothing that this reader may see says what the paper is. */
  readonly record: Stored<PaperRecord> | null
  /** What the reader, or somebody who added it to a Collection in reach, said of it. */
  readonly given: Stored<Given> | null
  /** Whether the operator imported it: that it is known here is no secret then. */
  readonly imported: boolean
  readonly savedAt: string | null
  /** The Collections in reach that hold it. */
  readonly collections: Stored<Holding>
  /** The person's own tags; null where the reach leaves the Library out. */
  readonly tags: Stored<string[]> | null
  readonly held: boolean
}

/** JSON of the Collections in reach that hold the paper `of`. */
export const holders = (of: string): string =>
  `(SELECT json_group_array(json_object('id', r.collection_id, 'name', r.name) ORDER BY r.collection_id) FROM collection_papers h JOIN reached r ON r.collection_id = h.collection_id WHERE h.arxiv_id = ${of})`

/** SQL for JSON of a person's tags of a paper. */
export const TAGS = (user: string, paper: string): string =>
  `(SELECT json_group_array(t.tag ORDER BY t.tag) FROM paper_tags t WHERE t.user_id = ${user} AND t.arxiv_id = ${paper})`

/** SQL for the note of the person who first added the paper `of` to a Collection in reach. */
export const GIVEN = (of: string): string =>
  `(SELECT h.given FROM collection_papers h JOIN reached r ON r.collection_id = h.collection_id WHERE h.arxiv_id = ${of} AND h.given IS NOT NULL ORDER BY h.entry LIMIT 1)`

/** A paper to be filed, with what a BibTeX file or an agent said of it. */
export interface FiledPaper {
  readonly arxivId: string
  readonly given?: Given
  readonly citationKey?: string
}

export type Papers = ReturnType<typeof papers>

export function papers(db: Db) {
  const put = inserting(db, "papers", {
    onConflict: `DO UPDATE SET origin = CASE WHEN origin = 'import' THEN origin ELSE excluded.origin END,
      recorded_at = excluded.recorded_at, record = excluded.record`,
  })
  const standing = db.prepare<StandingRow>(
    `WITH ${REACHED}, wanted (arxiv_id) AS (VALUES (+?))
     SELECT p.record, p.origin, s.saved_at AS savedAt, s.known AS savedKnown, s.given AS savedGiven, ${GIVEN("w.arxiv_id")} AS heldGiven, ${holders("w.arxiv_id")} AS collections, ${TAGS("me.user_id", "w.arxiv_id")} AS tags,
       (SELECT max(h.known) FROM collection_papers h JOIN reached r ON r.collection_id = h.collection_id WHERE h.arxiv_id = w.arxiv_id) AS heldKnown
     FROM me CROSS JOIN wanted w
     LEFT JOIN saved_papers s ON s.user_id = me.user_id AND s.arxiv_id = w.arxiv_id
     LEFT JOIN papers p ON p.arxiv_id = w.arxiv_id`,
  )

  return {
    /** Keeps a record. What the operator imported stays open to everybody, also when arXiv sends it again. */
    put: (record: PaperRecord, origin: Origin, at: string) =>
      put({ arxivId: record.arxivId, origin, recordedAt: at, record: JSON.stringify(record) }),

    /** What a reader may know of a paper. What others filed is as if it were not there. */
    standing(scope: Scope, arxivId: string): PaperStanding {
      const row = standing.one(...values(scope), arxivId)
      const library = reachesLibrary(scope)
      const imported = row.origin === "import"
      const visible = imported || (library && row.savedKnown === 1) || row.heldKnown === 1
      return {
        record: visible ? row.record : null,
        given: (library ? row.savedGiven : null) ?? row.heldGiven,
        imported,
        savedAt: library ? row.savedAt : null,
        collections: row.collections,
        tags: library ? row.tags : null,
        held: row.heldKnown !== null,
      }
    },
  }
}
