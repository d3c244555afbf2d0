/**
 * The history of data before schema 8, put together one last time from what its tables kept: each accepted write of a Room,
 * proved by its digest, the people, and, row by row, the Library, of whose writes only the outcome was kept.
 */
import { canonicalJson, digestOf, type JsonObject, trusted } from "../../contract/json.ts"
import { pathNames } from "../../contract/operation.ts"
import { operationNamed } from "../../contract/operations/index.ts"
import { DataError, type Db } from "../database.ts"
import { requestDigestOf } from "../delivery.ts"
import { CARRIED, type Entry, type Given } from "../history.ts"
import { carriedContent } from "../replay.ts"
import { rowsOf, tablesOf } from "../tables.ts"
import { parsed, reassembly, type StoredReceipt } from "./reassembled.ts"

/** How many rows are held in memory at once. */
const STEP = 500

/** An entry before it has a place. */
type Unplaced = Omit<Entry, "position">

/** The Library's tables: of its writes only what came of them was kept. */
const carriedTables = [
  "library_counts",
  "saved_papers",
  "collections",
  "collection_members",
  "collection_invitations",
  "collection_papers",
  "notes",
  "unread_notes",
  "personal_keys",
  "key_collections",
  "annotations",
  "highlights",
  "reading_positions",
] as const

const nothing = { sender: null, params: {}, client: undefined, username: null } as const
const said = (content: object): string => canonicalJson(content)

/** How people came to be here, by the moment. */
function* ofPeople(db: Db): Generator<Unplaced> {
  interface Row {
    at: string
    what: string
    user_id: string | null
    username: string | null
    id: string
    token: string | null
    value: string | null
  }
  const rows = db.prepare<Row>(
    `SELECT created_at AS at, 0 AS rank, 'create_person' AS what, NULL AS user_id, NULL AS username, user_id AS id, username AS token, is_operator AS value FROM people
     UNION ALL SELECT i.created_at, 1, 'invite', i.invited_by, p.username, i.invitation_id, i.token_digest, i.room_id FROM invitations i JOIN people p ON p.user_id = i.invited_by
     UNION ALL SELECT p.created_at, 2, 'accept_invitation', p.user_id, p.username, i.invitation_id, NULL, NULL FROM invitations i JOIN people p ON p.user_id = i.accepted_by
     UNION ALL SELECT i.revoked_at, 3, 'revoke_invitation', i.invited_by, p.username, i.invitation_id, NULL, NULL FROM invitations i JOIN people p ON p.user_id = i.invited_by WHERE i.revoked_at IS NOT NULL
     ORDER BY 1, 2, 6`,
  )
  for (const { at, what, user_id: userId, username, id, token, value } of rows.all()) {
    const common = { ...nothing, operation: what, userId, username, at }
    if (what === "create_person")
      yield { ...common, content: said({ username: token, isOperator: Number(value) === 1 }), given: { ids: [id] } }
    else if (what === "invite")
      yield { ...common, content: said({ roomId: value }), given: { ids: [id], tokens: token === null ? [] : [token] } }
    else yield { ...common, content: said({ invitationId: id }), given: {} }
  }
}

interface ReceiptRow {
  id: number
  user_id: string
  username: string
  operation: string
  delivery_id: string
  sender: string
  credential_id: string | null
  request_digest: string
  body: string
}

/** Ids that a write was given beyond that of its entry, in the order it asked for them. */
const asked: Readonly<Record<string, (receipt: StoredReceipt) => unknown[]>> = {
  create_room: ({ result }) => [result.roomId, result.openingThreadId],
  create_thread: ({ result }) => [result.threadId, ...(result.messageEntryId === null ? [] : [result.messageEntryId])],
  register_material: ({ target, result }) => (result.existing === true ? [] : [target.id]),
  ...Object.fromEntries(
    [
      "publish_hypothesis",
      "publish_finding",
      "publish_cited_claim",
      "accept_plan",
      "propose_experiment",
      "link_experiment_finding",
      "assert_correction",
      "assert_supersession",
      "assert_dispute",
      "assert_retraction",
      "post_research_checkpoint",
      "issue_credential",
      "rotate_credential",
    ].map((name) => [name, ({ target }: StoredReceipt) => [target.id]]),
  ),
}

/** Makes the function that tells what write a receipt of a Room was given for. */
function explaining(db: Db) {
  const candidates = reassembly(db)
  const entryOf = db.prepare<{ body: string }>("SELECT body FROM activity_entries WHERE room_id = ? AND sequence = ?")
  const shown = db.prepare<{ body: string }>("SELECT body FROM timeline_entries WHERE entry_id = ?")
  const recordOf = db.prepare<{ client: string | null }>("SELECT client FROM records WHERE version_id = ?")
  const token = db.prepare<{ token_digest: string }>("SELECT token_digest FROM credentials WHERE credential_id = ?")

  function clientOf({ entry, target, result }: StoredReceipt): JsonObject | undefined {
    const ofRecord = recordOf.get(target.id)?.client
    if (ofRecord != null) return parsed<JsonObject>(ofRecord)
    for (const id of [entry?.entryId, result.messageEntryId]) {
      const body = typeof id === "string" ? parsed<Record<string, { client?: JsonObject }>>(shown.get(id)?.body ?? "") : undefined
      const client = body?.receipt?.client ?? body?.message?.client ?? body?.card?.client
      if (client !== undefined) return client
    }
    return undefined
  }

  return (row: ReceiptRow, receipt: StoredReceipt): Unplaced => {
    const operation = operationNamed(row.operation)
    const told =
      receipt.activity === null || receipt.roomId === null
        ? undefined
        : parsed<{ contentDigest: string; actor: { username: string } }>(entryOf.get(receipt.roomId, receipt.activity.sequence)?.body ?? "")
    if (operation === undefined || (receipt.activity !== null && told === undefined))
      throw new DataError(`The receipt of ${row.operation} ${row.delivery_id} tells of a write that is not there. Nothing was changed.`)
    const ids: Record<string, unknown> = { roomId: receipt.roomId, threadId: receipt.threadId, ...receipt.result }
    const params = Object.fromEntries(pathNames(operation.path).map((name) => [name, String(ids[name] ?? "")]))
    const ways = candidates(receipt, row.user_id).map((way) => said(way))
    const isIt = (content: string) =>
      told === undefined ? requestDigestOf(operation, params, content) === row.request_digest : digestOf(content) === told.contentDigest
    const found = ways.find(isIt)
    const content = found ?? ways[0]
    if (content === undefined)
      throw new DataError(`The content of ${row.operation} ${row.delivery_id} is not there any more. Nothing was changed.`)
    const digest = token.get(receipt.target.id)?.token_digest
    const made = asked[row.operation]?.(receipt).map(String) ?? []
    const given: Given = {
      // What has no entry was given an id for one all the same.
      ids: [receipt.entry?.entryId ?? row.delivery_id, ...made],
      ...(/^(?:issue|rotate)_credential$/.test(row.operation) && digest !== undefined ? { tokens: [digest] } : {}),
      ...(receipt.warnings === undefined || receipt.warnings.length === 0 ? {} : { warnings: receipt.warnings }),
      ...(found === undefined
        ? { ...(told === undefined ? {} : { contentDigest: told.contentDigest }), requestDigest: row.request_digest }
        : {}),
    }
    return {
      operation: row.operation,
      userId: row.user_id,
      username: told?.actor.username ?? row.username,
      sender: row.credential_id,
      at: receipt.acceptedAt,
      params,
      content,
      client: clientOf(receipt),
      given,
    }
  }
}

/** Rows of the Library, and receipts of its writes: as they are. */
function* carried(db: Db, at: string, position: () => number): Generator<Unplaced> {
  const row = (table: string, content: JsonObject, by: Partial<Unplaced> = {}): Unplaced => ({
    ...nothing,
    operation: CARRIED,
    userId: null,
    at,
    params: { table },
    content: carriedContent(content),
    given: {},
    ...by,
  })
  const tables = new Map(tablesOf(db).map((table) => [table.name, table]))
  for (const name of carriedTables) {
    const table = tables.get(name)
    if (table === undefined) throw new DataError(`There is no table ${name}. Nothing was changed.`)
    for (const each of rowsOf(db, table, table.columns)) yield row(name, each as JsonObject)
  }
  for (const [receipt] of receipts(db)) {
    if (operationNamed(receipt.operation)?.family !== "library") continue
    const { user_id, operation, delivery_id, sender, request_digest, body } = receipt
    const content = { user_id, operation, delivery_id, sender, history_position: position(), request_digest, body }
    yield row("receipts", content, { userId: user_id, username: receipt.username, sender: receipt.credential_id })
  }
}

/** All receipts, oldest first. */
function* receipts(db: Db): Generator<[ReceiptRow, StoredReceipt]> {
  const page = db.prepare<ReceiptRow>(
    `SELECT r.rowid AS id, r.*, p.username FROM receipts r JOIN people p USING (user_id) WHERE r.rowid > ? ORDER BY r.rowid LIMIT ${STEP}`,
  )
  for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)?.id ?? 0))
    for (const row of rows) yield [row, trusted<StoredReceipt>(row.body)]
}

/** How many entries there will be. */
export function gatheredCount(db: Db): number {
  const tables = ["people", "receipts", ...carriedTables].map((table) => `(SELECT count(*) FROM ${table})`)
  const invitations = "(SELECT count(*) + count(accepted_by) + count(revoked_at) FROM invitations)"
  return db.prepare<{ entries: number }>(`SELECT ${[...tables, invitations].join(" + ")} AS entries`).one().entries
}

/**
 * Every entry of the history of data of schema 7, in order; no more than a few hundred are in memory at once.
 * @throws DataError for a write of which nothing can be told any more
 */
export function* gathered(db: Db): Generator<Entry> {
  const explained = explaining(db)
  const people = ofPeople(db)
  let position = 1
  let at = ""
  const placed = (entry: Unplaced): Entry => {
    at = at > entry.at ? at : entry.at
    return { ...entry, position: position++ }
  }
  let person = people.next()
  for (const [row, receipt] of receipts(db)) {
    for (; !person.done && isBefore(person.value, receipt); person = people.next()) yield placed(person.value)
    if (operationNamed(row.operation)?.family === "research") yield placed(explained(row, receipt))
  }
  for (; !person.done; person = people.next()) yield placed(person.value)
  for (const each of carried(db, at, () => position)) yield placed(each)
}

/** In one moment a person comes first, and what is said of a Room after it is made. */
const isBefore = (entry: Unplaced, { acceptedAt }: StoredReceipt): boolean =>
  entry.at < acceptedAt || (entry.at === acceptedAt && entry.operation !== "invite")
