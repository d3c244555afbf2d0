/**
 * The one way in for a write: it goes through `Admission` in this thread or in another one, and the answer is given when it is committed.
 */
import type * as v from "valibot"
import type { Receipt } from "../../contract/answers/index.ts"
import { extendJson, type JsonObject, joinJson, type Stored, stored } from "../../contract/json.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { type Actor, senderId } from "../journal/actor.ts"
import { type Acts, type Done, noting } from "../journal/acts.ts"
import { type Admitted, type CheckedWrite, isWithholding, type OtherWriter } from "./admission.ts"
import type { BatchRequest } from "./batch.ts"
import { fresh } from "../journal/chance.ts"
import type { Changed, Db } from "../storage/database.ts"
import type { AnyBehaviour, Request } from "../journal/delivery.ts"
import { ExtrasFinder } from "./receipt-extras.ts"
import type { Leave } from "../cut.ts"
import { assemble, type Assembled, type LedgerParts } from "./ledger-parts.ts"
import { tryStorage } from "../storage/try-storage.ts"
import { isUnclean } from "../storage/residue.ts"
import { Watch } from "./feed-waiters.ts"
import { isoTime, type World } from "../world.ts"

/** The answer to a rehearsal: the receipt of the write, marked. */
const rehearsed = (receipt: string): string => extendJson(receipt, { rehearsed: true })

export class Ledger {
  readonly #db: Db
  readonly #world: World
  readonly #cleanse: () => Promise<void>
  readonly #leave: NonNullable<LedgerParts["leave"]>
  readonly #made: Assembled
  readonly #extras: ExtrasFinder
  readonly #behaviours = new Map<string, AnyBehaviour>()
  readonly #acts: Record<string, Acts[string]> = {}
  #writer: OtherWriter | null = null
  #confirm: (() => Promise<void>) | null = null
  /** Called when something is withheld. */
  readonly #forgetful: (() => void)[] = []
  /** Every accepted write. */
  readonly journal: Assembled["journal"]
  /** Replays the journal. */
  readonly replaying: Assembled["replaying"]
  readonly timeline: Assembled["timeline"]
  readonly activity: Assembled["activity"]
  readonly watch = new Watch()

  constructor(parts: LedgerParts) {
    const { db, world, cleanse = async () => {}, leave = () => [] } = parts
    this.#cleanse = cleanse
    this.#leave = leave
    this.#db = db
    this.#world = world
    this.#extras = new ExtrasFinder(db)
    const behaviourOf = (operation: Operation) => this.#behaviourOf(operation)
    const made = assemble({ ...parts, cleanse }, { behaviourOf, acts: this.#acts, watch: this.watch })
    this.#made = made
    this.journal = made.journal
    this.timeline = made.timeline
    this.activity = made.activity
    this.replaying = made.replaying
  }

  /** Registers the behaviour of each operation. Called once, when the domains are made. */
  setBehaviours(behaviours: object): void {
    for (const [name, behaviour] of Object.entries(behaviours)) this.#behaviours.set(name, behaviour as AnyBehaviour)
  }

  /**
   * Admits a write, or throws the refusal of the first check it fails.
   * @returns the receipt as JSON text: new, replayed or rehearsed
   */
  async admit(request: Request): Promise<string> {
    const checked = this.#made.admission.check(request)
    const rehearse = request.rehearse === true
    const extras = this.#extras.of(checked)
    const delivery = extras === undefined ? checked : { ...checked, keptExtras: extras.kept }
    const admitted = this.#writer?.admit(delivery, rehearse) ?? this.admitChecked(request.operation, delivery, rehearse)
    const withholds = isWithholding(request.operation) && !rehearse
    const { receipt, made } = await admitted.catch((error: unknown) => {
      // It may stand, though the words could not be removed from the files.
      if (withholds && error instanceof Refusal && error.details.committed === null) this.forget()
      throw error
    })
    if (withholds) this.forget()
    const answer = extras === undefined || made === undefined ? receipt : joinJson(receipt, extras.json)
    if (!rehearse && extras !== undefined && made !== undefined) this.#extras.accepted(delivery, extras, made)
    // A rehearsal of a write that was stored before answers with its receipt, so it waits too.
    if (this.#confirm !== null && (!rehearse || made === undefined)) await this.#confirm()
    return rehearse ? rehearsed(answer) : answer
  }

  /**
   * Admits several writes in order in one transaction, or throws the refusal of the first that fails.
   * @returns the receipts as JSON texts: new, replayed or rehearsed
   */
  async admitBatch(batch: BatchRequest): Promise<string[]> {
    const { rehearse } = batch
    const deliveries = this.#made.batches.check(batch)
    const extras = deliveries.map((delivery) => delivery && this.#extras.ofBatched(delivery))
    const kept = extras.map((each) => each?.kept)
    const admitted = await (this.#writer?.admitBatch(batch, kept) ?? this.admitBatchChecked(batch, kept))
    const receipts = admitted.map(({ receipt, made }, index) => {
      const [delivery, told] = [deliveries[index], extras[index]]
      if (delivery === undefined || told === undefined || made === undefined) return receipt
      if (!rehearse) this.#extras.accepted(delivery, told, made)
      return joinJson(receipt, told.json)
    })
    if (this.#confirm !== null && (!rehearse || admitted.some(({ made }) => made === undefined))) await this.#confirm()
    return rehearse ? receipts.map(rehearsed) : receipts
  }

  /** Admits a batch for the thread that has looked at it. */
  admitBatchChecked = (batch: BatchRequest, kept: readonly (JsonObject | undefined)[]): Promise<readonly Admitted[]> =>
    this.#made.batches.admit(batch, kept)

  /** Registers what keeps data in memory or in files, and must drop it when something is withheld. */
  onForget(forget: () => void): void {
    this.#forgetful.push(forget)
  }

  /** Whether another thread writes for this one. */
  get isHandedOver(): boolean {
    return this.#writer !== null
  }

  /** Removes withheld words that a write of another instance, or an interrupted process, has left in the data. */
  async cleanse(): Promise<void> {
    if (!isUnclean(this.#db)) return
    try {
      await (this.#writer?.cleanse() ?? this.#cleanse())
    } finally {
      this.forget()
    }
  }

  /**
   * Drops Rooms of other instances, whole or from an entry on, by making everything anew without them, and notes each in the audit log.
   * @throws Refusal 409 where a Room that may not be dropped along names something of them
   */
  async leave(leave: Leave): Promise<void> {
    await (this.#writer?.leave(leave) ?? this.#leave(leave))
    this.forget()
    if (this.#confirm !== null) await this.#confirm()
    await this.cleanse()
  }

  /** Tells everything that keeps data that something was withheld. */
  forget = (): void => this.#forgetful.forEach((forget) => forget())

  /** Admits a write for the thread that has checked it. */
  admitChecked(operation: Operation, checked: CheckedWrite, rehearse: boolean): Promise<Admitted> {
    return this.#made.admission.admit({ ...checked, operation, behaviour: this.#behaviourOf(operation) }, rehearse)
  }

  /** From now on another thread admits what this one has checked. What this thread must write itself, it writes while the other holds still. */
  handOver(writer: OtherWriter): void {
    this.#writer = writer
  }

  /** From now on a write is answered after `confirm` has settled, which is called after the commit. If it rejects, that is the answer. */
  answerAfter(confirm: () => Promise<void>): void {
    this.#confirm = confirm
  }

  /** Holds all writes back until `release`, so that another thread can write alone. */
  hold = (): void => this.#made.queue.hold()
  release = (): void => this.#made.queue.release()

  /**
   * Makes the changes of work that another thread did and took back while this one was held, and releases it.
   * @param mayStill whether the data is still what that work was done on
   */
  apply = (changes: readonly Changed[], mayStill: () => boolean): Promise<boolean> => this.#made.queue.apply(changes, mayStill)

  /** Whether writes of an operation go to the queue as they come. */
  isAtOnce = (operation: Operation): boolean => this.#made.admission.isAtOnce(operation)

  /** Runs work that nobody waits for between two groups of writes. @returns whether it was committed */
  between = (work: () => void): boolean => this.#made.queue.between(work)

  /** Has the writer thread, where there is one, index what was accepted before. */
  async index(): Promise<void> {
    await this.#writer?.index()
  }

  /** Runs the waiting writes at once, for a caller that knows that no other write comes in this turn. */
  flush = (): void => this.#made.queue.flush()

  /**
   * Admits a write as part of a transaction that is already open (see `transact`).
   * @returns the receipt as JSON text
   */
  admitWithin(request: Request): string {
    return this.#made.admission.admitWithin(this.#made.admission.check(request)).receipt
  }

  /**
   * Runs work that is no operation (a sign-in, a key's last use) in the same queue of transactions. Where another thread writes, the work
   * is done here, taken back, and its changes are made there: only that thread waits for the disk. It may be done more than once.
   */
  async transact<T>(work: () => T): Promise<T> {
    const done = await (this.#writer === null ? this.#made.queue.run(work) : this.#writer.transact(() => this.#made.queue.tryOut(work)))
    if (this.#confirm !== null) await this.#confirm()
    return done
  }

  /** Tries whether writes are possible. With `touch` it writes, and changes nothing. Rejects as a write would. */
  async probe(touch: boolean): Promise<void> {
    await (this.#writer?.probe(touch) ?? this.#made.queue.run(() => touch && tryStorage(this.#db)))
    if (touch && this.#confirm !== null) await this.#confirm()
  }

  /** @throws Refusal 404 for the first subject that a checked query names and that is not there */
  mustKnow = (schema: v.GenericSchema | undefined, given: unknown): void => {
    if (schema !== undefined) this.#made.references.mustKnow(schema, given)
  }

  /** The Room of an object. @param name what its id goes by @returns undefined for a name that no object of a Room has @throws Refusal 404 for an id that names nothing */
  roomOf = (name: string, id: string): string | undefined => this.#made.references.roomOf(name, id)

  /** The stored receipt of the actor's person, whichever credential earned it; undefined where nothing was stored. */
  receipt(operation: Operation, actor: Actor, deliveryId: string): Stored<Receipt> | undefined {
    const known = this.#made.receipts.ofMember(operation, actor, deliveryId)
    if (known === undefined || known.credentialId === senderId(actor)) return known?.body
    return stored<Receipt>(extendJson(known.body, { credentialChanged: true }))
  }

  #behaviourOf({ name }: Operation): AnyBehaviour {
    const behaviour = this.#behaviours.get(name)
    if (behaviour === undefined) throw new Error(`${name} has no behaviour`)
    return behaviour
  }

  /** Registers what people do besides operations. @returns each act, which does it and notes it in the journal */
  addActs<A extends Acts>(acts: A): Done<A> {
    Object.assign(this.#acts, acts)
    return noting(
      acts,
      this.journal,
      () => fresh(this.#world),
      () => isoTime(this.#world.now()),
    )
  }

  /** Reads several things as of one moment. */
  snapshot<T>(work: () => T): T {
    return this.#db.snapshot(work)
  }
}
