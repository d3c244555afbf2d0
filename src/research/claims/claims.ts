/** Claims on work: their rows, what renews them, and which of them last. */
import { writerName } from "../../contract/answers/index.ts"
import type { Warning } from "../../contract/answers/warnings.ts"
import { limits } from "../../contract/limits.ts"
import { objectOf } from "../../contract/objects/objects.ts"
import type { ClaimedWork } from "../../contract/schema/enumerations.ts"
import type { Actor } from "../../ledger/journal/actor.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { later } from "../experiments/leases.ts"

export const claimable = ["hypothesis", "experiment", "plan", "attempt", "checkpoint", "thread"] as const

/** What can be claimed, with what decides whether it is over. */
export interface Claimable {
  readonly id: string
  readonly kind: string
  readonly label: string | null
  readonly roomId: string
  readonly threadId: string
  /** How it stands; null for what never ends. */
  readonly status: string | null
}

export interface Claim {
  readonly claimId: string
  readonly what: ClaimedWork
  readonly objectId: string
  readonly kind: string
  readonly label: string | null
  readonly by: string
  readonly agent: string | null
  readonly until: string
}
/** A claim with the note that its agent left. */
export type NotedClaim = Claim & { readonly note: string | null }

const agentOf = ({ agent = "" }: Actor): string => agent

const IDS = "IN (SELECT value FROM json_each(+?))"
/** What some ids belong to or are about: an event of an attempt concerns its experiment, its plan and what it reproduces. */
const BEYOND = [
  ...["experiment_id", "plan_id", "rerun_of", "reproduces_attempt_id", "reproduces_version_id"].map((column) => [
    "attempts",
    column,
    "attempt_id",
  ]),
  ["plans", "experiment_id", "plan_id"],
  ["finding_links", "experiment_id", "link_id"],
  ["finding_links", "version_id", "link_id"],
  ["research_links", "target_version_id", "link_id"],
  ["timeline_entries", "version_id", "entry_id"],
] as const

export type Claims = ReturnType<typeof claims>

export function claims(db: Db) {
  const insert = inserting(db, "work_claims")
  const CLAIM = `SELECT c.claim_id AS claimId, c.what, c.object_id AS objectId, c.object_kind AS kind, c.object_label AS label, p.username AS by,
    nullif(c.agent, '') AS agent, c.until, c.room_id AS roomId, c.thread_id AS threadId, c.author_id AS authorId`
  const FROM = "FROM work_claims c JOIN people p ON p.user_id = c.author_id"
  const one = db.prepare<Claim & { readonly roomId: string; readonly threadId: string; readonly authorId: string }>(
    `${CLAIM} ${FROM} WHERE c.claim_id = +?`,
  )
  const anyLasts = db.prepare("SELECT 1 FROM work_claims WHERE room_id = +? AND until > +? LIMIT 1")
  const end = db.prepare("UPDATE work_claims SET until = +? WHERE claim_id = +?")
  const replaced = db.prepare(
    "UPDATE work_claims SET until = +? WHERE object_id = +? AND until > +? AND what = +? AND author_id = +? AND agent = +?",
  )
  const own = db.prepare<{ claimId: string; minutes: number }>(
    `SELECT claim_id AS claimId, minutes FROM work_claims WHERE object_id ${IDS} AND until > +? AND room_id = +? AND author_id = +? AND agent = +?`,
  )
  const others = db.prepare<Claim>(
    `${CLAIM} ${FROM} WHERE c.object_id ${IDS} AND c.until > +? AND c.room_id = +? AND c.what = +? AND NOT (c.author_id = +? AND c.agent = +?)
     ORDER BY c.until DESC, c.claim_id LIMIT ${limits.claimWarnings}`,
  )
  const among = db.prepare<Pick<Claim, "what" | "objectId">>(
    `SELECT DISTINCT what, object_id AS objectId FROM work_claims WHERE object_id ${IDS} AND until > +?`,
  )
  const beyond = db.prepare<{ id: string }>(
    BEYOND.map(([table, column, key]) => `SELECT ${column} AS id FROM ${table} WHERE ${key} ${IDS} AND ${column} IS NOT NULL`).join(
      " UNION ",
    ),
  )
  const lasting = (column: string) =>
    db.prepare<NotedClaim>(
      `${CLAIM}, ${contentOf("c")} ->> '$.note' AS note ${FROM} WHERE c.${column} = +? AND c.until > +? ORDER BY c.until DESC, c.claim_id LIMIT ${limits.briefSight}`,
    )
  const [ofRoom, ofThread] = [lasting("room_id"), lasting("thread_id")]
  const found = claimable.map((kind) => {
    const { table, key, kindIn, label, room } = objectOf(kind)
    const status =
      table === "records" ? "(SELECT s.status FROM standings s WHERE s.version_id = x.version_id)" : isStateful(kind) ? "x.status" : "NULL"
    return db.prepare<Claimable>(
      `SELECT x.${key} AS id, ${kindIn === null ? `'${kind}'` : `x.${kindIn}`} AS kind, ${label === null ? "NULL" : "x.label"} AS label,
         x.${room} AS roomId, x.thread_id AS threadId, ${status} AS status FROM ${table} x WHERE x.${key} = +?`,
    )
  })

  return {
    /** What an id names, of all that can be claimed. */
    object: (id: string): Claimable | undefined => found.map((each) => each.get(id)).find((each) => each !== undefined),
    find: (claimId: string) => one.get(claimId),

    /** Stores a claim in place of the agent's earlier one for the same work. @returns until when it lasts */
    insert(
      claim: { claimId: string; what: ClaimedWork; minutes: number; historyPosition: number },
      { id, kind, label, roomId, threadId }: Claimable,
      actor: Actor,
      at: string,
    ): string {
      const { what, minutes } = claim
      const [agent, until] = [agentOf(actor), later(at, minutes)]
      const object = { roomId, threadId, objectId: id, objectKind: kind, objectLabel: label }
      replaced.run(at, id, at, what, actor.userId, agent)
      insert({ ...claim, ...object, authorId: actor.userId, agent, until })
      return until
    },

    /** Ends a claim before its time. */
    end: (claimId: string, at: string): void => void end.run(at, claimId),

    /** Whether any claim of a Room lasts at a moment. */
    anyLasts: (roomId: string, at: string): boolean => anyLasts.get(roomId, at) !== undefined,

    /** What a write concerns that names some ids: those, and what they belong to or are about. @returns a JSON list */
    concerned(ids: readonly string[]): string {
      const named = JSON.stringify(ids)
      return JSON.stringify([...ids, ...beyond.all(...BEYOND.map(() => named)).map(({ id }) => id)])
    },

    /**
     * Renews an agent's claims on what its write concerns.
     * @param all what it concerns, a JSON list
     * @returns a warning for each claim of another agent on the work that it did
     */
    wrote(roomId: string, all: string, what: ClaimedWork | undefined, actor: Actor, at: string): Warning[] {
      const agent = agentOf(actor)
      for (const { claimId, minutes } of own.all(all, at, roomId, actor.userId, agent)) end.run(later(at, minutes), claimId)
      if (what === undefined) return []
      return others.all(all, at, roomId, what, actor.userId, agent).map((claim) => ({
        code: "claimed_by",
        message: `${writerName({ username: claim.by, agent: claim.agent })} has claimed this work until ${claim.until}.`,
        claimId: claim.claimId,
        what: claim.what,
        by: claim.by,
        agent: claim.agent,
        until: claim.until,
        ...(claim.label !== null && { label: claim.label }),
      }))
    },

    /** The claims on any of some objects that last at a moment. */
    among: (ids: readonly string[], at: string) => (ids.length === 0 ? [] : among.all(JSON.stringify(ids), at)),

    /** The claims of a Room, or of a Thread, that last at a moment. */
    lasting: ({ roomId, threadId }: { readonly roomId: string; readonly threadId?: string }, at: string): NotedClaim[] =>
      threadId === undefined ? ofRoom.all(roomId, at) : ofThread.all(threadId, at),
  }
}

const isStateful = (kind: string): boolean => kind === "experiment" || kind === "attempt"
