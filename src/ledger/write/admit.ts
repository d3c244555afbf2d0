/**
 * The one way in for a write. `admit` walks the protocol's fixed order of checks; what it lets in is written together
 * with its label, timeline entry, activity entry and receipt in one immediate transaction, or not at all.
 */
import type * as v from "valibot"
import type { Receipt } from "../../contract/answers/index.ts"
import { canonicalJson, extendJson, type JsonObject, joinJson, type Stored, stored } from "../../contract/json.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { type BatchedWrite, refusedIn } from "../../contract/operations/batch.ts"
import type { OperationName } from "../../contract/operations/index.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { check } from "../../contract/schema/validation.ts"
import type { RepositoryPin } from "../../contract/definitions/work.ts"
import { type Actor, type Gate, senderId } from "../journal/actor.ts"
import { activity } from "../journal/activity.ts"
import { type Acts, type Done, noting } from "../journal/acts.ts"
import { Approach } from "./precheck.ts"
import { type BatchRequest, deliverAll, provisional, unaskedPin, within } from "./batch.ts"
import type { Foreseen, Made } from "../journal/behaviour.ts"
import { fresh } from "../journal/chance.ts"
import { CommitQueue, type GroupHooks, notStored, uncertain, Undo } from "./commit-queue.ts"
import { type Db, isStorageFault } from "../storage/database.ts"
import { type AnyBehaviour, bodyOf, checkRequest, type Delivery, type Request } from "../journal/delivery.ts"
import { grantRefusal } from "./access.ts"
import { journal } from "../journal/journal.ts"
import { receipts } from "../journal/receipts.ts"
import { Recorder } from "./recorder.ts"
import type { Cut, Reach } from "../cut.ts"
import { references } from "./references.ts"
import { Replaying } from "./replaying.ts"
import { sequences } from "./sequences.ts"
import { timeline } from "../journal/timeline.ts"
import { tryStorage } from "../storage/try-storage.ts"
import { isUnclean } from "../storage/residue.ts"
import { Watch } from "./feed-waiters.ts"
import { isoTime, type World } from "../world.ts"
import { Writing } from "./writing.ts"

/** What a rehearsal answers: the receipt it would have given, marked. */
const rehearsed = (receipt: string): string => extendJson(receipt, { rehearsed: true })

export interface LedgerParts {
  readonly db: Db
  readonly world: World
  readonly gate: Gate
  /** Says whether a pinned repository is public and its commit exists. */
  readonly repositories: OutsideCheck
  readonly hooks?: GroupHooks
  /** Takes what was withheld out of whatever still tells of it; left out, nobody does. */
  readonly cleanse?: () => Promise<void>
  /** Has Rooms of other instances leave; left out, none does. @returns what left */
  readonly leave?: (cuts: readonly Cut[], reach: Reach) => Cut[]
}

/** A write that was checked by another thread, and so without what cannot leave it. */
export type CheckedWrite = Omit<Delivery, "operation" | "behaviour" | "body">

/** A receipt as JSON text, without what stands beside it and not marked as a rehearsal's. */
export interface Admitted {
  readonly receipt: string
  /** What the write made; left out where it was accepted before. */
  readonly made?: Made
}

/** Another thread that writes for this one. */
export interface OtherWriter {
  /** Admits a checked write there. @throws Refusal */
  admit(delivery: Delivery, rehearse: boolean): Promise<Admitted>
  /** Admits a batch there. @param kept what the journal keeps of what was foreseen of each @throws Refusal */
  admitBatch(batch: BatchRequest, kept: readonly (JsonObject | undefined)[]): Promise<readonly Admitted[]>
  /** Goes the way of a write there; with `touch` it is one, of what stands there already. Rejects as a write would. */
  probe(touch: boolean): Promise<unknown>
  /** Runs work while nothing is written there. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Takes what was withheld out of what no table holds any more. */
  cleanse(): Promise<unknown>
  /** Puts into the index of words what was accepted before. */
  index(): Promise<unknown>
  /** Has Rooms of other instances leave. @throws Refusal */
  leave(cuts: readonly Cut[], reach: Reach): Promise<readonly Cut[]>
}

const isWithholding = ({ name }: Operation): boolean => name === ("withhold_content" satisfies OperationName)

/** So many deliveries that were accepted last are known when they come again. */
const RECENT = 4_096

/** What the ledger asks of the world outside. `ok` is null while it cannot be told; `retryAfter` is in seconds. */
export interface OutsideCheck {
  check(
    pin: RepositoryPin,
  ): Promise<
    | { readonly ok: true }
    | { readonly ok: false; readonly reason: string }
    | { readonly ok: null; readonly reason: string; readonly retryAfter: number | null }
  >
}

const nameOf = ({ operation, actor, deliveryId }: Delivery): string => `${operation.name} ${actor.userId} ${deliveryId}`

export class Ledger {
  readonly #db: Db
  readonly #world: World
  readonly #gate: Gate
  readonly #repositories: OutsideCheck
  readonly #queue: CommitQueue
  readonly #cleanse: () => Promise<void>
  readonly #leave: NonNullable<LedgerParts["leave"]>
  readonly #receipts
  readonly #references
  readonly #approach: Approach
  readonly #writing: Writing
  readonly #behaviours = new Map<string, AnyBehaviour>()
  readonly #acts: Record<string, Acts[string]> = {}
  #writer: OtherWriter | null = null
  #confirm: (() => Promise<void>) | null = null
  /** What holds in memory what it has read. */
  readonly #forgetful: (() => void)[] = []
  /** Deliveries, of those that something was foreseen of, which were accepted last. */
  readonly #recent = new Set<string>()
  /** Every accepted write. */
  readonly journal
  /** Does the journal again. */
  readonly replaying: Replaying
  readonly timeline
  readonly activity
  readonly watch = new Watch()

  constructor({ db, world, gate, repositories, hooks = {}, cleanse = async () => {}, leave = () => [] }: LedgerParts) {
    this.#repositories = repositories
    this.#cleanse = cleanse
    this.#leave = leave
    this.#db = db
    this.#world = world
    this.#gate = gate
    this.#queue = new CommitQueue(db, hooks)
    this.journal = journal(db)
    this.timeline = timeline(db)
    this.activity = activity(db)
    this.#receipts = receipts(db, this.journal, (operation, { given }) =>
      given.foreseen === undefined ? {} : (this.#behaviourOf(operation).recall?.(given.foreseen) ?? {}),
    )
    this.#references = references(db)
    this.#approach = new Approach(gate, this.#receipts, this.#references)
    const shared = { journal: this.journal, sequences: sequences(db) }
    this.#writing = new Writing({
      ...shared,
      recorder: new Recorder({ ...shared, timeline: this.timeline, activity: this.activity }),
      landed: (roomId) => this.#queue.afterCommit(() => this.watch.landed(roomId)),
    })
    this.replaying = new Replaying({
      ...shared,
      gate,
      receipts: this.#receipts,
      writing: this.#writing,
      acts: this.#acts,
      behaviourOf: (operation) => this.#behaviourOf(operation),
      settle: () => hooks.beforeCommit?.(),
    })
  }

  /** Tells the ledger what the operations do. Called once, when the domains are made. */
  setBehaviours(behaviours: object): void {
    for (const [name, behaviour] of Object.entries(behaviours)) this.#behaviours.set(name, behaviour as AnyBehaviour)
  }

  /**
   * Admits a write, or throws the refusal of the first check it fails.
   * @returns the receipt as JSON text: new, replayed or rehearsed
   */
  async admit(request: Request): Promise<string> {
    const checked = this.#checked(request)
    const rehearse = request.rehearse === true
    const foreseen = checked.behaviour.foresee === undefined ? undefined : this.#foreseen(checked)
    const delivery = foreseen === undefined ? checked : { ...checked, foreseen: foreseen.kept }
    const admitted = this.#writer?.admit(delivery, rehearse) ?? this.admitChecked(request.operation, delivery, rehearse)
    const { receipt, made } = await admitted
    if (isWithholding(request.operation) && !rehearse) this.forget()
    const answer = foreseen === undefined || made === undefined ? receipt : joinJson(receipt, foreseen.told)
    if (!rehearse && foreseen !== undefined && made !== undefined) this.#accepted(delivery, foreseen, made)
    // Who rehearses what was stored before is told so.
    if (this.#confirm !== null && (!rehearse || made === undefined)) await this.#confirm()
    return rehearse ? rehearsed(answer) : answer
  }

  /**
   * Admits several writes in order in one transaction, or throws the refusal of the first that fails.
   * @returns the receipts as JSON texts: new, replayed or rehearsed
   */
  async admitBatch(batch: BatchRequest): Promise<string[]> {
    const { actor, writes, rehearse } = batch
    const deliveries = writes.map((write, index) => {
      const { request, isWhole } = within(writes, index, () => provisional(actor, write), "")
      try {
        return this.#checked(request)
      } catch (error) {
        if (isWhole && error instanceof Refusal) throw refusedIn(writes, index, error)
        return undefined
      }
    })
    const foreseen = deliveries.map((delivery) => (delivery?.behaviour.foresee === undefined ? undefined : this.#foreseenOf(delivery)))
    const kept = foreseen.map((each) => each?.kept)
    const admitted = await (this.#writer?.admitBatch(batch, kept) ?? this.admitBatchChecked(batch, kept))
    const receipts = admitted.map(({ receipt, made }, index) => {
      const [delivery, told] = [deliveries[index], foreseen[index]]
      if (delivery === undefined || told === undefined || made === undefined) return receipt
      if (!rehearse) this.#accepted(delivery, told, made)
      return joinJson(receipt, told.told)
    })
    if (this.#confirm !== null && (!rehearse || admitted.some(({ made }) => made === undefined))) await this.#confirm()
    return rehearse ? receipts.map(rehearsed) : receipts
  }

  /** What is foreseen of a write of a batch; nothing where it rests on what the batch has yet to make. */
  #foreseenOf(delivery: Delivery): Foreseen | undefined {
    try {
      return this.#foreseen(delivery)
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) return undefined
      throw error
    }
  }

  /** Admits a batch for the thread that has looked at it. */
  async admitBatchChecked(batch: BatchRequest, kept: readonly (JsonObject | undefined)[]): Promise<readonly Admitted[]> {
    const { actor, rehearse } = batch
    const asked = await this.#askOutsideFor(batch)
    const isAsked = ({ behaviour, operation, deliveryId, ...call }: Delivery) => {
      const pin = behaviour.outside?.(call) ?? null
      return pin === null || asked.has(canonicalJson(pin)) || this.#receipts.find(operation, actor, deliveryId) !== undefined
    }
    return this.#queue.run(
      () => {
        const admitted = deliverAll(
          batch,
          (request, index) => {
            const foreseen = kept[index]
            const delivery = this.#asWritten(this.#checked(request))
            if (!isAsked(delivery)) throw unaskedPin()
            return foreseen === undefined ? delivery : { ...delivery, foreseen }
          },
          (delivery) => this.#deliver(delivery),
        )
        if (rehearse) throw new Undo(admitted)
        return admitted
      },
      { rehearsal: rehearse },
    )
  }

  /** Step 11 for the writes of a batch, outside of any transaction. @returns the pins that were found public, as canonical JSON */
  async #askOutsideFor({ actor, writes }: BatchRequest): Promise<ReadonlySet<string>> {
    const found = new Set<string>()
    for (const [index, write] of writes.entries()) {
      try {
        const pin = this.#pinOf(actor, write)
        if (pin === null || found.has(canonicalJson(pin))) continue
        await this.#askOutside(pin)
        found.add(canonicalJson(pin))
      } catch (error) {
        throw error instanceof Refusal ? refusedIn(writes, index, error) : error
      }
    }
    return found
  }

  /** What must be asked outside for one write of a batch; null for a retry, and for what the transaction will refuse. @throws Refusal of steps 6 to 10 */
  #pinOf(actor: Actor, write: BatchedWrite): RepositoryPin | null {
    const { operation } = write
    const { outside } = this.#behaviourOf(operation)
    if (outside === undefined) return null
    const { request, isWhole } = provisional(actor, write)
    if (isWhole) {
      const delivery = this.#asWritten(this.#checked(request))
      return this.#answeredBefore(delivery) === undefined ? (delivery.behaviour.outside?.(delivery) ?? null) : null
    }
    const lacking = grantRefusal(operation, actor)
    if (lacking !== null) throw lacking
    if (this.#receipts.find(operation, actor, String(write.body[operation.delivery])) !== undefined) return null
    const { repository } = operation.body.entries
    const pinned = repository === undefined ? null : check(repository, write.body.repository)
    if (pinned?.ok !== true) return null
    return outside({ ...request, body: { repository: pinned.value }, content: "", contentDigest: "" })
  }

  /** Whoever keeps what was read of the data in memory, or in files, is told when it must not be told any more. */
  onForget(forget: () => void): void {
    this.#forgetful.push(forget)
  }

  /** Whether another thread writes for this one. */
  get isHandedOver(): boolean {
    return this.#writer !== null
  }

  /** Takes what was withheld out of whatever still tells of it, where a write of another instance, or a process that was cut off, has left that. */
  async cleanse(): Promise<void> {
    if (!isUnclean(this.#db)) return
    await (this.#writer?.cleanse() ?? this.#cleanse())
    this.forget()
  }

  /**
   * Drops Rooms of other instances, whole or from an entry on. Everything is made anew without them.
   * @returns what was dropped, with what was dropped along
   * @throws Refusal 409 where a Room that may not be dropped along names something of them
   */
  async leave(cuts: readonly Cut[], reach: Reach): Promise<readonly Cut[]> {
    const left = await (this.#writer?.leave(cuts, reach) ?? this.#leave(cuts, reach))
    if (this.#confirm !== null) await this.#confirm()
    await this.cleanse()
    this.forget()
    return left
  }

  /** Something was withheld. */
  forget(): void {
    for (const forget of this.#forgetful) forget()
  }

  /**
   * What a behaviour foresees of a write. Nothing is looked up for whoever may not do it, nor once more for a retry of what was
   * accepted a while ago: where it is looked up all the same, a retry is answered what was told first.
   * @throws Refusal 503 when the disk does not answer
   */
  #foreseen(delivery: Delivery): Foreseen | undefined {
    const { operation, actor, behaviour } = delivery
    if (grantRefusal(operation, actor) !== null || this.#recent.has(nameOf(delivery))) return undefined
    try {
      return this.#db.snapshot(() => behaviour.foresee?.(delivery))
    } catch (error) {
      throw isStorageFault(error) ? notStored() : error
    }
  }

  #accepted(delivery: Delivery, { accepted }: Foreseen, made: Made): void {
    this.#recent.add(nameOf(delivery))
    if (this.#recent.size > RECENT) for (const oldest of this.#recent.keys().take(1)) this.#recent.delete(oldest)
    accepted?.(made)
  }

  /**
   * A first walk through steps 8 to 10, before work outside of the transaction: a replay never reaches a host.
   * @returns the receipt, where there is one
   */
  #answeredBefore(delivery: Delivery): string | undefined {
    const found = this.#db.snapshot(() => this.#approach.walk(delivery, isoTime(this.#world.now())))
    return "replayed" in found ? found.replayed : undefined
  }

  /** Admits a write for the thread that has checked it. */
  admitChecked(operation: Operation, checked: CheckedWrite, rehearse: boolean): Promise<Admitted> {
    return this.#admit(this.#asWritten({ ...checked, operation, behaviour: this.#behaviourOf(operation) }), rehearse)
  }

  /** From now on another thread admits what this one has checked; what this one must write itself, it writes alone. */
  handOver(writer: OtherWriter): void {
    this.#writer = writer
  }

  /** From now on nobody is told of a write before `confirm` has settled, called after the commit. What it rejects with is answered instead. */
  answerAfter(confirm: () => Promise<void>): void {
    this.#confirm = confirm
  }

  /** Holds what is to be written until `release`, for a thread that wants to write alone. */
  hold(): void {
    this.#queue.hold()
  }

  release(): void {
    this.#queue.release()
  }

  /** Whether writes of an operation go to the queue as they come: nothing is asked or worked out before, nor done after. */
  isAtOnce(operation: Operation): boolean {
    const { prepare, outside } = this.#behaviourOf(operation)
    return prepare === undefined && outside === undefined && !isWithholding(operation)
  }

  /** Runs work that nobody waits for between two groups of writes. @returns whether it was committed */
  between(work: () => void): boolean {
    return this.#queue.between(work)
  }

  /** Has the thread that writes for this one index what was accepted before, where there is one. */
  async index(): Promise<void> {
    await this.#writer?.index()
  }

  /** Runs at once what waits in the queue, for whoever knows that nothing else comes in this turn. */
  flush(): void {
    this.#queue.flush()
  }

  #admit(delivery: Delivery, rehearse: boolean): Promise<Admitted> {
    return this.isAtOnce(delivery.operation) ? this.#inQueue(delivery, rehearse) : this.#admitPrepared(delivery, rehearse)
  }

  #inQueue(delivery: Delivery, rehearse: boolean): Promise<Admitted> {
    return this.#queue.run(
      () => {
        const made = this.#deliver(delivery)
        if (rehearse) throw new Undo(made)
        return made
      },
      { rehearsal: rehearse },
    )
  }

  async #admitPrepared(delivery: Delivery, rehearse: boolean): Promise<Admitted> {
    const { prepare, outside } = delivery.behaviour
    const pin = outside?.(delivery) ?? null
    const known = pin === null && prepare === undefined ? undefined : this.#answeredBefore(delivery)
    if (known !== undefined) return { receipt: known }
    if (pin !== null) await this.#askOutside(pin)
    const prepared = await prepare?.(delivery)
    const admitted = await this.#inQueue(prepared === undefined ? delivery : { ...delivery, prepared }, rehearse)
    if (isWithholding(delivery.operation) && !rehearse) await this.#cleansed()
    return admitted
  }

  /** What was accepted stands; where it could not be finished, whoever sends it again has it finished. */
  async #cleansed(): Promise<void> {
    try {
      await this.#cleanse()
    } catch (error) {
      throw isStorageFault(error) ? uncertain() : error
    }
  }

  /**
   * Admits a write as part of a transaction that is already open (see `transact`).
   * @returns the receipt as JSON text
   */
  admitWithin(request: Request): string {
    return this.#deliver(this.#asWritten(this.#checked(request))).receipt
  }

  /** Runs work that is no operation (a sign-in, a key's last use) in the same queue of transactions. */
  async transact<T>(work: () => T): Promise<T> {
    const done = await (this.#writer === null ? this.#queue.run(work) : this.#writer.alone(() => this.#queue.run(work)))
    if (this.#confirm !== null) await this.#confirm()
    return done
  }

  /** Goes the way of a write, to see whether it is open; with `touch` it is one, of what stands there already. Rejects as a write would. */
  async probe(touch: boolean): Promise<void> {
    await (this.#writer?.probe(touch) ?? this.#queue.run(() => touch && tryStorage(this.#db)))
    if (touch && this.#confirm !== null) await this.#confirm()
  }

  /** @throws Refusal 404 for the first subject that a checked query names and that is not there */
  mustKnow = (schema: v.GenericSchema | undefined, given: unknown): void => {
    if (schema !== undefined) this.#references.mustKnow(schema, given)
  }

  /** The Room of an object. @param name what its id goes by @returns undefined for a name that no object of a Room has @throws Refusal 404 for an id that names nothing */
  roomOf = (name: string, id: string): string | undefined => this.#references.roomOf(name, id)

  /** The stored receipt of the actor's person, whichever credential earned it; undefined where nothing was stored. */
  receipt(operation: Operation, actor: Actor, deliveryId: string): Stored<Receipt> | undefined {
    const known = this.#receipts.ofMember(operation, actor, deliveryId)
    if (known === undefined || known.credentialId === senderId(actor)) return known?.body
    return stored<Receipt>(extendJson(known.body, { credentialChanged: true }))
  }

  #checked(request: Request): Delivery {
    return checkRequest(request, this.#behaviourOf(request.operation))
  }

  /** With its body as it is read again from the journal. */
  #asWritten(delivery: Omit<Delivery, "body">): Delivery {
    return { ...delivery, body: bodyOf(delivery.content, delivery.client) }
  }

  #behaviourOf({ name }: Operation): AnyBehaviour {
    const behaviour = this.#behaviours.get(name)
    if (behaviour === undefined) throw new Error(`${name} has no behaviour`)
    return behaviour
  }

  /** Step 11, outside of any transaction. */
  async #askOutside(pin: RepositoryPin): Promise<void> {
    const answer = await this.#repositories.check(pin)
    if (answer.ok) return
    if (answer.ok === false)
      throw new Refusal("repository_unavailable", answer.reason, { status: 422, issues: [{ path: "/repository", message: answer.reason }] })
    throw new Refusal("repository_unavailable", answer.reason, {
      status: 503,
      ...(answer.retryAfter === null ? {} : { retryAfter: answer.retryAfter }),
    })
  }

  /** Steps 8 to 13, inside the transaction. */
  #deliver(delivery: Delivery): Admitted {
    const { behaviour, actor } = delivery
    const at = isoTime(this.#world.now())
    const found = this.#approach.walk(delivery, at)
    if ("replayed" in found) return { receipt: found.replayed }
    const { subject } = found
    behaviour.admit?.(delivery, subject, at)

    const { answer, made, roomId } = this.#writing.write(delivery, subject, at, fresh(this.#world))
    this.#gate.used(actor, at)
    this.#gate.accepted({ operation: delivery.operation, actor, roomId, targetId: made.id, at })
    return { receipt: answer, made }
  }

  /** Tells the ledger what people do beside operations. @returns each as it is done, and noted in the journal */
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
