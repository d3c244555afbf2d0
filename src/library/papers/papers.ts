/** Metadata of papers: the records that sources have, and the descriptions that people sent. */
import {
  extendJson,
  type JsonObject,
  JsonText,
  parse,
  type Served,
  type Stored,
  stored,
  type Writable,
  writeJson,
} from "../../contract/json.ts"
import type { CslDate, CslMember, CslName, Holding, PaperMember } from "../../contract/library/reads.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { isArxivId, isDoi } from "../../contract/schema/fields.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { NAMES } from "./names.ts"
import { REACHED, reachesLibrary, type Scope, values } from "./scope.ts"

/**
 * Bibliographic data of a paper, from a source or a person. `names` and `issued` have the parts of what `authors`,
 * `year` and `publishedAt` tell; records from before they were kept lack them.
 */
export interface Description {
  readonly type?: string
  readonly names?: CslName[]
  readonly moreAuthors?: boolean
  readonly issued?: CslDate
  readonly publisher?: string
  readonly title: string
  readonly authors: readonly string[]
  readonly publishedAt: string | null
  readonly year: number | null
  readonly venue: string | null
  readonly volume: string | null
  readonly issue: string | null
  readonly pages: string | null
  readonly isbn: string | null
}

/** The metadata of a paper from a source, as stored and as served. */
export interface PaperRecord extends Description {
  readonly url: null
  readonly abstract: string | null
  readonly categories: readonly string[]
  readonly source: "arxiv" | "crossref"
}

/** The description sent with a paper, shown until a source's record is known. Empty members are left out. */
export type Given = Partial<Description> & {
  /** Set if the paper is filed under another id. */
  readonly doi?: string
  readonly url?: string
}

/** A paper as a source reports it, with its other id if it has one. */
export interface SourcePaper {
  readonly paperId: string
  readonly sameAs: string | null
  readonly record: PaperRecord
}

/** Reduces a record to the description that a person could have sent. */
export function descriptionFrom(record: Stored<PaperRecord>): JsonObject {
  const {
    url: _url,
    abstract: _abstract,
    categories: _categories,
    source: _source,
    authors,
    ...members
  } = parse(record)
  const description: JsonObject = { authors: authors.slice(0, AUTHORS_KEPT) }
  for (const [name, value] of Object.entries(members)) if (value !== null) description[name] = value
  return description
}
const AUTHORS_KEPT = 100

/** Where a record came from: a file that the operator imported, or a source that was asked about a filed paper. */
export type Origin = "import" | "arxiv" | "crossref"

const emptyRecord = {
  title: null,
  authors: [],
  publishedAt: null,
  year: null,
  venue: null,
  volume: null,
  issue: null,
  pages: null,
  isbn: null,
  url: null,
  abstract: null,
  categories: [],
  source: null,
}

/** The parts of a paper that one reader may see. */
export interface ShownPaper {
  readonly paperId: string
  readonly record: Stored<PaperRecord> | null
  /** The other id that the record reports. */
  readonly sameAs: string | null
  readonly given: Stored<Given> | null
}

/**
 * Writes a paper for an answer from its record, or else its description. @param more the other members of the answer
 */
export function shownPaper<Answer extends { readonly [M in Exclude<PaperMember, CslMember>]: unknown }>(
  { paperId, record, sameAs, given }: ShownPaper,
  more: { readonly [M in Exclude<keyof Answer, PaperMember>]: Served<Answer[M]> },
): JsonText<Answer> {
  const { doi: givenDoi, ...description } = given === null ? {} : parse(given)
  const other = sameAs ?? givenDoi ?? null
  const known =
    record ??
    writeJson({
      ...emptyRecord,
      ...(paperId.startsWith("isbn:") && { isbn: paperId.slice(5) }),
      ...description,
      ...(given !== null && { source: "given" }),
    })
  const doi = isDoi(paperId) ? paperId : other !== null && isDoi(other) ? other : null
  const arxivId = isArxivId(paperId) ? paperId : other !== null && isArxivId(other) ? other : null
  const metadata = record === null ? "unknown" : "known"
  return new JsonText(stored<Answer>(extendJson(known, { paperId, arxivId, doi, metadata, ...(more as Members) })))
}
type Members = { readonly [member: string]: Writable }

interface StandingRow {
  readonly record: Stored<PaperRecord> | null
  readonly origin: Origin | null
  readonly sameAs: string | null
  readonly savedAt: string | null
  readonly savedKnown: number | null
  readonly savedGiven: Stored<Given> | null
  readonly heldGiven: Stored<Given> | null
  readonly collections: Stored<Holding>
  readonly tags: Stored<string[]>
  readonly heldKnown: number | null
}

/** SQL for JSON of the Collections in reach that hold the paper `of` under any of its ids. */
export const holders = (of: string): string =>
  `(SELECT json_group_array(json_object('id', id, 'name', name) ORDER BY id)
    FROM (SELECT DISTINCT r.collection_id AS id, r.name
      FROM collection_papers h
      JOIN reached r ON r.collection_id = h.collection_id
      WHERE h.paper_id IN ${NAMES("r.reader_id", of)}))`

/** SQL for JSON of a person's tags on a paper. */
export const TAGS = (user: string, paper: string): string =>
  `(SELECT json_group_array(t.tag ORDER BY t.tag)
    FROM paper_tags t
    WHERE t.user_id = ${user} AND t.paper_id = ${paper})`

/** SQL for the earliest description sent with the paper `of` when it was added to a Collection in reach. */
export const GIVEN = (of: string): string =>
  `(SELECT h.given
    FROM collection_papers h
    JOIN reached r ON r.collection_id = h.collection_id
    WHERE h.paper_id = ${of} AND h.given IS NOT NULL
    ORDER BY h.entry
    LIMIT 1)`

/** A paper to file, with its description. */
export interface FiledPaper {
  readonly paperId: string
  /** Its other ids. */
  readonly names?: readonly string[]
  readonly given?: Given
  readonly citationKey?: string
}

export type Papers = ReturnType<typeof papers>

export function papers(db: Db) {
  const put = inserting(db, "papers", {
    onConflict: `DO UPDATE SET origin = CASE WHEN origin = 'import' THEN origin ELSE excluded.origin END,
      recorded_at = excluded.recorded_at, record = excluded.record, same_as = excluded.same_as`,
  })
  const withOtherIds = db.prepare<{ paperId: string; sameAs: string; record: Stored<PaperRecord> }>(
    `SELECT paper_id AS paperId, same_as AS sameAs, record
      FROM papers
      WHERE same_as IS NOT NULL AND paper_id IN (SELECT value FROM json_each(+?))`,
  )
  const standing = db.prepare<StandingRow>(
    `WITH ${REACHED}, wanted (paper_id) AS (VALUES (+?))
     SELECT p.record, p.origin, p.same_as AS sameAs, s.saved_at AS savedAt, s.known AS savedKnown,
        s.given AS savedGiven, ${GIVEN("w.paper_id")} AS heldGiven, ${holders("w.paper_id")} AS collections,
        ${TAGS("me.user_id", "w.paper_id")} AS tags,
       (SELECT max(h.known)
         FROM collection_papers h
         JOIN reached r ON r.collection_id = h.collection_id
         WHERE h.paper_id IN ${NAMES("me.user_id", "w.paper_id")}) AS heldKnown
     FROM me CROSS JOIN wanted w
     LEFT JOIN saved_papers s ON s.user_id = me.user_id AND s.paper_id = w.paper_id
     LEFT JOIN papers p ON p.paper_id = w.paper_id`,
  )

  return {
    /**
     * Stores a record. A record that the operator imported stays visible to everyone, even if a source sends it again.
     */
    put: ({ paperId, sameAs, record }: SourcePaper, origin: Origin, at: string) =>
      put({ paperId, origin, recordedAt: at, record: JSON.stringify(record), sameAs }),

    withOtherIds: (paperIds: readonly string[]) => withOtherIds.all(JSON.stringify(paperIds)),

    /** Returns the state of a paper for a reader. Papers that only others filed look unknown. */
    standing(scope: Scope, paperId: string) {
      const row = standing.one(...values(scope), paperId)
      const library = reachesLibrary(scope)
      const imported = row.origin === "import"
      const visible = imported || (library && row.savedKnown === 1) || row.heldKnown === 1
      return {
        record: visible ? row.record : null,
        sameAs: visible ? row.sameAs : null,
        /** The description that the reader sent, or someone who added the paper to a Collection in reach. */
        given: (library ? row.savedGiven : null) ?? row.heldGiven,
        imported,
        savedAt: library ? row.savedAt : null,
        collections: row.collections,
        tags: library ? row.tags : null,
        /** Whether a Collection in reach holds the paper. */
        held: row.heldKnown !== null,
      }
    },
  }
}
