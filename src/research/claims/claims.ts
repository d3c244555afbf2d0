/** Claims on work: their rows, what renews them, which of them are active, and the behaviours that make them. */
import { hasFallen } from "../../contract/answers/evidence.ts"
import { writerName } from "../../contract/answers/parts.ts"
import { picked } from "../../contract/typed.ts"
import type { Warning } from "../../contract/answers/receipts.ts"
import { limits } from "../../contract/limits.ts"
import { objectOf } from "../../contract/objects/objects.ts"
import { type ClaimedWork, enumerations } from "../../contract/schema/enumerations.ts"
import { isOver, states } from "../../contract/states.ts"
import { type Actor, AGENT_OR_NONE_AT } from "../../ledger/journal/actor.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting } from "../../ledger/storage/inserting.ts"
import { isoTime, later } from "../../ledger/world.ts"
import { words } from "../../contract/definitions/sentence.ts"
import { pathTo } from "../../contract/reads/index.ts"
import { oneLine, shortened } from "../../contract/text.ts"
import type { BriefSources, Place } from "../../ledger/domains/brief.ts"
import { isObject } from "../../contract/json.ts"
import { known, noSuch } from "../../ledger/write/references.ts"
import { Refusal } from "../../contract/refusals.ts"
import { namedIn } from "../../contract/schema/parts.ts"
import { type OperationName, researchWrites } from "../../contract/operations/index.ts"
import { behaviour, type FollowingStep, following } from "../../ledger/journal/behaviour.ts"
import type { Holders } from "../experiments/holders.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"

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
const isDone = (what: ClaimedWork, { kind, status }: Pick<Claimable, "kind" | "status">): boolean =>
  kind === "experiment" || kind === "attempt"
    ? what === "run" && isOver(kind, status)
    : enumerations.recordStatus.some((each) => each === status && hasFallen(each))

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

const OVER = states.attempt.terminal.map((status) => `'${status}'`).join(", ")
/**
 * SQL for whether the work of a claim `c` on a reproduction has ended: its agent has registered reproductions since,
 * and all are over, with a verdict or without. Reads tell it: a write that ended such a claim would change what a
 * replay of older data makes.
 */
const REPRODUCED = `(c.what = 'reproduce' AND (
    SELECT count(*) > 0 AND count(*) = sum(a.status IN (${OVER}))
    FROM attempts a
    WHERE (a.reproduces_version_id = c.object_id OR a.reproduces_attempt_id = c.object_id
        OR a.experiment_id = c.object_id)
      AND a.intent = 'reproduction' AND a.registrant_id = c.author_id AND a.history_position > c.history_position
      AND coalesce(${AGENT_OR_NONE_AT("a.history_position")}, '') = c.agent))`

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
    `SELECT DISTINCT c.what, c.object_id AS objectId FROM work_claims c
     WHERE c.object_id ${IDS} AND c.until > +? AND NOT ${REPRODUCED}`,
  )
  const related = db.prepare<{ id: string }>(
    RELATED.map(
      ([table, column, key]) => `SELECT ${column} AS id FROM ${table} WHERE ${key} ${IDS} AND ${column} IS NOT NULL`,
    ).join(" UNION "),
  )
  const lasting = (column: string) =>
    db.prepare<NotedClaim>(
      `${CLAIM}, ${contentOf("c")} ->> '$.note' AS note ${FROM}
        WHERE c.${column} = +? AND c.until > +? AND NOT ${REPRODUCED}
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
    lasting: ({ roomId, threadId }: Place, at: string): NotedClaim[] =>
      (threadId === undefined ? ofRoom.all(roomId, at) : ofThread.all(threadId, at)).filter(({ what, objectId }) => {
        const claimed = object(objectId)
        return claimed === undefined || !isDone(what, claimed)
      }),
  }
}

// The behaviours that claim work and release it.

/** The refusal of a claim to run something that says neither by its object nor by a note what it is. */
function unnamed(): Refusal {
  const issue = { path: "/note", message: "is required without object: say what you take, an arm or a question" }
  return new Refusal("invalid_schema", `note ${issue.message}.`, { issues: [issue] })
}

function claimOperations({ claims }: { claims: Claims }) {
  const claim_work = behaviour("claim_work", {
    subject({ body }) {
      if (body.what === "run" && body.object === undefined && body.note === undefined) throw unnamed()
      const found = claims.object(body.object ?? body.threadId ?? "")
      if (found !== undefined) return { roomId: found.roomId, threadId: found.threadId, found }
      throw body.object === undefined
        ? noSuch("thread")
        : new Refusal("unknown_record", "There is nothing with this id that can be claimed.")
    },
    references: ({ body }, { threadId }) =>
      body.threadId === undefined || body.threadId === threadId
        ? []
        : [{ path: "/threadId", message: "is not the Thread of the object" }],
    admit({ body }, { found: { id, kind, label, status } }) {
      if (!isDone(body.what, { kind, status })) return
      const current = { id, kind, label, status }
      if (kind === "experiment")
        throw new Refusal("experiment_not_open", `${label} is ${status}; there is nothing left to run.`, { current })
      const why = kind === "attempt" ? `has ended: ${status}.` : `is ${status}; there is nothing left to claim.`
      throw new Refusal("state_conflict", `${label} ${why}`, { current })
    },
    write({ actor, body: { what, minutes } }, { found }, { at, position, newId }) {
      const claimId = newId()
      const until = claims.insert({ claimId, what, minutes, historyPosition: position }, found, actor, at)
      return { target: { id: claimId, label: null }, result: { claimId, until, label: null } }
    },
  })

  const release_claim = behaviour("release_claim", {
    subject({ body }) {
      const claim = known("work_claim", claims.find(body.claimId))
      return { roomId: claim.roomId, threadId: claim.threadId, claim }
    },
    admit({ actor }, { claim: { claimId, authorId, until } }, at) {
      if (authorId !== actor.userId)
        throw new Refusal("role_required", "Only the person whose agent made a claim can release it.", {
          current: { needed: ["author"] },
        })
      if (until <= at)
        throw new Refusal("state_conflict", `The claim ended at ${until}.`, { current: { claimId, until } })
    },
    write(_call, { claim: { claimId } }, { at }) {
      claims.end(claimId, at)
      return { target: { id: claimId, label: null }, result: { claimId, until: at, label: null } }
    },
  })

  return { claim_work, release_claim }
}

/** Returns the claimable work that a write does; undefined for other writes. */
function workOf(operation: OperationName, body: unknown): ClaimedWork | undefined {
  const members = isObject(body) ? body : {}
  switch (operation) {
    case "claim_work":
      return enumerations.claimedWork.find((what) => what === members.what)
    case "propose_experiment":
    case "take_experiment":
      return "run"
    case "register_attempt":
      return members.intent === "reproduction" ? "reproduce" : "run"
    case "publish_finding":
      return "write_finding"
    case "post_research_checkpoint":
      return "write_checkpoint"
    case "submit_review":
      return "review"
    case "report_attempt_event":
      return members.reproduction === undefined ? undefined : "reproduce"
    default:
      return undefined
  }
}

/** The writes with which the work that they do is done. */
const ending: ReadonlySet<OperationName> = new Set([
  "publish_finding",
  "post_research_checkpoint",
  "submit_review",
  "report_attempt_event",
])
/** The writes that are about their Thread itself; others in it renew no claim on it. */
const inThread: ReadonlySet<OperationName> = new Set(["claim_work", "post_message", "post_research_checkpoint"])

/** The members of a body that mention what is there already, which is no work on it. */
const MENTIONING: ReadonlySet<string> = new Set(["citations", "references", "premises"])

/**
 * Renews the claims and leases of the agent that writes, ends the claim on work that the write does, and warns about
 * the claims of others.
 */
function renewingStep({ claims, holders }: { claims: Claims; holders: Holders }): FollowingStep {
  const renewing = researchWrites.filter((name) => name !== "release_claim")
  const follow: FollowingStep["follow"] = ({ operation, call, subject, change, outcome }) => {
    const roomId = outcome.roomId ?? subject.roomId
    if (roomId === null) return []
    const threadId = outcome.threadId ?? subject.threadId
    const { actor } = call
    const isHolder = holders.anyOf(actor.userId, roomId)
    if (!isHolder && !claims.anyActive(roomId, change.at)) return []
    const body = Object.fromEntries(
      Object.entries(isObject(call.body) ? call.body : {}).filter(([member]) => !MENTIONING.has(member)),
    )
    const ids = [
      ...namedIn(call.operation.body, body).map(({ id }) => id),
      outcome.target.id,
      ...(threadId == null || !inThread.has(operation) ? [] : [threadId]),
    ]
    const concerned = claims.withRelated(ids)
    if (isHolder) holders.renew(concerned, actor, change.at)
    const work = workOf(operation, call.body)
    return claims.renew(roomId, concerned, work, ending.has(operation), actor, change.at)
  }
  return following(renewing, follow, { ifWorkedOn: true })
}

// The current claims in a brief; the one that lasts longest is first.

function claimsInBrief({ claims }: { claims: Claims }) {
  return {
    claims: {
      title: "Claimed by agents at work",
      line: ({ what, object, by, agent, until, note, claimId }) =>
        `${words(what)} ${object.label ?? `${words(object.kind)} ${object.id}`} ` +
        `(${writerName({ username: by, agent })}, until ${until})` +
        `${note === null ? "" : `: ${oneLine(note)}`} ${claimId}`,
      link: ({ roomId }) => pathTo("room_next", { roomId }),
      read: (place) => ({
        items: () => ({
          at(now) {
            const lasting = claims.lasting(place, isoTime(now))
            return (most) =>
              lasting.map(({ claimId, what, kind, objectId, label, by, agent, until, note }) => {
                const object = { kind, id: objectId, label }
                return { claimId, what, object, by, agent, until, note: note === null ? null : shortened(note, most) }
              })
          },
        }),
      }),
    },
  } satisfies Partial<BriefSources>
}

export const domain = {
  tables: [({ db }: Ground) => ({ claims: claims(db) })],
  operations: [claimOperations],
  steps: [renewingStep],
  brief: [claimsInBrief],
} satisfies Domain
