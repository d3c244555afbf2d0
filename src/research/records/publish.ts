/** Publishes a record of any kind: writes its row and label, and its card for the timeline. */
import * as v from "valibot"
import { picked, present } from "../../contract/typed.ts"
import type { Writable } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import { type Assertion, type Concepts, undeclaredIn } from "../../contract/definitions/work.ts"
import { type Call, type Change, madeBy, behaviour, type ExtrasOf } from "../../ledger/journal/behaviour.ts"
import { type Evidence, type Reference, attributionOf } from "../evidence/evidence.ts"
import { exportedRecords } from "./exported.ts"
import { type Records, type SummaryRow, records } from "./records.ts"
import { fromOtherRoom } from "../../ledger/lists/labelled.ts"
import { threadSubject, type Threads } from "../../threads/threads.ts"
import { arxivId } from "../../contract/schema/fields.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import type { ConceptSummary } from "../../contract/nouns/record-answers.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { folded } from "../../contract/folding.ts"
import { portions, type Sized, substrings, type Walked, walked } from "../../ledger/lists/substrings.ts"
import { recordKinds } from "../../contract/objects/objects.ts"
import type { Issue } from "../../contract/refusals.ts"
import { INDEXED } from "../search/indexing.ts"

// The concepts that records define, and the check that each concept in an assertion is defined, by the record itself
// or by the record it is taken from.

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

function conceptIndex(db: Db) {
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

const shownMembers = ["versionId", "kind", "label", "roomId", "wording", "contentDigest"] as const

/** Makes the timeline card of a record. Its standing is added when the card is read. */
function recordCard(
  record: Pick<SummaryRow, (typeof shownMembers)[number]>,
  {
    reused,
    note,
    client,
    origin = {},
  }: {
    reused: boolean
    note?: string | undefined
    client?: Writable | undefined
    origin?: Readonly<Record<string, Writable>>
  },
) {
  return {
    standingOf: record.versionId,
    card: {
      ...picked(record, ...shownMembers),
      ...origin,
      reused,
      note: note ?? null,
      ...(client === undefined ? {} : { client }),
    },
  }
}

/** Returns references to the records that an assertion uses as values, or takes concepts from. */
const referencesIn = ({ predicate, roles }: Assertion): Reference[] =>
  [{ role: "predicate", value: predicate }, ...roles].flatMap(({ role, value }) =>
    value.type === "record" || value.type === "concept_ref"
      ? [{ part: "role" as const, versionId: value.versionId, explanation: role }]
      : [],
  )

type Publication = BodyOf<"publish_hypothesis" | "publish_finding" | "publish_cited_claim">

/**
 * Writes the parts that all records have in common.
 * @param papers arXiv ids of the papers that it quotes or builds on
 * @param evidence the attempts behind it, and `voiceId` if its evidence counts as that of another object
 */
export function publishRecord(
  { records, evidence }: { readonly records: Records; readonly evidence: Evidence },
  call: Call<Publication>,
  subject: { roomId: string; threadId: string },
  change: Change,
  references: readonly Reference[],
  papers: readonly string[] = [],
  { voiceId, attemptIds }: { readonly voiceId?: string | undefined; readonly attemptIds?: readonly string[] } = {},
) {
  const { actor, body, contentDigest } = call
  const { kind, assertion, concepts, client } = body
  const { wording } = assertion
  const versionId = change.newId()
  const label = change.label(kind)
  const allReferences = [...references, ...referencesIn(assertion)]
  records.insert({
    ...madeBy(call, subject, change),
    versionId,
    kind,
    label,
    wording,
    client,
    concepts,
    references: allReferences,
    papers,
  })
  const isMeasured = "effects" in body && body.effects !== undefined && body.effects.length > 0
  evidence.published(
    versionId,
    kind,
    allReferences,
    { ...attributionOf(actor, change.at), isMeasured },
    voiceId,
    attemptIds,
  )
  return {
    target: { id: versionId, label },
    result: { versionId, label },
    entry: recordCard(
      { versionId, kind, label, roomId: subject.roomId, wording, contentDigest },
      { reused: false, client },
    ),
  }
}

// The behaviours that publish hypotheses and reuse records.

export interface Tables {
  readonly threads: Threads
  readonly records: Records
  readonly concepts: ConceptIndex
  readonly evidence: Evidence
  readonly extras: { readonly publish_hypothesis: ExtrasOf<"publish_hypothesis"> }
}

function recordOperations({ threads, records, concepts, evidence, extras }: Tables) {
  const publish_hypothesis = behaviour("publish_hypothesis", {
    ...extras.publish_hypothesis,
    subject: ({ body }) => threadSubject(threads, body.threadId, body.roomId),
    references: ({ body }) => undeclaredConcepts(concepts, body),
    write(call, subject, change) {
      const { premises, references } = call.body
      return publishRecord({ records, evidence }, call, subject, change, [
        ...premises.map((premise) => ({ part: "premise" as const, ...premise })),
        ...references.map((reference) => ({ part: "reference" as const, ...reference })),
      ])
    },
  })

  const reuse_record = behaviour("reuse_record", {
    subject: ({ params }) => threadSubject(threads, params.threadId),
    write({ body }, { roomId }, change) {
      const { versionId, note, client } = body
      const record = present(records.summary(versionId))
      evidence.uses("entry", change.entryId, "reuse", [versionId], change.at)
      const { label } = record
      const origin = fromOtherRoom(record.roomId, roomId)
      return {
        target: { kind: record.kind, id: versionId, label, ...origin },
        result: { versionId, label, ...origin },
        entry: recordCard(record, { reused: true, note, client, origin }),
      }
    },
  })

  return { publish_hypothesis, reuse_record }
}

// Reads arXiv ids as people write them.

/** Prefixes that people write before an arXiv id. */
const PREFIX = /^(?:arxiv:\s*|https?:\/\/(?:www\.)?arxiv\.org\/(?:abs|pdf)\/)/i

/** Returns the arXiv id in a text, without version and subject class; undefined if the text is not an arXiv id. */
export function arxivIdOf(text: string): string | undefined {
  const checked = v.safeParse(
    arxivId,
    text
      .trim()
      .replace(PREFIX, "")
      .replace(/\.pdf$/, ""),
  )
  return checked.success ? checked.output : undefined
}

export const domain = {
  tables: [({ db }: Ground) => ({ records: records(db), concepts: conceptIndex(db) })],
  operations: [recordOperations],
  exported: [exportedRecords],
} satisfies Domain
