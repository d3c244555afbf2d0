/**
 * The concepts that records define, and the check that each concept in an assertion is defined, by the record itself or
 * by the record it is taken from.
 */
import type { ConceptSummary } from "../../contract/answers/index.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { folded } from "../../contract/folding.ts"
import { portions, type Sized, substrings, type Walked, walked } from "../../ledger/lists/substrings.ts"
import { recordKinds } from "../../contract/objects/objects.ts"
import { type Assertion, type Concepts, undeclaredIn } from "../../contract/definitions/science.ts"
import type { Issue } from "../../contract/refusals/refusal.ts"
import { INDEXED } from "../search/indexing.ts"

const SELECT = `SELECT c.version_id AS versionId, c.key, c.label, c.definition, r.label AS recordLabel,
    r.kind AS recordKind, r.room_id AS roomId
  FROM concepts c JOIN records r USING (version_id)`
/** Records that define concepts, with the size of their concepts, newest first. */
const SIZED = (from: string) =>
  `SELECT c.version_id AS id, sum(octet_length(c.key) + octet_length(c.label) + octet_length(c.definition)) AS bytes
    FROM ${from}
    GROUP BY c.version_id
    ORDER BY c.version_id DESC`
const RECORDS = recordKinds.map((kind) => `'${kind}'`).join(", ")
/** Sorts after every id. */
const END = "g"
/** An id followed by this sorts right after the id itself. */
const JUST_AFTER = "-"

export type ConceptIndex = ReturnType<typeof conceptIndex>

export function conceptIndex(db: Db) {
  const one = db.prepare<ConceptSummary>(`${SELECT} WHERE c.version_id = +? AND c.key = +?`)
  const record = db.prepare("SELECT 1 FROM records WHERE version_id = +?")
  const list = db.prepare<ConceptSummary>(
    `${SELECT} WHERE (c.version_id, c.key) < (+?, +?) ORDER BY c.version_id DESC, c.key DESC LIMIT +?`,
  )
  const spelled = substrings(db, "concept_trigrams")
  const all = db.prepare<Sized>(`${SIZED("concepts c WHERE c.version_id < +?")} LIMIT +?`)
  const few = db.prepare<Sized>(
    // Concepts that are not indexed yet are compared too.
    SIZED(`(SELECT i.id
      FROM concept_trigrams t
      CROSS JOIN search_items i ON i.item = t.rowid
      WHERE concept_trigrams MATCH +? AND i.id <= +?
       UNION SELECT i.id FROM search_items i WHERE i.item > ${INDEXED} AND i.kind IN (${RECORDS}) AND i.id <= +?) f
     CROSS JOIN concepts c ON c.version_id = f.id`),
  )
  const contain = db.prepare<ConceptSummary>(
    `${SELECT} WHERE c.version_id IN (SELECT value FROM json_each(+?)) AND (c.version_id, c.key) < (+?, +?)
       AND (instr(folded(c.key), +?) > 0 OR instr(folded(c.label), +?) > 0 OR instr(folded(c.definition), +?) > 0)
     ORDER BY c.version_id DESC, c.key DESC LIMIT +?`,
  )
  return {
    /** Whether a record exists and does not define a concept with this key. */
    isUndefined: (versionId: string, key: string): boolean =>
      one.get(versionId, key) === undefined && record.get(versionId) !== undefined,
    find: (versionId: string, key: string) => one.get(versionId, key),
    /**
     * Returns up to `count` concepts before a record and key, newest record first; with a query, only those that
     * contain it.
     */
    page(query: string | undefined, before: readonly string[] | undefined, count: number): Walked<ConceptSummary> {
      const [versionId = END, key = ""] = before ?? []
      if (query === undefined) return { found: list.all(versionId, key, count) }
      const wanted = folded(query)
      const among = spelled.among(wanted)
      const texts =
        among === undefined
          ? portions(`${versionId}${JUST_AFTER}`, (from, most) => all.all(from, most))
          : [few.all(among, versionId, versionId)]
      return walked(
        texts,
        (ids) => contain.all(JSON.stringify(ids), versionId, key, wanted, wanted, wanted, count),
        count,
      )
    },
  }
}

type Term = Assertion["predicate"] | Assertion["roles"][number]["value"]

/** Sorts paths: the predicate first, then the roles in order. */
let collator: Intl.Collator | undefined

/** Returns an issue for each term whose concept is not defined. A record that does not exist is reported elsewhere. */
export function undeclaredConcepts(index: ConceptIndex, body: { assertion: Assertion; concepts: Concepts }): Issue[] {
  const borrowed = (value: Term, path: string): Issue[] =>
    value.type === "concept_ref" && index.isUndefined(value.versionId, value.key)
      ? [{ path: `${path}/key`, message: "is not a concept of that record" }]
      : []
  const { predicate, roles } = body.assertion
  return [
    ...undeclaredIn(body),
    ...borrowed(predicate, "/assertion/predicate"),
    ...roles.flatMap(({ value }, position) => borrowed(value, `/assertion/roles/${position}/value`)),
  ].sort((one, other) => (collator ??= new Intl.Collator("en", { numeric: true })).compare(one.path, other.path))
}
