/** The parts of the ledger, and how they are connected. */
import type { Gate } from "../journal/actor.ts"
import type { Db } from "../storage/database.ts"
import type { World } from "../world.ts"
import type { Leave } from "../cut.ts"
import { activity } from "../journal/activity.ts"
import type { Acts } from "../journal/acts.ts"
import type { AnyBehaviour } from "../journal/delivery.ts"
import { figures } from "../journal/figures.ts"
import { journal } from "../journal/journal.ts"
import { receipts } from "../journal/receipts.ts"
import { timeline } from "../journal/timeline.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { Admission, type OutsideCheck } from "./admission.ts"
import { BatchAdmission } from "./batch-admission.ts"
import { CommitQueue } from "./commit-queue.ts"
import type { GroupHooks } from "./group.ts"
import type { Watch } from "./feed-waiters.ts"
import { Recorder } from "./recorder.ts"
import { references } from "./references.ts"
import { Replaying } from "./replaying.ts"
import { sequences } from "./sequences.ts"
import { Writing } from "./writing.ts"

export interface LedgerParts {
  readonly db: Db
  readonly world: World
  readonly gate: Gate
  /** Checks whether a pinned repository is public and its commit exists. */
  readonly repositories: OutsideCheck
  readonly hooks?: GroupHooks
  /** Removes withheld content from the files; if left out, it stays there. */
  readonly cleanse?: () => Promise<void>
  /** Drops Rooms of other instances; if left out, none are dropped. */
  readonly leave?: (leave: Leave) => void
}

interface Registered {
  readonly behaviourOf: (operation: Operation) => AnyBehaviour
  readonly acts: Readonly<Record<string, Acts[string]>>
  readonly watch: Watch
}

export type Assembled = ReturnType<typeof assemble>

/** Creates the parts of a ledger. @param registered looked up at each use, because the domains register it later */
export function assemble(
  { db, world, gate, repositories, hooks = {}, cleanse }: LedgerParts & Required<Pick<LedgerParts, "cleanse">>,
  { behaviourOf, acts, watch }: Registered,
) {
  const queue = new CommitQueue(db, hooks)
  const shared = { journal: journal(db), sequences: sequences(db) }
  const lists = { timeline: timeline(db), activity: activity(db) }
  const stored = receipts(db, shared.journal, (operation, { given }) =>
    given.foreseen === undefined ? {} : (behaviourOf(operation).restoreExtras?.(given.foreseen) ?? {}),
  )
  const refs = references(db)
  const writing = new Writing({
    ...shared,
    recorder: new Recorder({ ...shared, ...lists, figures: figures(db) }),
    landed: (roomId) => queue.afterCommit(() => watch.landed(roomId)),
  })
  const admission = new Admission({
    db,
    world,
    gate,
    repositories,
    writing,
    queue,
    receipts: stored,
    references: refs,
    cleanse,
    behaviourOf,
  })
  return {
    ...lists,
    queue,
    journal: shared.journal,
    receipts: stored,
    references: refs,
    admission,
    batches: new BatchAdmission({ admission, queue, receipts: stored, behaviourOf }),
    replaying: new Replaying({ ...shared, gate, receipts: stored, writing, acts, behaviourOf, settle: () => hooks.beforeCommit?.() }),
  }
}
