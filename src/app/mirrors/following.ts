/** One connection to the origin of a mirror: proves the writes of the Room and replays them here as they land there. */
import { firstPreviousDigest } from "../../contract/answers/chain.ts"
import type { Described } from "../../contract/answers/description.ts"
import { parse } from "../../contract/json.ts"
import { isoTime } from "../../ledger/world.ts"
import type { RoomSource } from "../../rooms/imported.ts"
import { CrateFault } from "../../research/import/crate-file.ts"
import { describedBy } from "../../research/import/origin.ts"
import { Withholdings } from "../../research/import/withheld.ts"
import { Prover, type ProvedWrite } from "../../research/import/writes.ts"
import { bringFigures } from "./figures.ts"
import { ProvedReplay, mustBeExplained, mustNotBeOwn } from "./proved-replay.ts"
import type { Instance } from "../compose/instance.ts"
import { type Origin, Unreachable, WAIT } from "./origin.ts"
import type { FeedPage } from "./origin-answers.ts"
import { giveWay, otherInstance, partingFrom } from "./parting.ts"
import type { Pauses } from "./pauses.ts"
import { Shorter } from "./shorter.ts"

/** How many writes are replayed in one transaction. Other requests wait no longer than for these. */
const GROUP = 10
/** How far a chain of Rooms that cite each other is followed. */
const DEPTH = 50

/** The Room was removed from the mirrors meanwhile, or follows another address now. */
export class MirrorRemoved extends Error {
  override readonly name = "NoLongerFollowed"
}

/** Entries before the next one were dropped meanwhile. */
class OriginWentBack extends Error {
  override readonly name = "WentBack"
}

/** What kept a mirror from being followed: its origin does not answer, or the disk here takes nothing. */
export type Trouble = "origin" | "storage"

export class Following {
  readonly #instance: Instance
  readonly #origin: Origin
  readonly #roomId: string
  readonly #baseUrl: string
  readonly #provers = new Map<string, Prover>()
  readonly #from = new Map<string, RoomSource>()
  readonly #people = new Map<string, string>()
  readonly #described = new Map<string, Described>()
  readonly #withheld = new Withholdings()
  /** The pictures that the origin was asked for. */
  readonly #asked = new Set<string>()
  #stands = 0

  constructor(instance: Instance, origin: Origin, { roomId, baseUrl }: { readonly roomId: string; readonly baseUrl: string }) {
    this.#instance = instance
    this.#origin = origin
    this.#roomId = roomId
    this.#baseUrl = baseUrl
  }

  async run(signal: AbortSignal, pauses: Pauses, overcame: (what: Trouble) => void): Promise<void> {
    const roomId = this.#roomId
    await this.#arrive(roomId)
    mustNotBeOwn(this.#instance, roomId)
    await this.#mustHold(roomId)
    while (!signal.aborted) {
      const after = this.#through(roomId)
      if (this.#provers.get(roomId)?.sequence !== after) await this.#mustHold(roomId)
      const asked = performance.now()
      const page = await this.#page(after)
      overcame("origin")
      // An honest origin holds a question for as long as it has nothing to say.
      const isHeld = performance.now() - asked > (WAIT * 1000) / 2
      // Behind a proxy, another instance may take the place of this one between two answers.
      if (page.items.length > 0 && !page.hasMore) await this.#arrive(roomId)
      if (page.items.length === 0 && !isHeld) await pauses.next()
      this.#stands = Math.max(this.#stands, page.nextCursor)
      if (!(await this.#taken(page))) continue
      await bringFigures(this.#instance, this.#origin, roomId, this.#asked)
      // All that was there when the page was made has come: so has what withheld what came withheld.
      if (!page.hasMore) mustBeExplained(this.#instance, roomId)
      await this.#heard()
      overcame("storage")
      if (page.items.length > 0 || isHeld) pauses.reset()
    }
  }

  /**
   * Replays the writes of a page of the Room.
   * @returns whether it did: not where the Room gave way meanwhile
   * @throws CrateFault that says where the histories part, if they do
   */
  async #taken(page: FeedPage): Promise<boolean> {
    const through = this.#through(this.#roomId)
    try {
      await this.#take(this.#roomId, page, 0)
      return true
    } catch (error) {
      if (error instanceof OriginWentBack) return false
      if (!(error instanceof CrateFault)) throw error
      await this.#mustHold(this.#roomId)
      if (this.#through(this.#roomId) >= through) throw error
      return false
    }
  }

  /** The entries after one. @throws CrateFault that says where the histories part, where the origin was put back before it */
  async #page(after: number): Promise<FeedPage> {
    try {
      return await this.#origin.feed(this.#roomId, after, WAIT)
    } catch (error) {
      if (error instanceof Shorter) await this.#mustHold(this.#roomId)
      throw error
    }
  }

  #through(roomId: string): number {
    return this.#instance.ledger.activity.watermark(roomId)
  }

  /**
   * Asks where a Room comes from: where it is followed, or where that one has it from.
   * @throws CrateFault where another instance answers at the address now
   */
  async #arrive(roomId: string): Promise<void> {
    const [serving, room] = await Promise.all([this.#origin.instance(), this.#origin.room(roomId)])
    const other = otherInstance(this.#instance, serving, roomId)
    if (other !== null) throw new CrateFault(other)
    if (roomId === this.#roomId) {
      if (room.origin !== null) throw new CrateFault(`The Room ${roomId} is itself from ${room.origin.baseUrl}; follow it there.`)
      this.#stands = room.activityWatermark
      await this.#heard()
    }
    const told = room.origin === null ? {} : { ...room.origin, toldBy: this.#baseUrl }
    this.#from.set(roomId, { ...serving.from, ...told, ...(room.adopted.length > 0 && { adopted: room.adopted }) })
  }

  /**
   * Proves that the last entry that is here is the one that is there. What came along with other Rooms gives way to what the
   * Room's own instance says.
   * @throws CrateFault where it is another one
   */
  async #mustHold(roomId: string): Promise<void> {
    const { ledger, tables } = this.#instance
    const parting = await partingFrom(this.#instance, this.#origin, roomId)
    if (parting !== null) {
      const { sequence, why } = parting
      if (roomId !== this.#roomId || !tables.leaving.cameAlong(roomId, sequence)) throw new CrateFault(why)
      await giveWay(this.#instance, { roomId, from: sequence }, this.#baseUrl)
    }
    const through = this.#through(roomId)
    const [last] = through === 0 ? [] : ledger.activity.after(roomId, through - 1, undefined, 1)
    const digest = last === undefined ? firstPreviousDigest : parse(last.body).digest
    this.#provers.set(roomId, new Prover(roomId, this.#withheld, ` of Room ${roomId}`, { sequence: through, digest }))
  }

  #heard(): Promise<unknown> {
    const { ledger, tables, world } = this.#instance
    return ledger.transact(() => tables.mirrors.heard(this.#roomId, this.#baseUrl, this.#stands, isoTime(world.now())))
  }

  /** Where something of a page may have been withheld, sees what the writes after it withhold. Each is proved when its turn comes. */
  async #lookAhead(roomId: string, items: FeedPage["items"]): Promise<void> {
    const first = items.find(({ write }) => JSON.stringify([write.body, write.client]).includes('"withheld"'))
    if (first === undefined) return
    for await (const write of this.#origin.withholdings(roomId, first.sequence)) this.#withheld.note(roomId, write)
  }

  /** Does the writes of a page, each after what it names of other Rooms. */
  async #take(roomId: string, { items }: FeedPage, depth: number): Promise<void> {
    await this.#lookAhead(roomId, items)
    let group: ProvedWrite[] = []
    const done = async () => {
      if (group.length > 0) await this.#replay(roomId, group)
      group = []
    }
    for (const { write, ...entry } of items) {
      const { people, cites, ...written } = write
      for (const { userId, username } of [entry.actor, ...people]) this.#people.set(userId, username)
      for (const person of people) {
        const told = describedBy(person)
        if (told !== undefined) this.#described.set(person.userId, told)
      }
      const proved = this.#provers.get(roomId)?.prove(entry, written)
      if (proved === undefined) throw new Error(`the Room ${roomId} is not followed`)
      const missing = cites.filter((cited) => this.#through(cited.roomId) < cited.through)
      if (missing.length > 0) await done()
      for (const cited of missing) await this.#ensure(cited.roomId, cited.through, depth + 1)
      group.push(proved)
      if (group.length === GROUP) await done()
    }
    await done()
  }

  async #replay(roomId: string, group: readonly ProvedWrite[]): Promise<void> {
    const { ledger } = this.#instance
    await ledger.transact(() => {
      // A request that was held while it was taken away brings nothing any more.
      if (!this.#instance.tables.mirrors.follows(this.#roomId, this.#baseUrl)) throw new MirrorRemoved()
      if ((group[0]?.sequence ?? 0) > this.#through(roomId) + 1) throw new OriginWentBack()
      const arriving = new ProvedReplay(this.#instance, {
        from: (id) => this.#from.get(id) ?? this.#instance.tables.imported.from(id) ?? unknown(id),
        people: this.#people,
        isAlong: (id) => id !== this.#roomId,
      })
      for (const write of group) arriving.take(write)
      arriving.describe(this.#described, this.#from.get(roomId)?.instanceId ?? "", this.#baseUrl)
    })
    // People who are not here yet are named by a write to come.
    for (const userId of this.#described.keys())
      if (this.#instance.tables.people.foreigner(this.#baseUrl, userId) !== undefined) this.#described.delete(userId)
    ledger.watch.landed(roomId)
    await ledger.cleanse()
  }

  /** Brings another Room as far as a write of this one needs it. */
  async #ensure(roomId: string, through: number, depth: number): Promise<void> {
    const own = this.#instance.tables.mirrors.all().find((each) => each.roomId === roomId && each.stopped === null)
    if (own !== undefined && own.baseUrl !== this.#baseUrl)
      throw new Unreachable(`Room ${roomId}, of which something is named, is followed at ${own.baseUrl} and not as far yet.`)
    if (depth > DEPTH) throw new CrateFault(`The Rooms that Room ${this.#roomId} names something of lead on without an end.`)
    if (!this.#from.has(roomId)) await this.#arrive(roomId)
    await this.#mustHold(roomId)
    for (let here = this.#through(roomId); here < through; here = this.#through(roomId)) {
      const { items, ...page } = await this.#origin.feed(roomId, here, 0)
      const due = items.filter(({ sequence }) => sequence <= through)
      if (due.length === 0) throw new CrateFault(`Room ${roomId} has no entry ${here + 1} there, of which something is named.`)
      await this.#take(roomId, { items: due, ...page }, depth)
    }
  }
}

function unknown(roomId: string): never {
  throw new CrateFault(`Nothing is said of where Room ${roomId} comes from.`)
}
