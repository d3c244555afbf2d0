/**
 * Finds objects similar to a text, by the index of full-text search, and earlier attempts that ran the same. Objects of
 * the Room are ranked by `bm25()` over the words that they share with the text. Words that very many texts have are
 * left out: they tell little, and to weigh a word takes as long as it has texts.
 */
import { each, present } from "../../../contract/typed.ts"
import { enumerations, type SimilarKind } from "../../../contract/schema/enumerations.ts"
import { type Json, type JsonObject, writeJson, isObject, canonicalJson } from "../../../contract/json.ts"
import { limits } from "../../../contract/limits.ts"
import type { Author } from "../../../contract/answers/parts.ts"
import type { AlreadyTried, SimilarItem } from "../../../contract/answers/receipts.ts"
import { shortened } from "../../../contract/text.ts"
import type { ReceiptExtras, Call } from "../../../ledger/journal/behaviour.ts"
import type { Db } from "../../../ledger/storage/database.ts"
import { onForget } from "../../../ledger/storage/caches.ts"
import { fromOtherRoom } from "../../../ledger/lists/labelled.ts"
import { AGENT, AGENT_OF_ENTRY, authorIn, type Actor } from "../../../ledger/journal/actor.ts"
import { isSign, keptOf, wordsIn } from "../../../contract/words.ts"
import { INDEXED, termCountsOf, type Wording, wordsOf } from "../indexing.ts"
import { IN_TITLE_OR_BODY as IN_TEXT } from "../query.ts"
import type { Domain, Ground } from "../../../ledger/domains/domain.ts"
import type { Experiments } from "../../experiments/experiments.ts"
import type { BodyOf, OperationName } from "../../../contract/operations/index.ts"
import { wrongParameter } from "../../../contract/refusals.ts"
import type { Readers } from "../../../ledger/reads/reading.ts"
import type { Rooms } from "../../../rooms/rooms.ts"

// How similar objects are shown, and how the journal stores the list of them with a write.

export interface Row
  extends Author,
    Pick<SimilarItem, "kind" | "id" | "label" | "roomId" | "threadId" | "at" | "status" | "cameOfIt"> {
  readonly line: string
  /** The revision of the experiment, whose question may be amended. Null for a record. */
  readonly revision: number | null
}

/** The similar objects of a write, before they are written as JSON. */
type Tried = { readonly [K in keyof AlreadyTried]: readonly Row[] } & { readonly seenFrom: string | null }

interface ObjectKey {
  readonly kind: SimilarKind
  readonly id: string
}
/** Objects read at a time: one more than are shown, because the query object itself may be among them. */
const MOST = limits.similarItems + 1
const NONE: readonly null[] = Array.from({ length: MOST }, () => null)
const AMONG = `IN (${NONE.map(() => "+?").join(", ")})`

/**
 * Reads objects as they are shown, with the outcome of each in a sentence. They come from their own tables, because
 * every proposal waits for them.
 */
const ROWS: Readonly<Record<SimilarKind, string>> = (() => {
  const record = (cameOfIt: string) =>
    `SELECT r.kind, r.version_id AS id, r.label, r.room_id AS roomId, r.thread_id AS threadId, r.wording AS line,
        r.author_id AS userId, p.username, ${AGENT("r")} AS agent,
      r.created_at AS at, coalesce(s.status, 'current') AS status, (${cameOfIt}) AS cameOfIt, NULL AS revision
    FROM records r
      JOIN people p ON p.user_id = r.author_id
      LEFT JOIN standings s ON s.version_id = r.version_id
      WHERE r.version_id ${AMONG}`
  return {
    hypothesis: record(
      `SELECT y.supports || ' for, ' || y.contradicts || ' against it'
        FROM evidence_tallies y
        WHERE y.target_id = r.version_id`,
    ),
    finding: record("SELECT f.outcome || ' outcome' FROM findings f WHERE f.version_id = r.version_id"),
    experiment: `SELECT 'experiment' AS kind, x.experiment_id AS id, x.label, x.room_id AS roomId,
        x.thread_id AS threadId, x.question AS line, x.proposer_id AS userId,
        p.username, ${AGENT_OF_ENTRY("x.entry_id")} AS agent, x.created_at AS at, x.status, x.revision,
        coalesce(x.conclusion ->> '$.text', (SELECT group_concat(c.attempts || ' ' || replace(c.status, '_', ' '), ', ')
          || ' of its attempts' FROM attempt_counts c WHERE c.experiment_id = x.experiment_id)) AS cameOfIt
      FROM experiments x JOIN people p ON p.user_id = x.proposer_id WHERE x.experiment_id ${AMONG}`,
    attempt: `SELECT 'attempt' AS kind, a.attempt_id AS id, a.label, a.room_id AS roomId, a.thread_id AS threadId,
        x.question AS line, a.registrant_id AS userId, p.username, ${AGENT("a")} AS agent,
        a.registered_at AS at, a.status, x.revision,
        (SELECT coalesce(v.body ->> '$.failure.stage' || ': ' || (v.body ->> '$.failure.explanation'),
          v.body ->> '$.message')
          FROM attempt_events v WHERE v.attempt_id = a.attempt_id ORDER BY v.revision DESC LIMIT 1) AS cameOfIt
      FROM attempts a
      JOIN experiments x USING (experiment_id)
      JOIN people p ON p.user_id = a.registrant_id
      WHERE a.attempt_id ${AMONG}`,
  }
})()
/** The question of an experiment at one of its revisions. */
const QUESTION = `SELECT h.content ->> '$.question' AS question
  FROM experiment_revisions v
  JOIN journal h ON h.position = v.history_position
  WHERE v.experiment_id = coalesce((SELECT a.experiment_id FROM attempts a WHERE a.attempt_id = +?), +?)
    AND v.revision <= +?
    AND h.content ->> '$.question' IS NOT NULL ORDER BY v.revision DESC LIMIT 1`

/** @param seenFrom the Room it is shown in; null outside of a Room */
function itemOf(row: Row, seenFrom: string | null): SimilarItem {
  const { kind, id, label, roomId, threadId, line, at, status } = row
  const own = { kind, id, label, roomId, threadId, at, status, ...fromOtherRoom(roomId, seenFrom) }
  const cameOfIt = row.cameOfIt === null ? null : shortened(row.cameOfIt, limits.similarLine)
  return { ...own, says: shortened(line, limits.similarLine), author: authorIn(row), cameOfIt }
}

/**
 * An item as the journal stores it: the members that may change later, and the revision of its experiment. The Room has
 * the rest. An item of another Room is stored whole, because this Room may be exported without the other.
 */
type Short = [kind: SimilarKind, id: string, status: string, cameOfIt: string | null]
type ShortItem = Short | [...Short, revision: number]
type StoredItem = ShortItem | SimilarItem

function items(db: Db) {
  const rows = each(enumerations.similarKind, (kind) => db.prepare<Row>(ROWS[kind]))
  const questionAt = db.prepare<{ question: string }>(QUESTION)

  function read(keys: readonly ObjectKey[]): Map<string, Row> {
    const found = new Map<string, Row>()
    for (const kind of enumerations.similarKind) {
      const ids: (string | null)[] = []
      for (const key of keys) if (key.kind === kind) ids.push(key.id)
      if (ids.length === 0) continue
      for (const row of rows[kind].all(...ids, ...NONE.slice(ids.length))) found.set(keyOf(row), row)
    }
    return found
  }

  /** Restores an item. The history of another instance may name an object that does not exist here. */
  function restored(stored: StoredItem): SimilarItem[] {
    if (!isShort(stored)) return [stored]
    const [kind, id, status, cameOfIt, revision] = stored
    const [row] = read([{ kind, id }]).values()
    if (row === undefined) return []
    const line =
      revision === undefined
        ? row.line
        : (questionAt.get(kind === "attempt" ? id : null, id, revision)?.question ?? row.line)
    return [itemOf({ ...row, line, status, cameOfIt }, row.roomId)]
  }

  return {
    /** Reads objects that exist, in the order of their keys, at most `MOST` of a kind. */
    rowsOf(keys: readonly ObjectKey[]): Row[] {
      const found = read(keys)
      return keys.map((key) => present(found.get(keyOf(key))))
    },
    /**
     * Restores the similar objects of a receipt from the history, as `extrasOf` stored them, or whole as earlier
     * versions did.
     */
    restoreExtras({ similar = [], sameExecution = [] }: JsonObject): AlreadyTried {
      return {
        similar: storedIn(similar).flatMap(restored),
        sameExecution: storedIn(sameExecution).flatMap(restored),
      }
    },
  }
}
const keyOf = ({ kind, id }: ObjectKey): string => `${kind} ${id}`
const isStoredItem = (value: unknown): value is StoredItem => isObject(value)
const storedIn = (value: Json): StoredItem[] => (Array.isArray(value) ? value.filter(isStoredItem) : [])
const isShort = (stored: StoredItem): stored is ShortItem => Array.isArray(stored)

/** The similar objects of a write, as its receipt shows them and as the journal stores them. */
function extrasOf({ similar, sameExecution, seenFrom }: Tried): ReceiptExtras {
  const shown = (rows: readonly Row[]) => rows.map((row) => itemOf(row, seenFrom))
  const keep = (rows: readonly Row[], items: readonly SimilarItem[]) =>
    items.map((item, at): StoredItem => {
      const { kind, id, roomId, status, cameOfIt } = item
      const revision = rows[at]?.revision ?? null
      if (roomId !== seenFrom) return item
      return revision === null ? [kind, id, status, cameOfIt] : [kind, id, status, cameOfIt, revision]
    })
  const [near, same] = [shown(similar), shown(sameExecution)]
  return {
    json: writeJson({ similar: near, sameExecution: same }),
    kept: {
      similar: keep(similar, near),
      ...(same.length > 0 && { sameExecution: keep(sameExecution, same) }),
    },
  }
}

/** Common English words, which are ignored. */
const COMMON: ReadonlySet<string> = new Set(
  `a about after all also am an and any are as at be been before being below between both but by can could did do does
doing down during each few for from had has have having he her here how i if in into is it its just may me might more
most must my no nor not of off on once only or other our out over own same she should so some such than that the their
them then there these they this those through to too under until up very was we were what when where which while who
whom why will with would you your`.split(/\s+/u),
)

/** The terms by which a text is compared: its words, and pairs of signs of scripts without spaces. */
function termsOf(text: string): Set<string> {
  const terms = new Set<string>()
  let before = ""
  for (const { folded, isJoined } of wordsIn(text)) {
    if (!isSign(folded)) terms.add(keptOf(folded))
    else if (isJoined) terms.add(before + folded)
    before = folded
  }
  return terms.difference(COMMON)
}

/** SQL for the execution of a registered attempt, in the form of `executionText`. */
const EXECUTED =
  "concat_ws(char(10), c.content ->> '$.argv', c.content ->> '$.configuration', c.content ->> '$.repository.commit')"
const KINDS = enumerations.similarKind.map((kind) => `'${kind}'`).join(", ")

/** What an attempt ran. Two attempts with equal values ran the same. */
export interface Execution {
  readonly commit: string
  readonly argv: unknown
  readonly configuration: unknown
}

const executionText = ({ commit, argv, configuration }: Execution): string =>
  [argv, configuration]
    .flatMap((part) => (part === undefined ? [] : [canonicalJson(part)]))
    .concat(commit)
    .join("\n")

interface Found {
  readonly item: number
  readonly id: string
  readonly kind: SimilarKind
}
type Scored = Found & { readonly score: number }
interface Weighed {
  readonly term: string
  readonly texts: number
}
/** The terms of a text that waits for the index, in its title and in its body. */
interface Terms {
  readonly inTitle: ReadonlySet<string>
  readonly inBody: ReadonlySet<string>
}
/** Texts whose terms are kept: each is compared with all that are written until it is indexed. */
const WAITING = 500
/** A text that is not indexed yet. An amended experiment has another text. */
interface Lacked extends Found {
  readonly revision: number | null
}
/** SQL for the Room of an object. The view `search_places` would join the tables of every kind. */
const ROOM = `CASE i.kind
         WHEN 'experiment' THEN (SELECT x.room_id FROM experiments x WHERE x.experiment_id = i.id)
         WHEN 'attempt' THEN (SELECT a.room_id FROM attempts a WHERE a.attempt_id = i.id)
         ELSE (SELECT r.room_id FROM records r WHERE r.version_id = i.id) END`

type Similar = ReturnType<typeof similar>

/** @param now milliseconds since 1970 */
export function similar(db: Db, now: () => number) {
  const { rowsOf, restoreExtras } = items(db)
  const counted = db.prepare<{ texts: number }>(
    "SELECT count(*) AS texts FROM (SELECT 1 FROM search_index WHERE search_index MATCH +? LIMIT +?)",
  )
  const all = db.prepare<{ texts: number }>("SELECT coalesce(max(item), 0) AS texts FROM search_items")
  // Few texts have a word that is weighed, so the Room of each is looked up: by tags, all of the Room would be read.
  const matched = db.prepare<Scored>(
    `SELECT i.item, i.id, i.kind, -q.rank AS score
     FROM search_index q JOIN search_items i ON i.item = q.rowid
     WHERE q.search_index MATCH +? AND i.part IS NULL AND i.kind IN (${KINDS})
       AND ${ROOM} = +?
     ORDER BY q.rank, q.rowid DESC LIMIT +?`,
  )
  const lacked = db.prepare<Lacked>(
    `SELECT i.item, i.id, i.kind, CASE i.kind
         WHEN 'experiment' THEN (SELECT x.revision FROM experiments x WHERE x.experiment_id = i.id)
         WHEN 'attempt' THEN (SELECT x.revision FROM attempts a JOIN experiments x USING (experiment_id)
           WHERE a.attempt_id = i.id) END AS revision
     FROM search_items i
     WHERE i.item > +? AND i.kind IN (${KINDS}) AND i.part IS NULL AND ${ROOM} = +?
     ORDER BY i.item DESC LIMIT ${limits.similarLacked}`,
  )
  const wordingOf = db.prepare<Wording>(
    `SELECT i.kind, p.line, h.content
     FROM search_items i JOIN search_places p USING (item) JOIN journal h ON h.position = p.position
     WHERE i.item = +?`,
  )
  const one = db.prepare<Wording & { title: string | null; ran: string }>(
    `SELECT i.kind, s.title, s.line, s.content, ${EXECUTED} AS ran
     FROM search_items i JOIN search_texts s USING (item) JOIN search_places p USING (item)
     JOIN journal c ON c.position = p.position
     WHERE i.id = +? AND i.kind IN (${KINDS}) AND i.part IS NULL AND p.room_id = +?`,
  )
  // Includes attempts that are not indexed yet.
  const executed = db.prepare<{ id: string }>(
    `SELECT i.id FROM (
       SELECT item FROM (
         SELECT item FROM search_items WHERE item > ${INDEXED} AND kind = 'attempt' ORDER BY item DESC)
       UNION ALL SELECT item FROM (
         SELECT rowid AS item FROM search_index WHERE search_index MATCH +?
         ORDER BY rowid DESC LIMIT ${limits.similarExecutions})) f
     CROSS JOIN search_items i ON i.item = f.item
     JOIN attempts a ON a.attempt_id = i.id JOIN journal c ON c.position = a.history_position
     WHERE i.part IS NULL AND ${EXECUTED} = +? LIMIT +?`,
  )

  const counts = termCountsOf(db)
  const done = db.prepare<{ item: number }>(`SELECT ${INDEXED} AS item`)

  /** Chooses the terms to weigh: the rarest, as long as the texts that have them are not too many. */
  function rarest(terms: ReadonlySet<string>): Weighed[] {
    const most = limits.similarWeighed
    const count = (term: string) => counts.of(term, () => counted.one(`${IN_TEXT} : "${term}"`, most).texts)
    const known = [...terms.values().take(limits.similarTerms)].map((term) => ({ term, texts: count(term) }))
    known.sort((first, second) => first.texts - second.texts)
    let left: number = most
    const isMore = known.findIndex(({ texts }) => texts >= most || (left -= texts) < 0)
    return isMore === -1 ? known : known.slice(0, isMore)
  }

  const waiting = new Map<string, Terms>()
  onForget(db, () => waiting.clear())
  function termsOfWaiting({ item, id, revision }: Lacked): Terms {
    if (waiting.size >= WAITING) waiting.clear()
    return waiting.getOrInsertComputed(`${id} ${revision}`, () => {
      const wording = wordingOf.one(item)
      const title = wording.kind === "attempt" ? "" : (wording.line ?? "")
      return { inTitle: termsOf(title), inBody: termsOf(wordsOf(wording) ?? "") }
    })
  }

  /** Scores the texts of a Room that are not indexed yet, as the index would. */
  function pending(roomId: string, after: number, terms: readonly Weighed[]): Scored[] {
    const found = lacked.all(after, roomId)
    if (found.length === 0) return []
    const texts = all.one().texts
    const weights = terms.map(({ term, texts: having }) => {
      const weight = Math.log(1 + (texts - having + 0.5) / (having + 0.5)) * 2.2
      return { term, weight }
    })
    return found.flatMap((each) => {
      const { inTitle, inBody } = termsOfWaiting(each)
      const score = weights.reduce((sum, { term, weight }) => {
        const times = (inTitle.has(term) ? 4 : 0) + (inBody.has(term) ? 1 : 0)
        return sum + (weight * times) / (times + 1.2)
      }, 0)
      return score > 0 ? [{ item: each.item, id: each.id, kind: each.kind, score }] : []
    })
  }

  /** Finds the objects of a Room similar to a text, best first, except one id. */
  function nearTo(roomId: string, query: string, but?: string): Found[] {
    const through = done.one().item
    counts.open(through)
    const terms = rarest(termsOf(query.slice(0, limits.similarText)))
    const found = pending(roomId, through, terms)
    const indexed = terms.filter(({ texts }) => texts > 0).map(({ term }) => `"${term}"`)
    if (indexed.length > 0) {
      const words = `${IN_TEXT} : (${indexed.join(" OR ")})`
      found.push(...matched.all(words, roomId, limits.similarFound))
    }
    return found
      .filter(({ id }) => id !== but?.toLowerCase())
      .sort((first, second) => second.score - first.score || second.item - first.item)
      .slice(0, limits.similarFound)
  }

  /** Finds attempts in any Room that ran the same, newest first. @param ran from `executionText` */
  function sameAs(ran: string): Row[] {
    const query = `body : "${keptOf(ran.slice(ran.lastIndexOf("\n") + 1))}" AND tags : "kattempt"`
    const found = executed.all(query, ran, limits.similarItems + 1)
    return rowsOf(found.map(({ id }) => ({ kind: "attempt", id })))
  }

  /** The similar objects to report to a sender, without those that it made in the last hour. */
  function reported(roomId: string, query: string, { userId, agent = "" }: Actor): Row[] {
    const since = new Date(now() - limits.similarOwnMs).toISOString()
    const isOwn = (row: Row) => row.userId === userId && (row.agent ?? "") === agent && row.at >= since
    const near = nearTo(roomId, query)
    const rows: Row[] = []
    for (let at = 0; at < near.length && rows.length < limits.similarTold; at += limits.similarItems)
      rows.push(...rowsOf(near.slice(at, at + limits.similarItems)).filter((row) => !isOwn(row)))
    return rows.slice(0, limits.similarTold)
  }

  return {
    restoreExtras,
    near: (roomId: string, text: string): SimilarItem[] =>
      rowsOf(nearTo(roomId, text).slice(0, limits.similarItems)).map((row) => itemOf(row, roomId)),

    /**
     * Finds the objects of a Room that are similar to one of them, and attempts that ran the same as it. Undefined if
     * the Room has no comparable object with this id.
     */
    like(roomId: string, id: string) {
      const found = one.get(id.toLowerCase(), roomId)
      if (found === undefined) return undefined
      const { title, ran, ...wording } = found
      const text = [title, wordsOf(wording)].filter((part) => part !== null).join("\n")
      const similar = rowsOf(nearTo(roomId, text, id).slice(0, limits.similarItems))
      const same = found.kind === "attempt" ? sameAs(ran).filter((row) => row.id !== id.toLowerCase()) : []
      return {
        similar: similar.map((row) => itemOf(row, roomId)),
        sameExecution: same.map((row) => itemOf(row, roomId)),
      }
    },

    /**
     * Finds what to report to a sender: objects similar to its text, and attempts that ran the same. @param roomId null
     * if there is no such Room
     */
    tried(sender: Actor, roomId: string | null, text: string, execution?: Execution): Tried {
      return {
        seenFrom: roomId,
        similar: roomId === null ? [] : reported(roomId, text, sender),
        sameExecution: execution === undefined ? [] : sameAs(executionText(execution)),
      }
    },
  }
}

// The read of similar objects, and the list of them that a receipt has.

export function similarReads({ rooms, similar }: { rooms: Rooms; similar: Similar }) {
  return {
    room_similar({ params: { roomId }, query: { text, like } }) {
      rooms.mustExist(roomId)
      if (like === undefined) {
        if (text === undefined) throw wrongParameter("/text", "or like is required")
        return { roomId, similar: similar.near(roomId, text), sameExecution: [] }
      }
      const found = similar.like(roomId, like)
      if (found === undefined)
        throw wrongParameter("/like", "must be the id of a hypothesis, experiment, finding or attempt of this Room")
      return { roomId, ...found }
    },
  } satisfies Partial<Readers>
}

type FindExtras<N extends OperationName> = (call: Call<BodyOf<N>>) => ReceiptExtras

/**
 * Finds what was already tried, for the behaviours of four operations. The ledger calls it before it admits the write.
 */
export function extrasFinders(similar: Similar, experiments: Experiments) {
  const { restoreExtras } = similar
  const extrasFor = (sender: Actor, roomId: string | null, text: string, execution?: Execution): ReceiptExtras =>
    extrasOf(similar.tried(sender, roomId, text, execution))
  const finding = <N extends OperationName>(_name: N, findExtras: FindExtras<N>) => ({ findExtras, restoreExtras })
  return {
    propose_experiment: finding("propose_experiment", ({ actor, body: { roomId, question, scope } }) =>
      extrasFor(actor, roomId, `${question}\n${scope}`),
    ),
    publish_hypothesis: finding("publish_hypothesis", ({ actor, body: { roomId, assertion, scope } }) =>
      extrasFor(actor, roomId, `${assertion.wording}\n${scope}`),
    ),
    publish_finding: finding("publish_finding", ({ actor, body: { roomId, assertion, scope } }) =>
      extrasFor(actor, roomId, `${assertion.wording}\n${scope}`),
    ),
    register_attempt: finding("register_attempt", ({ actor, body }) => {
      const { experimentId, repository, argv, configuration, intendedDeviation = "" } = body
      const execution = { commit: repository.commit, argv, configuration }
      const room = experiments.find(experimentId)?.roomId ?? null
      return extrasFor(actor, room, `${executionText(execution)}\n${intendedDeviation}`, execution)
    }),
  }
}

function tables({ db, now, experiments }: Ground & { readonly experiments: Experiments }) {
  const known = similar(db, now)
  return { similar: known, extras: extrasFinders(known, experiments) }
}

export const domain = {
  tables: [tables],
  reads: [similarReads],
} satisfies Domain
