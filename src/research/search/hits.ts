/** The hits of a search: their rows, and how they are shown. */
import type { RecordStatus, SearchKind } from "../../contract/schema/enumerations.ts"
import type { Author, Person } from "../../contract/answers/index.ts"
import { kindsOf } from "../../contract/objects/objects.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { fromOtherRoom } from "../../ledger/lists/other-room.ts"
import type { ParsedQuery } from "./query.ts"
import { beginningOf, passageIn, type ReadBudget, snippetHtml } from "./snippet.ts"
import { type Wording, wordsOf } from "./wording.ts"
import { AGENT_AT, authorIn } from "../../ledger/journal/author.ts"

export type Hit = AnswerOf<"search">["items"][number]

export interface Row
  extends Author,
    Pick<Hit, "id" | "label" | "title" | "threadId" | "entryId" | "at" | "status" | "standing"> {
  readonly item: number
  readonly kind: SearchKind
  readonly roomId: string
  readonly replacedBy: string | null
  readonly replacedByLabel: string | null
  readonly replacedByRoom: string | null
  readonly ownTitle: string | null
  readonly content: Wording["content"]
}

const isRecord = (kind: SearchKind): boolean => kindsOf("record").includes(kind)
const statusOf = (row: Row): RecordStatus | null => (isRecord(row.kind) ? (row.status ?? "current") : null)

export function hit(row: Row, snippet: string): Hit {
  const { kind, id, label, title, roomId, threadId, entryId, at, replacedBy: versionId } = row
  const place = { kind, id, label, title, roomId, threadId, entryId }
  const status = statusOf(row)
  const mark = fromOtherRoom(row.replacedByRoom ?? roomId, roomId)
  const replacedBy = versionId === null ? null : { versionId, label: row.replacedByLabel ?? "", ...mark }
  return {
    ...place,
    author: authorIn(row),
    at,
    status,
    snippet: snippetHtml(snippet),
    standing: status ?? row.standing,
    replacedBy,
  }
}

/** The columns of an item, and the tables that they come from. */
export const SHOWN = `i.item, i.kind, i.id, h.label, h.line AS title, h.room_id AS roomId, h.thread_id AS threadId,
    CASE WHEN i.kind <> 'thread' THEN h.entry_id END AS entryId, h.user_id AS userId, p.username,
    ${AGENT_AT("h.position")} AS agent, h.at, s.status, h.standing,
    y.version_id AS replacedBy, y.label AS replacedByLabel, y.room_id AS replacedByRoom, w.title AS ownTitle, w.content`
export const ITEM = `search_items i USING (item)
  JOIN search_places h USING (item)
  JOIN search_texts w USING (item)
  JOIN people p ON p.user_id = h.user_id
  LEFT JOIN standings s ON s.version_id = i.id
  LEFT JOIN records y ON s.status <> 'current' AND y.version_id = (SELECT k.replacement_version_id FROM research_links k
    WHERE k.target_version_id = i.id AND k.replacement_version_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM link_withdrawals d WHERE d.link_id = k.link_id) ORDER BY k.link_id DESC LIMIT 1)`

/** The words of a row without its title. */
export const bodyOf = ({ kind, title, content }: Row): string | null => wordsOf({ kind, line: title, content })

/** The beginning of a row's text. */
export const openingOf = (row: Row): string => beginningOf(row.ownTitle ?? bodyOf(row) ?? "")

/** The best passage of a row: from its title, from its body, or its beginning. */
export function passageOf(row: Row, budget: ReadBudget, query: ParsedQuery, isPrefix: boolean): string {
  const passage = (text: string | null) => (text === null ? undefined : passageIn(text, budget, query, isPrefix))
  return passage(row.ownTitle) ?? passage(bodyOf(row)) ?? openingOf(row)
}

/** A person found by name. */
export type PersonFound = Person & { readonly at: string }

export const personHit = ({ userId, username, at }: PersonFound, query: string): Hit => {
  const snippet = username.startsWith(query) ? `<mark>${query}</mark>${username.slice(query.length)}` : username
  const place = {
    kind: "person",
    id: userId,
    label: null,
    title: username,
    roomId: null,
    threadId: null,
    entryId: null,
  } as const
  return {
    ...place,
    author: { userId, username, agent: null },
    at,
    status: null,
    snippet,
    standing: null,
    replacedBy: null,
  }
}
