/**
 * The only way in for a write: `Admission` admits it, and it is answered after the commit.
 */
import type { Receipt } from "../../contract/answers/receipts.ts"
import { extendJson, joinJson, type Stored, stored, trusted } from "../../contract/json.ts"
import { Refusal } from "../../contract/refusals.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { type Activity, activity, Watch } from "../journal/activity.ts"
import type { Actor, Gate } from "../journal/actor.ts"
import { type Acts, type Done, journalled, type FollowingStep, type ReceiptExtras } from "../journal/behaviour.ts"
import {
  type AnyBehaviour,
  type Request,
  type Delivery,
  type Receipts,
  receipts,
  senderId,
} from "../journal/delivery.ts"
import { type Journal, journal } from "../journal/journal.ts"
import { type EffectsOf, type Timeline, timeline } from "../journal/timeline.ts"
import { type Db, isStorageFault } from "../storage/database.ts"
import { forgetAll } from "../storage/caches.ts"
import { tryStorage } from "./readiness.ts"
import { isUnclean } from "../storage/clearing.ts"
import { isoTime, liveChance, type World } from "../world.ts"
import { Admission, type BatchRequest, isWithholding, type OutsideCheck, grantRefusal } from "./admission.ts"
import { BatchAdmission, takingTurns } from "./batch.ts"
import { CommitQueue, type GroupHooks, notStored } from "./commit-queue.ts"
import { type References, references } from "./references.ts"
import { Replaying, Writing } from "./writing.ts"

// Finds what a behaviour returns beside a receipt, such as similar work. Runs on the thread that answers, before the
// write.

/** How many accepted deliveries are remembered. */
const RECENT = 4_096

const nameOf = ({ operation, actor, deliveryId }: Delivery): string => `${operation.name} ${actor.userId} ${deliveryId}`

class ExtrasFinder {
  readonly #db: Db
  /** The last accepted deliveries that had extras. */
  readonly #recent = new Set<string>()

  constructor(db: Db) {
    this.#db = db
  }

  /**
   * Finds the extras of a write. Skipped if the actor lacks the permission, and for a retry of a recent write. For a
   * retry of an older write they are found and not used: the answer is the stored one.
   * @throws Refusal 503 if the storage fails
   */
  of(delivery: Delivery): ReceiptExtras | undefined {
    const { operation, actor, behaviour } = delivery
    if (
      behaviour.findExtras === undefined ||
      grantRefusal(operation, actor) !== null ||
      this.#recent.has(nameOf(delivery))
    )
      return undefined
    try {
      return this.#db.snapshot(() => behaviour.findExtras?.(delivery))
    } catch (error) {
      throw isStorageFault(error) ? notStored() : error
    }
  }

  /** The same for a write of a batch; undefined if it refers to an object that the batch has yet to make. */
  ofBatched(delivery: Delivery): ReceiptExtras | undefined {
    try {
      return this.of(delivery)
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) return undefined
      throw error
    }
  }

  /** Remembers an accepted write. */
  accepted(delivery: Delivery): void {
    this.#recent.add(nameOf(delivery))
    if (this.#recent.size > RECENT) for (const oldest of this.#recent.keys().take(1)) this.#recent.delete(oldest)
  }
}

export interface LedgerParts {
  readonly db: Db
  readonly world: World
  readonly gate: Gate
  /** Checks whether a pinned repository is public and its commit exists. */
  readonly repositories: OutsideCheck
  readonly hooks: GroupHooks
  /** The effects of findings in words, for their cards in a timeline. */
  readonly effectsOf: EffectsOf
  /** Removes withheld content from the files. */
  readonly cleanse: () => Promise<void>
  /** Drops Rooms of other instances. */
  readonly leave: (roomId: string) => void
}

const rehearsed = (receipt: string): string => extendJson(receipt, { rehearsed: true })

export class Ledger {
  readonly #parts: LedgerParts
  readonly #receipts: Receipts
  readonly #extras: ExtrasFinder
  readonly #behaviours = new Map<string, AnyBehaviour>()
  readonly #acts: Record<string, Acts[string]> = {}
  readonly #steps: FollowingStep[] = []
  #confirm: (() => Promise<void>) | null = null
  readonly journal: Journal
  readonly replaying: Replaying
  readonly timeline: Timeline
  readonly activity: Activity
  readonly watch = new Watch()
  readonly queue: CommitQueue
  readonly references: References
  readonly admission: Admission
  readonly batches: BatchAdmission

  constructor(parts: LedgerParts) {
    const { db, gate, hooks, effectsOf } = parts
    this.#parts = parts
    this.#extras = new ExtrasFinder(db)
    this.queue = new CommitQueue(db, hooks)
    this.journal = journal(db)
    this.timeline = timeline(db, effectsOf)
    this.activity = activity(db)
    this.references = references(db)
    // The domains register their behaviours later.
    const behaviourOf = (operation: Operation) => this.#behaviourOf(operation)
    this.#receipts = receipts(db, this.journal, (operation, { given, content }, targetId) => {
      const { restoreExtras, readExtras } = behaviourOf(operation)
      return {
        ...(given.foreseen !== undefined && restoreExtras?.(given.foreseen)),
        ...readExtras?.({ body: trusted(content), targetId }),
      }
    })
    const notify = (roomId: string) => this.queue.afterCommit(() => this.watch.notify(roomId))
    const writing = new Writing({
      db,
      journal: this.journal,
      timeline: this.timeline,
      activity: this.activity,
      notify,
      steps: this.#steps,
    })
    const shared = { queue: this.queue, receipts: this.#receipts, behaviourOf }
    this.admission = new Admission({ ...parts, ...shared, references: this.references, writing })
    this.batches = new BatchAdmission({ ...shared, admission: this.admission })
    const settle = () => hooks.beforeCommit?.(true)
    this.replaying = new Replaying({ ...shared, gate, journal: this.journal, writing, acts: this.#acts, settle })
  }

  /**
   * Registers the behaviour of each operation, and the steps that follow their writes. Called once, after the domains
   * are created.
   */
  setBehaviours(behaviours: object, steps: readonly FollowingStep[] = []): void {
    this.#steps.push(...steps)
    for (const [name, behaviour] of Object.entries(behaviours)) this.#behaviours.set(name, behaviour as AnyBehaviour)
  }

  /**
   * Admits a write, or throws the refusal of the first check that fails.
   * @returns the receipt as JSON text: new, replayed or rehearsed
   */
  async admit(request: Request): Promise<string> {
    const checked = this.admission.check(request)
    const rehearse = request.rehearse === true
    const extras = this.#extras.of(checked)
    const delivery = extras === undefined ? checked : { ...checked, storedExtras: extras.kept }
    const isWithheld = isWithholding(request.operation) && !rehearse
    const { receipt, made } = await this.admission.admit(delivery, rehearse).catch((error: unknown) => {
      // The withholding may be committed even though the words could not be removed from the files.
      if (isWithheld && error instanceof Refusal && error.details.committed === null) this.forget()
      throw error
    })
    if (isWithheld) this.forget()
    const answer = extras === undefined || made === undefined ? receipt : joinJson(receipt, extras.json)
    if (!rehearse && extras !== undefined && made !== undefined) this.#extras.accepted(delivery)
    // The rehearsal of a stored write returns its receipt, so it waits too.
    if (this.#confirm !== null && (!rehearse || made === undefined)) await this.#confirm()
    return rehearse ? rehearsed(answer) : answer
  }

  /**
   * Admits several writes in order in one transaction, or throws the refusal of the first that fails.
   * @returns the receipts as JSON texts: new, replayed or rehearsed
   */
  async admitBatch(batch: BatchRequest): Promise<string[]> {
    const { rehearse } = batch
    const checked = await this.batches.check(batch)
    const rest = takingTurns()
    const extras: (ReceiptExtras | undefined)[] = []
    for (const { delivery } of checked) {
      extras.push(delivery && this.#extras.ofBatched(delivery))
      await rest()
    }
    const kept = extras.map((each) => each?.kept)
    const admitted = await this.batches.admit(batch, checked, kept)
    const receipts = admitted.map(({ receipt, made }, index) => {
      const [delivery, found] = [checked[index]?.delivery, extras[index]]
      if (delivery === undefined || found === undefined || made === undefined) return receipt
      if (!rehearse) this.#extras.accepted(delivery)
      return joinJson(receipt, found.json)
    })
    if (this.#confirm !== null && (!rehearse || admitted.some(({ made }) => made === undefined))) await this.#confirm()
    return rehearse ? receipts.map(rehearsed) : receipts
  }

  /** Removes withheld content that an interrupted process, or a write of another instance, has left in the files. */
  async cleanse(): Promise<void> {
    if (!isUnclean(this.#parts.db)) return
    try {
      await this.#parts.cleanse()
    } finally {
      this.forget()
    }
  }

  /**
   * Drops a Room of another instance and records it in the audit log, in data that no service uses. All tables are
   * derived again without it.
   * @throws Refusal 409 if something here refers to it
   */
  async leave(roomId: string): Promise<void> {
    this.#parts.leave(roomId)
    this.forget()
    if (this.#confirm !== null) await this.#confirm()
    await this.cleanse()
  }

  /** Clears all caches that may contain withheld content. */
  forget = (): void => forgetAll(this.#parts.db)

  /**
   * From now on, a write is answered only after `confirm` has settled, which is called after the commit. If it rejects,
   * so does the write.
   */
  answerAfter(confirm: () => Promise<void>): void {
    this.#confirm = confirm
  }

  /**
   * Admits a write as part of an open transaction (see `transact`).
   * @returns the receipt as JSON text
   */
  admitWithin(request: Request): string {
    return this.admission.deliver(this.admission.check(request)).receipt
  }

  /**
   * Runs work that is not an operation (a sign-in, a key's last use) in the same queue of transactions. The work may
   * run more than once.
   */
  async transact<T>(work: () => T): Promise<T> {
    const done = await this.queue.run(work)
    if (this.#confirm !== null) await this.#confirm()
    return done
  }

  /** Tests whether writes are possible. With `touch` it writes without changing anything. Rejects as a write would. */
  async probe(touch: boolean): Promise<void> {
    await this.queue.run(() => touch && tryStorage(this.#parts.db))
    if (touch && this.#confirm !== null) await this.#confirm()
  }

  /** Returns the person's stored receipt, whichever credential sent the write; undefined if there is none. */
  receipt(operation: Operation, actor: Actor, deliveryId: string): Stored<Receipt> | undefined {
    const known = this.#receipts.ofMember(operation, actor, deliveryId)
    if (known === undefined || known.credentialId === senderId(actor)) return known?.body
    return stored<Receipt>(extendJson(known.body, { credentialChanged: true }))
  }

  #behaviourOf({ name }: Operation): AnyBehaviour {
    const behaviour = this.#behaviours.get(name)
    if (behaviour === undefined) throw new Error(`${name} has no behaviour`)
    return behaviour
  }

  /** Registers acts. @returns each act as a function that also appends it to the journal */
  addActs<A extends Acts>(acts: A): Done<A> {
    Object.assign(this.#acts, acts)
    return journalled(
      acts,
      this.journal,
      () => liveChance(this.#parts.world),
      () => isoTime(this.#parts.world.now()),
    )
  }

  /** Runs `work` in one read transaction. */
  snapshot<T>(work: () => T): T {
    return this.#parts.db.snapshot(work)
  }
}
