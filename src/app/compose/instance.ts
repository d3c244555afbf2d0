/** One instance of the service: its data, its domains, and what they do for each operation and read of the contract. */
import { administrationReads } from "./administration.ts"
import { auditing } from "./auditing.ts"
import { copiesOf } from "./backup-places.ts"
import type { Permission } from "../../contract/schema/enumerations.ts"
import { JsonText, stored, writeJson } from "../../contract/json.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { droppedLine } from "./dropped.ts"
import type { Actor } from "../../ledger/journal/actor.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { inAnswers } from "../../contract/definitions/withheld-text.ts"
import { nothingChecked, type OutsideCheck } from "../../ledger/write/admission.ts"
import { Ledger } from "../../ledger/write/admit.ts"
import type { Behaviours } from "../../ledger/journal/behaviour.ts"
import type { GroupHooks } from "../../ledger/write/group.ts"
import { datedAhead } from "../../ledger/storage/data.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { Entry } from "../../ledger/journal/journal.ts"
import { answering, asking } from "../../ledger/reads/reading.ts"
import { receiptReads } from "../../ledger/reads/receipt-reads.ts"
import { labelled, labelOf } from "../../ledger/lists/labelled.ts"
import { standings } from "../../ledger/lists/standings.ts"
import { fileOf, Remaking } from "../../ledger/replay/remake.ts"
import { figures } from "../../ledger/journal/figures.ts"
import { withheld } from "../../ledger/journal/withheld.ts"
import { isoTime, realWorld, type World } from "../../ledger/world.ts"
import { learning as learningOf, libraryActs, libraryOperations, libraryReads, libraryTables } from "../../library/index.ts"
import type { RunningCommand } from "../../people/audit.ts"
import { byProvider, createAccounts, Operators, peopleReads, peopleTables } from "../../people/index.ts"
import { keysOf } from "../../contract/each.ts"
import {
  newsOf,
  Exports,
  filesOn,
  inboxReads,
  type RoomFiles,
  researchOperations,
  researchReads,
  researchTables,
} from "../../research/index.ts"
import {
  activityLines,
  importActs,
  keepingWebhooks,
  roomOperations,
  feedReads,
  roomReads,
  roomTables,
  telling,
  withholdingOperations,
} from "../../rooms/index.ts"
import { threadOperations, threadReads, threadTables } from "../../threads/index.ts"

export type Instance = ReturnType<typeof createInstance>

export interface InstanceParts {
  readonly db: Db
  readonly world: World
  readonly instanceId: string
  /** The instances it was restored from; left out, none. */
  readonly lineage?: readonly string[]
  /** The path of the base URL, for the paths that answers name: with a slash in front and none at the end; left out where it is empty. */
  readonly basePath?: string
  /** Opens a second, reading connection, on which Rooms are exported by this thread; left out where nothing is exported, or elsewhere. */
  readonly openReader?: () => Db
  /** Makes the files of Rooms elsewhere. */
  readonly files?: RoomFiles
  /** What runs instead of a service; left out, none. */
  readonly command?: RunningCommand | undefined
  /** Left out, for commands that pin nothing. */
  readonly repositories?: OutsideCheck
  /** Whether texts are indexed after the answer (ledger/write/after-commit.ts); left out, in the transaction that brings them. */
  readonly indexesLater?: boolean
  /** Told of each group of writes. */
  readonly hooks?: Omit<GroupHooks, "beforeCommit">
}

const noConnection = (): Db => {
  throw new Error("this instance was made without a way to open its data once more")
}

/** Builds everything that stands between the edge and the data. */
export function createInstance(parts: InstanceParts) {
  const {
    db,
    world,
    instanceId,
    lineage = [],
    basePath = "",
    openReader: aside = noConnection,
    files,
    repositories = nothingChecked,
    command,
    indexesLater = false,
    hooks,
  } = parts
  const labels = labelled(db)
  const tables = {
    standings: standings(db),
    withheld: withheld(db),
    figures: figures(db),
    labelled: labels,
    ...peopleTables(db, world, command),
    ...roomTables(db),
    ...threadTables(db),
    ...researchTables(db, basePath, labels, () => world.now()),
    library: libraryTables(db),
  }
  const gate = {
    confirm({ userId, grant, key }: Actor, at: string) {
      if (grant !== null) tables.credentials.confirm(grant.credentialId, at)
      if (key !== undefined) tables.library.keys.confirm(key.keyId, at)
      if (!tables.people.isEnabled(userId)) throw new Refusal("not_authenticated", "This account is disabled.")
    },
    used({ grant, key }: Actor, at: string) {
      if (grant !== null) tables.credentials.used(grant.credentialId, at)
      if (key !== undefined) tables.library.keys.used(key.keyId, at)
    },
    accepted: auditing(tables),
    /** Of a credential only its Room counts, of a key its reach: what else they granted was looked at when it was accepted. */
    actorOf(
      { userId, username, sender, agent }: Pick<Entry, "userId" | "username" | "sender" | "agent">,
      { family }: Pick<Operation, "family">,
    ): Actor {
      const person = { userId: userId ?? "", username: username ?? "", ...(agent !== undefined && { agent }), grant: null }
      if (sender === null) return person
      if (family === "library") {
        const reach = tables.library.keys.find(sender)?.reach ?? "all"
        return { ...person, key: { keyId: sender, permissions: new Set(), reach } }
      }
      const grant = { credentialId: sender, permissions: new Set<Permission>(), threadIds: null }
      const known = tables.credentials.find(sender)
      if (known?.owner.userId === person.userId) return { ...person, grant: { ...grant, roomId: known.roomId } }
      // Of another instance no credential is known; its Room stands for it. Names of there mean others here.
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
      beforeCommit() {
        remaking.settle(ledger.isHandedOver)
        tables.search.indexChanged()
        if (!indexesLater && !ledger.isHandedOver) tables.search.index()
      },
      ...hooks,
    },
    cleanse: () => remaking.cleanse(),
    leave({ cuts, reach, followedAt, keptIn = {} }) {
      remaking.leave(() => {
        const left = tables.leaving.withCiting(cuts, reach)
        for (const cut of left)
          tables.audit.write(droppedLine(cut, tables.rooms.summary(cut.roomId)?.title ?? null, followedAt, keptIn[cut.roomId]))
        tables.leaving.take(left)
      })
    },
  })
  ledger.onForget(tables.similar.forget)
  const { timeline, activity, watch } = ledger

  const remaking = new Remaking({
    db,
    // Its index is not looked at.
    ledgerOf: (made) => createInstance({ db: made, world: realWorld(), instanceId: "", indexesLater: true }).ledger,
    index() {
      tables.rooms.reindexTitles()
      tables.search.reindex()
    },
  })
  const research = researchOperations({ ...tables, db })
  const threading = threadOperations(tables.threads, timeline, research.replied)
  research.addAdvice("create_thread", threading.create_thread)
  for (const name of keysOf(threading)) research.heedOthers(name, threading[name])
  const behaviours: Behaviours = {
    ...roomOperations(tables, tables.people, tables.threads),
    ...withholdingOperations({
      ...tables,
      change: (change) => remaking.change(change),
      copies: (isOperator) => copiesOf(fileOf(db), tables.audit, isOperator),
    }),
    ...threading,
    ...research.operations,
    ...libraryOperations(tables.library, tables.people),
  }
  ledger.setBehaviours(behaviours)

  const importing = ledger.addActs(importActs(tables))
  const { join_papers: joinPapers } = ledger.addActs(libraryActs(tables.library.names))
  const learning = learningOf({ ...tables.library, join: (joined) => joinPapers(null, joined) })
  const operators = new Operators({ ...tables, keys: tables.library.keys, ledger, world })
  const accounts = createAccounts({ ...tables, ledger, world, operators })
  const provided = byProvider({ ...tables, ledger, world, accounts })
  const webhooks = keepingWebhooks({ ...tables, ledger, world })
  const exports = new Exports({ rooms: tables.rooms, files: files ?? filesOn(aside), instanceId })
  const ahead = datedAhead(db, world)
  const feed = { activity, ...telling(tables.people, activity, labelOf(db)) }
  const readers = answering({
    ...receiptReads(ledger),
    ...peopleReads({ ...tables, accounts }),
    ...roomReads({ ...tables, activity, costs: tables.costs.ofRoom, assignments: tables.experiments.assignedTo }),
    ...feedReads({
      ...tables,
      ...feed,
      watch,
      // Another instance proves this with the names of the origin.
      written: (roomId, sequence) => new JsonText(stored(inAnswers(writeJson(tables.writes(roomId, sequence)), tables.withheld.told))),
      snapshot: <T>(work: () => T) => ledger.snapshot(work),
    }),
    ...inboxReads({ ...tables, ...feed, watch, snapshot: (work) => ledger.snapshot(work), lines: activityLines }),
    ...threadReads(tables.threads, tables.rooms, timeline, () => isoTime(world.now())),
    ...researchReads(tables, exports, () => world.now()),
    ...libraryReads(tables.library),
    ...administrationReads({ ...tables, instanceId, lineage, ledger, datedAhead: ahead }),
  })

  return {
    instanceId,
    lineage,
    db,
    world,
    ledger,
    tables,
    readers,
    ask: asking(db, readers, ledger.mustKnow),
    accounts,
    byProvider: provided,
    operators,
    exports,
    webhooks,
    ...newsOf({ ...tables, ...feed }),
    importing,
    learning,
    /**
     * Has the index of words hold what was accepted before, where another thread indexes it later. A search that comes without it
     * reads the newest texts itself, and ranks them first.
     */
    async indexed(): Promise<void> {
      if (!ledger.isHandedOver || tables.search.reached() >= tables.search.newest()) return
      // Without it, the service is ending.
      await ledger.index().catch(() => undefined)
    },
    /** Up to when writes are dated that the clock has not reached; null where none are. */
    datedAhead: ahead,
  }
}
