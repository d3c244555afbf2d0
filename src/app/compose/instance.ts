/** Builds an instance of the service: its data, its domains, and their behaviours and readers for the contract. */
import { auditing } from "./auditing.ts"
import { copiesOf } from "./backup-places.ts"
import { callers } from "./caller.ts"
import { domains } from "./domains.ts"
import type { Permission } from "../../contract/schema/enumerations.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { added, stepsOf, tablesOf } from "../../ledger/domains/domain.ts"
import type { Gate } from "../../ledger/journal/actor.ts"
import type { Behaviours } from "../../ledger/journal/behaviour.ts"
import { labelOf } from "../../ledger/lists/labelled.ts"
import { answering, asking } from "../../ledger/reads/reading.ts"
import { Remaking } from "../../ledger/replay/remake.ts"
import { datedAhead } from "../../ledger/storage/data.ts"
import { type Db, fileOf } from "../../ledger/storage/database.ts"
import { realWorld, type World } from "../../ledger/world.ts"
import { nothingChecked, type OutsideCheck } from "../../ledger/write/admission.ts"
import { Ledger } from "../../ledger/write/ledger.ts"
import { AfterCommit } from "../../ledger/write/after-commit.ts"
import type { GroupHooks } from "../../ledger/write/commit-queue.ts"
import { libraryActs, metadataIntake as intakeOf } from "../../library/index.ts"
import { createAccounts } from "../../people/accounts.ts"
import type { RunningCommand } from "../../people/audit.ts"
import { byProvider } from "../../people/by-provider.ts"
import { operatorActions } from "../../people/operators.ts"
import { Exports, filesOn, type RoomFiles } from "../../research/export/exports.ts"
import { newsOf } from "../../research/inbox/index.ts"
import { entryDescriptions } from "../../rooms/activity.ts"
import { importActs } from "../../rooms/imported.ts"
import { webhookActions } from "../../rooms/webhook-actions.ts"

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
   * Whether texts are indexed after the response (ledger/write/after-commit.ts); by default in the transaction of the
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
    hooks: {
      beforeCommit(mayRetitle) {
        remaking.settle()
        if (mayRetitle) tables.search.indexChanged()
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
  for (const each of [tables.numbers, tables.changed, tables.similar]) ledger.onForget(() => each.forget())
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
  timeline.tellEffects(tables.effects.sentencesOf)
  ledger.setBehaviours(behaviours, stepsOf(domains, tables))

  const importing = ledger.addActs(importActs(tables))
  const { join_papers: joinPapers } = ledger.addActs(libraryActs(tables.library.names))
  const metadataIntake = intakeOf({ ...tables.library, join: (joined) => joinPapers(null, joined) })
  const operators = operatorActions({ ...tables, keys: tables.library.keys, ledger, world })
  const accounts = createAccounts({ ...tables, ledger, world, operators })
  const exports = new Exports({ rooms: tables.rooms, writes: ledger.journal, files, instanceId })
  ledger.onForget(() => exports.forget())
  const ahead = datedAhead(db, world)
  const readers = answering(
    added(domains, "reads", {
      ...tables,
      ...feed,
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
