/**
 * The one way in for a write. `admit` walks the protocol's fixed order of checks; what it lets in is written together
 * with its label, timeline entry, activity entry and receipt in one immediate transaction, or not at all.
 */
import type * as v from "valibot"
import type { Receipt } from "../contract/answers.ts"
import { digestOf, extendJson, type Json, type JsonObject, parse, type Stored, stored } from "../contract/json.ts"
import { label as labelText } from "../contract/labels.ts"
import type { Operation } from "../contract/operation.ts"
import { operationNamed } from "../contract/operations/index.ts"
import { noSuch, Refusal } from "../contract/refusals.ts"
import type { RepositoryPin } from "../contract/work.ts"
import { type Actor, type Gate, senderId } from "./actor.ts"
import { activity } from "./activity.ts"
import { actAgain, type Acts, type Done, noting } from "./acts.ts"
import type { Change, Subject } from "./behaviour.ts"
import { again, type Chance, fresh } from "./chance.ts"
import { CommitQueue, type GroupHooks, notStored, Undo } from "./commit-queue.ts"
import { type Db, isStorageFault } from "./database.ts"
import { tryStorage } from "./try-storage.ts"
import { type AnyBehaviour, checkRequest, type Delivery, type Request } from "./delivery.ts"
import { grantRefusal, roomRefusal } from "./entrance.ts"
import { type Entry, history } from "./history.ts"
import { type Recorded, Recorder } from "./recorder.ts"
import { receipts } from "./receipts.ts"
import { references } from "./references.ts"
import { sequences } from "./sequences.ts"
import { timeline } from "./timeline.ts"
import { Watch } from "./watch.ts"
import { isoTime, type World } from "./world.ts"

/** What a rehearsal answers: the receipt it would have given, marked. */
const rehearsed = (receipt: string): string => extendJson(receipt, { rehearsed: true })

export interface LedgerParts {
  readonly db: Db
  readonly world: World
  readonly gate: Gate
  /** Says whether a pinned repository is public and its commit exists. */
  readonly repositories: OutsideCheck
  readonly hooks?: GroupHooks
}

/** A write that was checked by another thread, and so without what cannot leave it. */
export type CheckedWrite = Omit<Delivery, "operation" | "behaviour">

/** Another thread that writes for this one. */
export interface OtherWriter {
  /** Admits a checked write there. @returns the receipt as JSON text @throws Refusal */
  admit(delivery: Delivery, rehearse: boolean): Promise<string>
  /** Goes the way of a write there; with `touch` it is one, of what stands there already. Rejects as a write would. */
  probe(touch: boolean): Promise<unknown>
  /** Runs work while nothing is written there. */
  alone<T>(work: () => Promise<T>): Promise<T>
}

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

export class Ledger {
  readonly #db: Db
  readonly #world: World
  readonly #gate: Gate
  readonly #repositories: OutsideCheck
  readonly #hooks: GroupHooks
  #isReplaying = false
  readonly #queue: CommitQueue
  readonly #receipts
  readonly #sequences
  readonly #references
  readonly #recorder
  readonly #behaviours = new Map<string, AnyBehaviour>()
  readonly #acts: Record<string, Acts[string]> = {}
  #writer: OtherWriter | null = null
  /** Every accepted write. */
  readonly history
  readonly timeline
  readonly activity
  readonly watch = new Watch()

  constructor({ db, world, gate, repositories, hooks = {} }: LedgerParts) {
    this.#repositories = repositories
    this.#db = db
    this.#world = world
    this.#gate = gate
    this.#hooks = hooks
    this.#queue = new CommitQueue(db, hooks)
    this.history = history(db)
    this.#receipts = receipts(db, this.history)
    this.#sequences = sequences(db)
    this.#references = references(db)
    this.timeline = timeline(db)
    this.activity = activity(db)
    this.#recorder = new Recorder({
      timeline: this.timeline,
      activity: this.activity,
      receipts: this.#receipts,
      history: this.history,
      sequences: this.#sequences,
      // Nobody waits for what is replayed.
      landed: (roomId) => {
        if (!this.#isReplaying) this.#queue.afterCommit(() => this.watch.landed(roomId))
      },
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
    const foreseen = this.#told(checked)
    const delivery = foreseen === undefined ? checked : { ...checked, foreseen }
    const rehearse = request.rehearse === true
    return this.#writer === null ? this.#admit(delivery, rehearse) : this.#writer.admit(delivery, rehearse)
  }

  /** What the behaviour tells beforehand. @throws Refusal 503 when the disk does not answer */
  #told(delivery: Delivery): Delivery["foreseen"] {
    const { behaviour } = delivery
    if (behaviour.foresee === undefined) return undefined
    try {
      return this.#db.snapshot(() => behaviour.foresee?.(delivery))
    } catch (error) {
      throw isStorageFault(error) ? notStored() : error
    }
  }

  /** Admits a write for the thread that has checked it. */
  admitChecked(operation: Operation, checked: CheckedWrite, rehearse: boolean): Promise<string> {
    return this.#admit({ ...checked, operation, behaviour: this.#behaviourOf(operation) }, rehearse)
  }

  /** From now on another thread admits what this one has checked; what this one must write itself, it writes alone. */
  handOver(writer: OtherWriter): void {
    this.#writer = writer
  }

  /** Holds what is to be written until `release`, for a thread that wants to write alone. */
  hold(): void {
    this.#queue.hold()
  }

  release(): void {
    this.#queue.release()
  }

  async #admit(delivery: Delivery, rehearse: boolean): Promise<string> {
    const { prepare, outside } = delivery.behaviour
    const pin = outside?.(delivery) ?? null
    const known = pin === null && prepare === undefined ? undefined : this.#answeredBefore(delivery)
    if (known !== undefined) return rehearse ? rehearsed(known) : known
    if (pin !== null) await this.#askOutside(pin)
    const prepared = await prepare?.(delivery)
    return this.#queue.run(
      () => {
        const receipt = this.#deliver(prepared === undefined ? delivery : { ...delivery, prepared })
        if (rehearse) throw new Undo(rehearsed(receipt))
        return receipt
      },
      { rehearsal: rehearse },
    )
  }

  /**
   * Admits a write as part of a transaction that is already open (see `transact`).
   * @returns the receipt as JSON text
   */
  admitWithin(request: Request): string {
    return this.#deliver(this.#checked(request))
  }

  /** Runs work that is no operation (a sign-in, a key's last use) in the same queue of transactions. */
  transact<T>(work: () => T): Promise<T> {
    return this.#writer === null ? this.#queue.run(work) : this.#writer.alone(() => this.#queue.run(work))
  }

  /** Goes the way of a write, to see whether it is open; with `touch` it is one, of what stands there already. Rejects as a write would. */
  probe(touch: boolean): Promise<unknown> {
    if (this.#writer !== null) return this.#writer.probe(touch)
    return this.#queue.run(() => touch && tryStorage(this.#db))
  }

  /** @throws Refusal 404 for the first subject that a checked query names and that is not there */
  mustKnow = (schema: v.GenericSchema | undefined, given: unknown): void => {
    if (schema !== undefined) this.#references.mustKnow(schema, given)
  }

  /** The stored receipt of the actor's person, whichever credential earned it; undefined where nothing was stored. */
  receipt(operation: Operation, actor: Actor, deliveryId: string): Stored<Receipt> | undefined {
    const known = this.#receipts.ofMember(operation, actor, deliveryId)
    if (known === undefined || known.credentialId === senderId(actor)) return known?.body
    return stored<Receipt>(extendJson(known.body, { credentialChanged: true }))
  }

  #checked(request: Request): Delivery {
    return checkRequest(request, this.#behaviourOf(request.operation))
  }

  #behaviourOf({ name }: Operation): AnyBehaviour {
    const behaviour = this.#behaviours.get(name)
    if (behaviour === undefined) throw new Error(`${name} has no behaviour`)
    return behaviour
  }

  /** Steps 8 to 10: what can be answered without changing anything. */
  #approach(delivery: Delivery, at: string): { replayed: string } | { subject: Subject } {
    const { operation, behaviour, actor } = delivery
    this.#gate.confirm(actor, at)
    const replayed = this.#replay(delivery)
    if (replayed !== undefined) return { replayed }

    const lacking = grantRefusal(operation, actor)
    if (lacking) throw lacking
    const subject = this.#subject(delivery)
    if (subject.roomId !== null) this.#enter(delivery, subject.roomId, subject.threadId)
    const unknown = this.#references.faults(operation, delivery.body)
    const further = behaviour.references?.(delivery, subject) ?? []
    const faults = [...unknown, ...further.filter(({ path }) => unknown.every((fault) => fault.path !== path))]
    const [first] = faults
    if (first === undefined) return { subject }
    const others =
      faults.length === 1 ? "" : ` ${faults.length - 1} more of its references ${faults.length === 2 ? "is" : "are"} wrong: see issues.`
    throw new Refusal("unknown_reference", `${first.path} ${first.message}.${others}`, { issues: faults })
  }

  /** @throws Refusal 404 */
  #subject(delivery: Delivery): Subject {
    try {
      return delivery.behaviour.subject(delivery)
    } catch (error) {
      throw this.#references.explained(error, delivery.operation, delivery.params, delivery.body)
    }
  }

  /**
   * A first walk through steps 8 to 10, before work outside of the transaction: a replay never reaches a host.
   * @returns the receipt, where there is one
   */
  #answeredBefore(delivery: Delivery): string | undefined {
    const found = this.#db.snapshot(() => this.#approach(delivery, isoTime(this.#world.now())))
    return "replayed" in found ? found.replayed : undefined
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
  #deliver(delivery: Delivery): string {
    const { behaviour, actor } = delivery
    const at = isoTime(this.#world.now())
    const found = this.#approach(delivery, at)
    if ("replayed" in found) return found.replayed
    const { subject } = found
    behaviour.admit?.(delivery, subject)

    const chance = fresh(this.#world)
    const { answer } = this.#write(delivery, subject, at, chance)
    this.#gate.used(actor, at)
    return answer
  }

  /** Step 13: what the operation does, and what every write leaves behind. */
  #write(delivery: Delivery, subject: Subject, at: string, chance: Chance): Recorded {
    const { behaviour, prepared, foreseen } = delivery
    const change = this.#change(at, subject.roomId, chance)
    const outcome = behaviour.write(delivery, subject, change)
    const labelledBy = this.#isReplaying ? undefined : outcome.target.originRoomId
    return this.#recorder.record(delivery, subject, change, outcome, {
      ...chance.given(),
      ...(prepared !== undefined && { prepared: prepared as Json }),
      ...(foreseen !== undefined && { foreseen: foreseen as JsonObject }),
      ...(labelledBy !== undefined && { labelledBy }),
    })
  }

  /**
   * Does an accepted write again, in another database, with what the world gave it then. Nothing that could refuse it is
   * asked: not the outside, nor what was granted, nor what stood against it. Within an open transaction.
   * @throws OtherChance, or what the behaviour throws, when it cannot be done again
   */
  replay(entry: Entry): Recorded | null {
    this.#isReplaying = true
    const operation = operationNamed(entry.operation)
    if (operation === undefined) {
      if (this.#acts[entry.operation] === undefined) throw new Error(`${entry.operation} is nothing that this program does`)
      this.#actAgain(entry)
      return null
    }
    const { given, content, params, client } = entry
    const body: JsonObject = { ...(JSON.parse(content) as JsonObject), ...(client === undefined ? {} : { client }) }
    const contentDigest = given.contentDigest ?? digestOf(content)
    const delivery: Delivery = {
      operation,
      behaviour: this.#behaviourOf(operation),
      actor: this.#gate.actorOf(entry, operation),
      params,
      body,
      content,
      contentDigest,
      client,
      deliveryId: body[operation.delivery] as string,
      requestDigest: contentDigest,
      prepared: given.prepared,
      ...(given.foreseen && { foreseen: given.foreseen }),
      ...(given.named !== undefined && { named: given.named }),
    }
    return this.#write(delivery, delivery.behaviour.subject(delivery), entry.at, again(given))
  }

  /**
   * Does an accepted write of another instance again, as `replay` does, within an open transaction. Its body is looked at as if it
   * had just been sent.
   * @param roomId the Room it should be of
   * @throws Refusal for a body that would not be accepted, or what makes it impossible to do
   */
  receive(entry: Omit<Entry, "position" | "sender">, roomId: string): Recorded | null {
    const operation = operationNamed(entry.operation)
    if (operation === undefined) throw new Error(`${entry.operation} is nothing that this program does`)
    const { userId, username, params, client } = entry
    const body = { ...(JSON.parse(entry.content) as JsonObject), ...(client === undefined ? {} : { client }) }
    const actor = this.#gate.actorOf({ userId, username, sender: roomId }, operation)
    const { deliveryId, content } = checkRequest({ operation, actor, params, body }, this.#behaviourOf(operation))
    if (content !== entry.content) throw new Error("its body is not as it is kept")
    // Two credentials of one member may have used one id there; here the Room stands for all of them.
    const isTaken = this.#receipts.find(operation, actor, deliveryId) !== undefined
    try {
      return this.replay({ ...entry, position: 0, sender: isTaken ? (entry.given.ids?.[0] ?? roomId) : roomId })
    } finally {
      this.#isReplaying = false
    }
  }

  /** Notes in the history that a row was carried over. */
  carry(entry: Entry): void {
    this.history.append(entry, digestOf(entry.content))
  }

  /** Ends a group of replayed writes, as the queue ends one before its commit. */
  settle(): void {
    this.#hooks.beforeCommit?.()
  }

  #actAgain(entry: Entry): void {
    actAgain(this.#acts, entry)
    this.history.append(entry, digestOf(entry.content))
  }

  /** Tells the ledger what people do beside operations. @returns each as it is done, and noted in the history */
  learnActs<A extends Acts>(acts: A): Done<A> {
    Object.assign(this.#acts, acts)
    return noting(
      acts,
      this.history,
      () => fresh(this.#world),
      () => isoTime(this.#world.now()),
    )
  }

  /** Step 8: a known id answers its first receipt, or refuses other content. */
  #replay({ operation, behaviour, actor, deliveryId, requestDigest }: Delivery): string | undefined {
    const known = this.#receipts.find(operation, actor, deliveryId)
    if (known === undefined) return undefined
    if (known.requestDigest !== requestDigest) {
      const { acceptedAt, target } = parse(known.body)
      throw new Refusal(
        "request_conflict",
        `This ${operation.delivery} was used before with other content. A new contribution needs a new id.`,
        {
          // What a Library's receipt names may be out of this key's reach.
          current: {
            operation: operation.name,
            acceptedAt,
            ...(actor.key === undefined ? { target } : {}),
          },
        },
      )
    }
    const changed = known.credentialId !== senderId(actor)
    const current = behaviour.moved?.(parse(known.body))
    return extendJson(known.body, { replayed: true, ...(changed ? { credentialChanged: true } : {}), ...(current && { current }) })
  }

  /** Step 9: membership, scope, role and archive of the Room. */
  #enter({ operation, actor }: Delivery, roomId: string, threadId: string | null | undefined): void {
    const standing = this.#gate.standing(roomId, actor.userId)
    if (standing === undefined) throw noSuch("room")
    const refusal = roomRefusal(operation, actor, standing, threadId)
    if (refusal) throw refusal
  }

  #change(at: string, roomId: string | null, { newId, token }: Chance): Change {
    return {
      at,
      position: this.history.next(),
      entryId: newId(),
      newId,
      token,
      label: (kind) => {
        if (roomId === null) throw new Error("labels are given in Rooms")
        return labelText(kind, this.#sequences.ordinal(roomId, kind))
      },
      ordinal: (room, kind) => this.#sequences.ordinal(room, kind),
    }
  }

  /** Reads several things as of one moment. */
  snapshot<T>(work: () => T): T {
    return this.#db.snapshot(work)
  }
}
