/** Builds an instance of the service: its data, its domains, and their behaviours and readers for the contract. */
import { copiesOf } from "./backup-places.ts"
import { domains, filesOn } from "./domains.ts"
import type { Permission } from "../../contract/schema/enumerations.ts"
import { Refusal } from "../../contract/refusals.ts"
import { added, stepsOf, type TablesOf, tablesOf } from "../../ledger/domains/domain.ts"
import type { Gate, Written, Actor, Known, RoomAccess } from "../../ledger/journal/actor.ts"
import type { Behaviours } from "../../ledger/journal/behaviour.ts"
import { labelOf } from "../../ledger/lists/labelled.ts"
import { answering, asking } from "../../ledger/reads/reading.ts"
import { Remaking } from "../../ledger/replay/remake.ts"
import { datedAhead } from "../../ledger/storage/opening.ts"
import { type Db, fileOf } from "../../ledger/storage/database.ts"
import { onForget } from "../../ledger/storage/caches.ts"
import { realWorld, type World } from "../../ledger/world.ts"
import { nothingChecked, type OutsideCheck } from "../../ledger/write/admission.ts"
import { Ledger } from "../../ledger/write/ledger.ts"
import { AfterCommit, type GroupHooks } from "../../ledger/write/commit-queue.ts"
import { libraryActs, metadataIntake as intakeOf } from "../../library/index.ts"
import { createAccounts, byProvider } from "../../people/accounts.ts"
import type { RunningCommand } from "../../people/audit.ts"
import { operatorActions } from "../../people/acts.ts"
import { Exports, type RoomFiles } from "../../research/export/exports.ts"
import { newsOf } from "../../research/inbox/inbox.ts"
import { entryDescriptions } from "../../rooms/activity.ts"
import { importActs } from "../../rooms/imported.ts"
import { webhookActions } from "../../rooms/webhooks.ts"
import { isAuditKind } from "../../contract/audit-kinds.ts"
import type { TargetKind } from "../../contract/objects/objects.ts"
import { ACCESS, ACCESS_TABLES } from "../../rooms/rooms.ts"
import { parse, type Stored } from "../../contract/json.ts"
import { packedId } from "../../ledger/journal/columns.ts"
import type { TokenLife } from "../../people/tokens.ts"

// Writes accepted writes to the audit log.

/**
 * Returns a function that logs an accepted write, with the name of its target, if its operation is a kind of the audit
 * log.
 */
function auditing({ audit, people, rooms, credentials, library }: TablesOf<typeof domains>) {
  const subjects: {
    readonly [K in TargetKind]?: (id: string) => { kind: string; name: string | undefined; whose?: string | undefined }
  } = {
    room: (id) => ({ kind: "room", name: rooms.summary(id)?.title }),
    member: (id) => ({ kind: "person", name: people.withId(id)?.username }),
    join_request: (id) => ({ kind: "person", name: people.withId(id)?.username }),
    credential(id) {
      const found = credentials.find(id)
      return { kind: "credential", name: found?.label, whose: found?.owner.username }
    },
    personal_key(id) {
      const found = library.keys.find(id)
      return { kind: "personal_key", name: found?.label, whose: found?.owner.username }
    },
  }
  return ({ operation, actor, roomId, targetId, at }: Written): void => {
    if (!isAuditKind(operation.name)) return
    const { kind, name, whose } = subjects[operation.target]?.(targetId) ?? { kind: operation.target, name: undefined }
    const via = actor.grant === null ? actor.key && { key: actor.key.keyId } : { credential: actor.grant.credentialId }
    audit.write({
      kind: operation.name,
      by: actor,
      subject: { kind, id: targetId, name: name ?? null },
      roomId,
      detail: { ...via, ...(whose !== undefined && whose !== actor.username && { of: whose }) },
      at,
    })
  }
}

// What a write must know of its caller inside its transaction, in one statement: whether the credential and the
// person are still valid, the Room, their role in it and its newest entry, and whether the delivery id was used. The
// statement joins tables of several domains, because one statement costs a third of seven.

interface Row extends Omit<RoomAccess, "archive" | "origin" | "roomId"> {
  readonly isEnabled: 0 | 1
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
  /** null: the caller has no credential, or there is no such Room. */
  readonly roomId: string | null
  readonly archive: Stored<NonNullable<RoomAccess["archive"]>> | null
  readonly origin: Stored<NonNullable<RoomAccess["origin"]>> | null
  readonly isUsed: 0 | 1
  readonly sequence: number | null
  readonly activityDigest: string | null
  readonly isWorkedOn: 0 | 1
}

/** The caller of a write, as far as admission and the Rooms know it. */
export interface Caller extends Known {
  readonly isEnabled: boolean
  /** The credential's times; undefined without one. */
  readonly credential: TokenLife | undefined
}

export function callers(db: Db): (actor: Actor, deliveryId: string, at: string) => Caller | undefined {
  const look = db.prepare<Row>(
    `SELECT p.disabled_at IS NULL AS isEnabled,
       c.expires_at AS expiresAt, c.revoked_at AS revokedAt, c.last_used_at AS lastUsedAt,
       ${ACCESS},
       EXISTS (SELECT 1 FROM journal j WHERE j.delivery_id = +?) AS isUsed,
       h.activity_sequence AS sequence, h.activity_digest AS activityDigest,
       EXISTS (SELECT 1 FROM work_claims w WHERE w.room_id = r.room_id AND w.until > +?)
         OR EXISTS (SELECT 1 FROM experiments e
           WHERE e.assignee_id = p.user_id AND e.room_id = r.room_id AND e.lease_until IS NOT NULL) AS isWorkedOn
     FROM people p
     LEFT JOIN credentials c ON c.credential_id = +?
     LEFT JOIN rooms r ON r.room_id = +?
     ${ACCESS_TABLES("p.user_id")}
     WHERE p.user_id = +? AND p.instance_id IS NULL`,
  )
  return ({ userId, grant }, deliveryId, at) => {
    const { credentialId = "", roomId = "" } = grant ?? {}
    const row = look.get(packedId(deliveryId), at, credentialId, roomId, userId)
    if (row === undefined) return undefined
    const { title, state, role, archive, origin, expiresAt, sequence, activityDigest } = row
    return {
      isEnabled: row.isEnabled === 1,
      credential: expiresAt === null ? undefined : { expiresAt, revokedAt: row.revokedAt },
      lastUsedAt: row.lastUsedAt,
      isUsed: row.isUsed === 1,
      room:
        row.roomId === null
          ? null
          : {
              access: {
                roomId: row.roomId,
                title,
                state,
                role,
                archive: archive && parse(archive),
                origin: origin && parse(origin),
              },
              head: sequence === null || activityDigest === null ? null : { sequence, digest: activityDigest },
              isWorkedOn: row.isWorkedOn === 1,
            },
    }
  }
}

export type Instance = ReturnType<typeof createInstance>

export interface InstanceParts {
  readonly db: Db
  readonly world: World
  readonly instanceId: string
  /** The instances it was restored from; none by default. */
  readonly lineage?: readonly string[]
  /** The path of the base URL, for paths in responses: with a leading slash and no trailing one; empty by default. */
  readonly basePath?: string
  /** Opens a second connection, for exports by this thread; left out if this thread exports nothing. */
  readonly openReader?: () => Db
  /** Makes the exported files in another process. */
  readonly files?: RoomFiles
  /** The command that runs instead of a service, if one does. */
  readonly command?: RunningCommand | undefined
  /** Checks pinned repositories; left out for commands that pin nothing. */
  readonly repositories?: OutsideCheck
  /**
   * Whether texts are indexed after the response (ledger/write/commit-queue.ts); by default in the transaction of the
   * write.
   */
  readonly indexesLater?: boolean
  /** Called if they cannot be indexed. Until they are, searches read the newest texts themselves. */
  readonly onNotIndexed?: (error: unknown) => void
  readonly hooks?: Omit<GroupHooks, "beforeCommit">
}

const noConnection = (): Db => {
  throw new Error("this instance cannot open a second connection")
}

/** Builds everything between the edge and the data. */
export function createInstance({
  db,
  world,
  instanceId,
  lineage = [],
  basePath = "",
  openReader = noConnection,
  files = filesOn(openReader),
  repositories = nothingChecked,
  command,
  indexesLater = false,
  onNotIndexed = () => {},
  hooks,
}: InstanceParts) {
  const tables = tablesOf(domains, { db, world, now: () => world.now(), basePath, command })
  const lookUp = callers(db)
  const audit = auditing(tables)
  const gate: Gate = {
    confirm(actor, deliveryId, at) {
      const { grant, key } = actor
      const caller = lookUp(actor, deliveryId, at)
      if (grant !== null) tables.credentials.mustLast(caller?.credential, at)
      if (key !== undefined) tables.library.keys.confirm(key.keyId, at)
      if (caller?.isEnabled !== true) throw new Refusal("not_authenticated", "This account is disabled.")
      return caller
    },
    accepted(written, known) {
      const { actor, at } = written
      if (actor.grant !== null) tables.credentials.used(actor.grant.credentialId, at, known.lastUsedAt)
      if (actor.key !== undefined) tables.library.keys.used(actor.key.keyId, at)
      audit(written)
    },
    /**
     * Restores the actor of a write. Only the Room of a credential and the reach of a key matter: permissions were
     * checked on acceptance.
     */
    actorOf({ userId, username, sender, agent }, { family }) {
      const person = {
        userId: userId ?? "",
        username: username ?? "",
        ...(agent !== undefined && { agent }),
        grant: null,
      }
      if (sender === null) return person
      if (family === "library") {
        const reach = tables.library.keys.find(sender)?.reach ?? "all"
        return { ...person, key: { keyId: sender, permissions: new Set(), reach } }
      }
      const grant = { credentialId: sender, permissions: new Set<Permission>(), threadIds: null }
      const known = tables.credentials.find(sender)
      if (known?.owner.userId === person.userId) return { ...person, grant: { ...grant, roomId: known.roomId } }
      // A credential of another instance is unknown here; its Room is used instead. The same name may belong to another
      // person here.
      const shown = tables.people.withId(person.userId)?.username ?? person.username
      return { ...person, username: shown, knownAs: person.username, grant: { ...grant, roomId: sender } }
    },
    standing: tables.rooms.standing,
  }
  const ledger = new Ledger({
    db,
    world,
    gate,
    repositories,
    effectsOf: tables.effects.sentencesOf,
    hooks: {
      beforeCommit(changesEarlier) {
        if (changesEarlier) {
          remaking.settle()
          tables.search.indexChanged()
        }
        if (!indexesLater) tables.search.index()
      },
      ...hooks,
    },
    cleanse: () => remaking.cleanse(),
    leave(roomId) {
      remaking.leave(() => {
        tables.leaving.mustBeUncited(roomId)
        const subject = { kind: "room", id: roomId, name: tables.rooms.summary(roomId)?.title ?? null }
        tables.audit.write({ kind: "forget_room", subject, roomId, detail: { fromEntry: 1 } })
        tables.leaving.take(roomId)
      })
    },
  })
  const indexing = new AfterCommit(tables.search, (step) => ledger.queue.between(step), onNotIndexed)
  const { timeline, activity, watch } = ledger

  const remaking = new Remaking({
    db,
    // The search index of the remade data is built later.
    ledgerOf: (made) => createInstance({ db: made, world: realWorld(), instanceId: "", indexesLater: true }).ledger,
    index() {
      tables.rooms.reindexTitles()
      tables.search.reindex()
    },
    indexAgain: (ids) => tables.search.indexAgain(ids),
    merge: (isFirst) => tables.search.merge(isFirst),
    unquote: (freely) => tables.withheld.unquote(freely),
    run: (work) => ledger.transact(work),
  })
  const feed = { activity, ...entryDescriptions(tables.people, activity, labelOf(db)) }
  const behaviours: Behaviours = added(domains, "operations", {
    ...tables,
    timeline,
    say: feed.say,
    change: (change) => remaking.change(change),
    copies: (isOperator) => copiesOf(fileOf(db), tables.audit, isOperator, !remaking.isInPieces),
  })
  ledger.setBehaviours(behaviours, stepsOf(domains, tables))

  const importing = ledger.addActs(importActs(tables))
  const { join_papers: joinPapers } = ledger.addActs(libraryActs(tables.library.names))
  const metadataIntake = intakeOf({ ...tables.library, join: (joined) => joinPapers(null, joined) })
  const operators = operatorActions({ ...tables, keys: tables.library.keys, ledger, world })
  const accounts = createAccounts({ ...tables, ledger, world, operators })
  const exports = new Exports({ rooms: tables.rooms, writes: ledger.journal, files, instanceId })
  onForget(db, () => exports.forget())
  const ahead = datedAhead(db, world)
  const readers = answering(
    added(domains, "reads", {
      ...tables,
      ...feed,
      sources: added(domains, "brief", tables),
      timeline,
      watch,
      snapshot: (work) => ledger.snapshot(work),
      ledger,
      accounts,
      exports,
      instanceId,
      lineage,
      datedAhead: ahead,
    }),
  )

  return {
    instanceId,
    lineage,
    db,
    world,
    ledger,
    tables,
    readers,
    ask: asking(db, readers, ledger.references.mustKnow),
    accounts,
    /** Cleans the files of what was withheld. */
    cleaning: remaking,
    byProvider: byProvider({ ...tables, ledger, world, accounts }),
    operators,
    exports,
    webhooks: webhookActions({ ...tables, ledger, world }),
    ...newsOf({ ...tables, ...feed }),
    importing,
    metadataIntake,
    /** Adds accepted texts to the search index, if that happens after their writes. */
    indexing,
    /**
     * Waits until everything accepted so far is in the search index. Without this, a search reads the newest texts
     * itself and ranks them first.
     */
    async indexed(): Promise<void> {
      if (indexesLater) await indexing.now()
    },
    /** The latest time of writes that are dated in the future; null if there are none. */
    datedAhead: ahead,
  }
}
