/** Verifies what was accepted: the chain of every Room's activity, and that each content kept whole is the one its entry tells of. */
import type { ActivityEntry } from "../contract/answers.ts"
import { entryDigest, firstPreviousDigest } from "../contract/chain.ts"
import { canonicalJson, digestOf } from "../contract/json.ts"
import { schemaVersions } from "../contract/versions.ts"
import type { Db } from "../ledger/database.ts"

/** How many rows are held in memory at once. */
const STEP = 500

/** Where the whole content of a write is kept in a row of its own. */
const keptIn = [
  { table: "records", key: "version_id", operations: ["publish_hypothesis", "publish_finding", "publish_cited_claim"] },
  { table: "plans", key: "plan_id", operations: ["accept_plan"] },
  { table: "attempts", key: "attempt_id", operations: ["register_attempt"] },
  {
    table: "research_links",
    key: "link_id",
    operations: ["assert_correction", "assert_supersession", "assert_dispute", "assert_retraction"],
  },
  { table: "checkpoints", key: "checkpoint_id", operations: ["post_research_checkpoint"] },
] as const

/** Tables that hold one row for each write of some operations, their contents aside. */
const countedIn = [
  ...keptIn,
  { table: "finding_links", operations: ["link_experiment_finding"] },
  { table: "attempt_events", operations: ["register_attempt", "report_attempt_event"] },
  {
    table: "experiment_revisions",
    operations: [
      "propose_experiment",
      "amend_experiment",
      "cancel_experiment",
      "take_experiment",
      "release_experiment",
      "report_experiment_status",
      "accept_plan",
    ],
  },
] as const

export const parsed = <T>(text: string): T | undefined => {
  try {
    return JSON.parse(text) as T
  } catch {
    return undefined
  }
}

/** What a problem calls the object of a write. */
export const nameOf = ({ target }: Pick<ActivityEntry, "target">): string =>
  `${target.kind} ${target.label === null ? target.id : `${target.label} (${target.id})`}`

/** The content of a message, put together again from its place in the timeline. */
function contentOfMessage(body: string): string | undefined {
  const entry = parsed<{ message?: { text: string; clientMessageId: string }; replyToEntryId?: string | null }>(body)
  if (entry?.message === undefined) return undefined
  const { text, clientMessageId } = entry.message
  const reply = entry.replyToEntryId == null ? {} : { replyToEntryId: entry.replyToEntryId }
  return canonicalJson({ schemaVersion: schemaVersions.research, clientMessageId, text, ...reply })
}

/** What is kept of the content of accepted writes: a look-up for each operation that keeps it whole. */
function contents(db: Db) {
  const lookUps = new Map<string, (id: string) => { content: string | undefined; contentDigest?: string } | undefined>()
  for (const { table, key, operations } of keptIn) {
    const find = db.prepare<{ content: string; content_digest: string }>(`SELECT content, content_digest FROM ${table} WHERE ${key} = ?`)
    for (const operation of operations) {
      lookUps.set(operation, (id) => {
        const row = find.get(id)
        return row && { content: row.content, contentDigest: row.content_digest }
      })
    }
  }
  const message = db.prepare<{ body: string }>("SELECT body FROM timeline_entries WHERE entry_id = ?")
  lookUps.set("post_message", (id) => {
    const row = message.get(id)
    return row && { content: contentOfMessage(row.body) }
  })

  return {
    /** A sentence when the content an entry tells of is not there, or not what it was. */
    problem(entry: ActivityEntry): string | undefined {
      const { operation, target, contentDigest } = entry
      const lookUp = lookUps.get(operation)
      if (lookUp === undefined) return undefined
      const kept = lookUp(target.id)
      if (kept === undefined) return `The ${nameOf(entry)} that was accepted is not there.`
      const same =
        kept.content !== undefined && digestOf(kept.content) === contentDigest && (kept.contentDigest ?? contentDigest) === contentDigest
      return same ? undefined : `The content of ${nameOf(entry)} is not what was accepted.`
    },
    /** How many rows there are of each table that is counted, beside how many its operations made. */
    uncounted(made: ReadonlyMap<string, number>): string[] {
      return countedIn.flatMap(({ table, operations }) => {
        const told = operations.reduce((sum, operation) => sum + (made.get(operation) ?? 0), 0)
        const rows = db.prepare<{ rows: number }>(`SELECT count(*) AS rows FROM ${table}`).get()?.rows ?? 0
        return rows === told ? [] : [`There are ${rows} ${table}; the Rooms' activity tells of ${told}.`]
      })
    },
  }
}

interface Head {
  readonly room_id: string
  readonly activity_sequence: number
  readonly activity_digest: string
}

/** What the feeds of all Rooms tell of. */
export interface Accepted {
  readonly rooms: number
  readonly activityEntries: number
  readonly records: number
  /** How often each operation was accepted; what comes after a break in a chain is not among it. */
  readonly made: ReadonlyMap<string, number>
  /** No chain is broken. */
  readonly isWhole: boolean
}

/** Reads every Room's activity from its first entry to its head. */
export function accepted(db: Db, add: (problem: string) => void, onEntries: (entries: number) => void): Accepted {
  const heads = db.prepare<Head>("SELECT room_id, activity_sequence, activity_digest FROM room_heads ORDER BY room_id").all()
  const page = db.prepare<{ sequence: number; body: string }>(
    `SELECT sequence, body FROM activity_entries WHERE room_id = ? AND sequence > ? ORDER BY sequence LIMIT ${STEP}`,
  )
  const kept = contents(db)
  const made = new Map<string, number>()
  let all = 0
  let isWhole = true
  const broken = (problem: string) => {
    isWhole = false
    add(problem)
  }

  /** Follows one Room's chain to its end, or to where it breaks. */
  function chain({ room_id: roomId, activity_sequence: last, activity_digest: lastDigest }: Head): void {
    let previous = firstPreviousDigest
    let entries = 0
    for (let rows = page.all(roomId, 0); rows.length > 0; rows = page.all(roomId, entries)) {
      for (const { sequence, body } of rows) {
        const entry = parsed<ActivityEntry>(body)
        const due = entries + 1
        if (
          entry === undefined ||
          sequence !== due ||
          entry.sequence !== due ||
          entry.previousDigest !== previous ||
          entryDigest(entry) !== entry.digest
        ) {
          broken(`The activity of Room ${roomId} does not hold together at entry ${due}.`)
          return
        }
        entries = due
        all += 1
        previous = entry.digest
        made.set(entry.operation, (made.get(entry.operation) ?? 0) + 1)
        const problem = kept.problem(entry)
        if (problem !== undefined) add(problem)
      }
      onEntries(all)
    }
    if (entries !== last || previous !== lastDigest)
      broken(`The activity of Room ${roomId} ends at entry ${entries}; its head says ${last}.`)
  }

  heads.forEach(chain)
  if (isWhole) kept.uncounted(made).forEach(add)
  const records = keptIn[0].operations.reduce((sum, operation) => sum + (made.get(operation) ?? 0), 0)
  return { rooms: heads.length, activityEntries: all, records, made, isWhole }
}
