/** The rows of claims on work, what renews them, and which of them are active. */
import { hasFallen } from "../../contract/answers/evidence.ts"
import { writerName } from "../../contract/answers/index.ts"
import { picked } from "../../contract/each.ts"
import type { Warning } from "../../contract/answers/warnings.ts"
import { limits } from "../../contract/limits.ts"
import { objectOf } from "../../contract/objects/objects.ts"
import { type ClaimedWork, enumerations } from "../../contract/schema/enumerations.ts"
import { isOver } from "../../contract/states.ts"
import type { Actor } from "../../ledger/journal/actor.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { later } from "../../ledger/world.ts"

export const claimable = ["hypothesis", "experiment", "plan", "attempt", "checkpoint", "thread"] as const

/** An object that can be claimed. */
export interface Claimable {
  readonly id: string
  readonly kind: string
  readonly label: string | null
  readonly roomId: string
  readonly threadId: string
  /** Null if the kind has no status. */
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
/** Whether nothing is left of some work on an object: what was to run is over, or the record has fallen. */
export const isDone = (what: ClaimedWork, { kind, status }: Pick<Claimable, "kind" | "status">): boolean =>
  kind === "experiment" || kind === "attempt"
    ? what === "run" && isOver(kind, status)
    : enumerations.recordStatus.some((each) => each === status && hasFallen(each))

/** A claim with the note of its agent. */
export type NotedClaim = Claim & { readonly note: string | null }

/** No agent has this name. */
const NOBODY = "/"
const IDS = "IN (SELECT value FROM json_each(+?))"
/**
 * The columns that lead from an object to related objects: from an attempt, for example, to its experiment, plan and
 * target.
 */
const RELATED = [
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
  const CLAIM = `SELECT c.claim_id AS claimId, c.what, c.object_id AS objectId, c.object_kind AS kind,
      c.object_label AS label, p.username AS by,
    nullif(c.agent, '') AS agent, c.until, c.room_id AS roomId, c.thread_id AS threadId, c.author_id AS authorId`
  const FROM = "FROM work_claims c JOIN people p ON p.user_id = c.author_id"
  const one = db.prepare<Claim & { readonly roomId: string; readonly threadId: string; readonly authorId: string }>(
    `${CLAIM} ${FROM} WHERE c.claim_id = +?`,
  )
  const anyActive = db.prepare("SELECT 1 FROM work_claims WHERE room_id = +? AND until > +? LIMIT 1")
  const end = db.prepare("UPDATE work_claims SET until = +? WHERE claim_id = +?")
  const replaced = db.prepare(
    `UPDATE work_claims
      SET until = +?
      WHERE object_id = +? AND until > +? AND what = +? AND author_id = +? AND agent = +?`,
  )
  const own = db.prepare<{ claimId: string; minutes: number; what: ClaimedWork }>(
    `SELECT claim_id AS claimId, minutes, what
      FROM work_claims
      WHERE object_id ${IDS} AND until > +? AND room_id = +? AND author_id = +? AND agent = +?`,
  )
  const others = db.prepare<Claim>(
    `${CLAIM} ${FROM} WHERE c.object_id ${IDS} AND c.until > +? AND c.room_id = +? AND c.what = +?
        AND NOT (c.author_id = +? AND c.agent = +?) AND coalesce(${contentOf("c")} ->> '$.for', '') <> +?
     ORDER BY c.until DESC, c.claim_id LIMIT ${limits.claimWarnings}`,
  )
  const among = db.prepare<Pick<Claim, "what" | "objectId">>(
    `SELECT DISTINCT what, object_id AS objectId FROM work_claims WHERE object_id ${IDS} AND until > +?`,
  )
  const related = db.prepare<{ id: string }>(
    RELATED.map(
      ([table, column, key]) => `SELECT ${column} AS id FROM ${table} WHERE ${key} ${IDS} AND ${column} IS NOT NULL`,
    ).join(" UNION "),
  )
  const lasting = (column: string) =>
    db.prepare<NotedClaim>(
      `${CLAIM}, ${contentOf("c")} ->> '$.note' AS note ${FROM}
        WHERE c.${column} = +? AND c.until > +?
        ORDER BY c.until DESC, c.claim_id
        LIMIT ${limits.briefSight}`,
    )
  const [ofRoom, ofThread] = [lasting("room_id"), lasting("thread_id")]
  const found = claimable.map((kind) => {
    const { table, key, kindIn, label, room } = objectOf(kind)
    const status =
      table === "records"
        ? "(SELECT s.status FROM standings s WHERE s.version_id = x.version_id)"
        : kind === "experiment" || kind === "attempt"
          ? "x.status"
          : "NULL"
    return db.prepare<Claimable>(
      `SELECT x.${key} AS id, ${kindIn === null ? `'${kind}'` : `x.${kindIn}`} AS kind,
          ${label === null ? "NULL" : "x.label"} AS label,
         x.${room} AS roomId, x.thread_id AS threadId, ${status} AS status FROM ${table} x WHERE x.${key} = +?`,
    )
  })

  const object = (id: string) => found.map((each) => each.get(id)).find((each) => each !== undefined)

  return {
    /** Returns the object with an id, if it can be claimed. */
    object,
    find: (claimId: string) => one.get(claimId),

    /** Stores a claim, and ends the agent's earlier claim on the same work. @returns when it expires */
    insert(
      claim: { claimId: string; what: ClaimedWork; minutes: number; historyPosition: number },
      { id, kind, label, roomId, threadId }: Claimable,
      { userId, agent = "" }: Actor,
      at: string,
    ): string {
      const { what, minutes } = claim
      const until = later(at, minutes)
      replaced.run(at, id, at, what, userId, agent)
      insert({
        ...claim,
        roomId,
        threadId,
        objectId: id,
        objectKind: kind,
        objectLabel: label,
        authorId: userId,
        agent,
        until,
      })
      return until
    },

    /** Ends a claim early. */
    end: (claimId: string, at: string): void => void end.run(at, claimId),

    /** Whether a Room has an active claim. */
    anyActive: (roomId: string, at: string): boolean => anyActive.get(roomId, at) !== undefined,

    /** Returns the ids that a write names, and those of related objects, as a JSON list. */
    withRelated(ids: readonly string[]): string {
      const named = JSON.stringify(ids)
      return JSON.stringify([...ids, ...related.all(...RELATED.map(() => named)).map(({ id }) => id)])
    },

    /**
     * Renews an agent's claims on the objects that its write concerns.
     * @param ids the objects, a JSON list
     * @param what the work that the write does
     * @param ends whether the write ends that work: then the agent's own claim on it ends
     * @returns a warning for each claim of another agent on that work
     */
    renew(
      roomId: string,
      ids: string,
      what: ClaimedWork | undefined,
      ends: boolean,
      { userId, agent = "" }: Actor,
      at: string,
    ): Warning[] {
      for (const claim of own.all(ids, at, roomId, userId, agent))
        end.run(ends && claim.what === what ? at : later(at, claim.minutes), claim.claimId)
      if (what === undefined) return []
      return others.all(ids, at, roomId, what, userId, agent, agent || NOBODY).map((claim) => ({
        code: "claimed_by",
        message:
          `${writerName({ username: claim.by, agent: claim.agent })} has claimed ` + `this work until ${claim.until}.`,
        ...picked(claim, "claimId", "what", "by", "agent", "until"),
        ...(claim.label !== null && { label: claim.label }),
      }))
    },

    /** Returns the active claims on some objects. */
    among: (ids: readonly string[], at: string) => (ids.length === 0 ? [] : among.all(JSON.stringify(ids), at)),

    /** Returns the active claims of a Room or a Thread whose work is not done yet. */
    lasting: (
      { roomId, threadId }: { readonly roomId: string; readonly threadId?: string },
      at: string,
    ): NotedClaim[] =>
      (threadId === undefined ? ofRoom.all(roomId, at) : ofThread.all(threadId, at)).filter(({ what, objectId }) => {
        const claimed = object(objectId)
        return claimed === undefined || !isDone(what, claimed)
      }),
  }
}
