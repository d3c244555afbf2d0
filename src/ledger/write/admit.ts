/** The only way in for a write: `Admission` admits it, in this thread or in another one, and it is answered after the commit. */
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

/** Marks a receipt as the answer to a rehearsal. */
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
  /** Called when content is withheld. */
  readonly #forgetCallbacks: (() => void)[] = []
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

  /** Registers the behaviour of each operation. Called once, after the domains are created. */
  setBehaviours(behaviours: object): void {
    for (const [name, behaviour] of Object.entries(behaviours)) this.#behaviours.set(name, behaviour as AnyBehaviour)
  }

  /**
   * Admits a write, or throws the refusal of the first check that fails.
   * @returns the receipt as JSON text: new, replayed or rehearsed
   */
  async admit(request: Request): Promise<string> {
    const checked = this.#made.admission.check(request)
    const rehearse = request.rehearse === true
    const extras = this.#extras.of(checked)
    const delivery = extras === undefined ? checked : { ...checked, keptExtras: extras.kept }
    const admitted = this.#writer?.admit(delivery, rehearse) ?? this.admitChecked(request.operation, delivery, rehearse)
    const isWithheld = isWithholding(request.operation) && !rehearse
    const { receipt, made } = await admitted.catch((error: unknown) => {
      // The withholding may be committed even though the words could not be removed from the files.
      if (isWithheld && error instanceof Refusal && error.details.committed === null) this.forget()
      throw error
    })
    if (isWithheld) this.forget()
    const answer = extras === undefined || made === undefined ? receipt : joinJson(receipt, extras.json)
    if (!rehearse && extras !== undefined && made !== undefined) this.#extras.accepted(delivery, extras, made)
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
    const deliveries = this.#made.batches.check(batch)
    const extras = deliveries.map((delivery) => delivery && this.#extras.ofBatched(delivery))
    const kept = extras.map((each) => each?.kept)
    const admitted = await (this.#writer?.admitBatch(batch, kept) ?? this.admitBatchChecked(batch, kept))
    const receipts = admitted.map(({ receipt, made }, index) => {
      const [delivery, found] = [deliveries[index], extras[index]]
      if (delivery === undefined || found === undefined || made === undefined) return receipt
      if (!rehearse) this.#extras.accepted(delivery, found, made)
      return joinJson(receipt, found.json)
    })
    if (this.#confirm !== null && (!rehearse || admitted.some(({ made }) => made === undefined))) await this.#confirm()
    return rehearse ? receipts.map(rehearsed) : receipts
  }

  /** Admits a batch that another thread has checked. */
  admitBatchChecked = (batch: BatchRequest, kept: readonly (JsonObject | undefined)[]): Promise<readonly Admitted[]> =>
    this.#made.batches.admit(batch, kept)

  /** Registers a function that clears a cache; it is called when content is withheld. */
  onForget(forget: () => void): void {
    this.#forgetCallbacks.push(forget)
  }

  /** Whether another thread writes for this one. */
  get isHandedOver(): boolean {
    return this.#writer !== null
  }

  /** Removes withheld content that an interrupted process, or a write of another instance, has left in the files. */
  async cleanse(): Promise<void> {
    if (!isUnclean(this.#db)) return
    try {
      await (this.#writer?.cleanse() ?? this.#cleanse())
    } finally {
      this.forget()
    }
  }

  /**
   * Drops Rooms of other instances, whole or from an entry on, and records each in the audit log. All tables are derived again without them.
   * @throws Refusal 409 if a Room that is not dropped too refers to them
   */
  async leave(leave: Leave): Promise<void> {
    await (this.#writer?.leave(leave) ?? this.#leave(leave))
    this.forget()
    if (this.#confirm !== null) await this.#confirm()
    await this.cleanse()
  }

  /** Clears all caches that may contain withheld content. */
  forget = (): void => this.#forgetCallbacks.forEach((forget) => forget())

  /** Admits a write that another thread has checked. */
  admitChecked(operation: Operation, checked: CheckedWrite, rehearse: boolean): Promise<Admitted> {
    return this.#made.admission.admit({ ...checked, operation, behaviour: this.#behaviourOf(operation) }, rehearse)
  }

  /** From now on `writer` admits the writes that this thread has checked. For its own transactions, `writer` pauses. */
  handOver(writer: OtherWriter): void {
    this.#writer = writer
  }

  /** From now on, a write is answered only after `confirm` has settled, which is called after the commit. If it rejects, so does the write. */
  answerAfter(confirm: () => Promise<void>): void {
    this.#confirm = confirm
  }

  /** Pauses all writes until `release`, so that another thread can write. */
  hold = (): void => this.#made.queue.hold()
  release = (): void => this.#made.queue.release()

  /**
   * Makes the changes that another thread tried out while this one was paused, and resumes writing.
   * @param mayStill whether the data is still in the state on which the changes were tried out
   */
  apply = (changes: readonly Changed[], mayStill: () => boolean): Promise<boolean> => this.#made.queue.apply(changes, mayStill)

  /** Whether writes of an operation need no work before or after the transaction. */
  isAtOnce = (operation: Operation): boolean => this.#made.admission.isAtOnce(operation)

  /** Runs background work between two groups of writes. @returns whether it was committed */
  between = (work: () => void): boolean => this.#made.queue.between(work)

  /** Indexes accepted texts, if another thread writes. */
  async index(): Promise<void> {
    await this.#writer?.index()
  }

  /** Runs the waiting writes at once, if no other write can come in this turn of the event loop. */
  flush = (): void => this.#made.queue.flush()

  /**
   * Admits a write as part of an open transaction (see `transact`).
   * @returns the receipt as JSON text
   */
  admitWithin(request: Request): string {
    return this.#made.admission.admitWithin(this.#made.admission.check(request)).receipt
  }

  /**
   * Runs work that is not an operation (a sign-in, a key's last use) in the same queue of transactions. If another thread writes, the work
   * is done here and rolled back, and that thread makes the same changes: only it waits for the disk. The work may run more than once.
   */
  async transact<T>(work: () => T): Promise<T> {
    const done = await (this.#writer === null ? this.#made.queue.run(work) : this.#writer.transact(() => this.#made.queue.tryOut(work)))
    if (this.#confirm !== null) await this.#confirm()
    return done
  }

  /** Tests whether writes are possible. With `touch` it writes without changing anything. Rejects as a write would. */
  async probe(touch: boolean): Promise<void> {
    await (this.#writer?.probe(touch) ?? this.#made.queue.run(() => touch && tryStorage(this.#db)))
    if (touch && this.#confirm !== null) await this.#confirm()
  }

  /** @throws Refusal 404 for the first id in a checked query that names no object */
  mustKnow = (schema: v.GenericSchema | undefined, given: unknown): void => {
    if (schema !== undefined) this.#made.references.mustKnow(schema, given)
  }

  /** Returns the Room of an object. @param name the name of its id @returns undefined if no object of a Room has an id of that name @throws Refusal 404 for an id that names nothing */
  roomOf = (name: string, id: string): string | undefined => this.#made.references.roomOf(name, id)

  /** Returns the person's stored receipt, whichever credential sent the write; undefined if there is none. */
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

  /** Registers acts. @returns each act as a function that also appends it to the journal */
  addActs<A extends Acts>(acts: A): Done<A> {
    Object.assign(this.#acts, acts)
    return noting(
      acts,
      this.journal,
      () => fresh(this.#world),
      () => isoTime(this.#world.now()),
    )
  }

  /** Runs `work` in one read transaction. */
  snapshot<T>(work: () => T): T {
    return this.#db.snapshot(work)
  }
}
