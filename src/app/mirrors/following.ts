/** Follows the origin of a mirrored Room: proves each new write there and replays it here. */
import { firstPreviousDigest } from "../../contract/answers/chain.ts"
import type { Described } from "../../contract/answers/description.ts"
import { parse } from "../../contract/json.ts"
import { isoTime } from "../../ledger/world.ts"
import type { RoomSource } from "../../rooms/imported.ts"
import { CrateFault } from "../../research/import/crate-file.ts"
import { describedBy } from "../../research/import/origin.ts"
import { Withholdings } from "../../research/import/withheld.ts"
import { Prover, type ProvedWrite } from "../../research/import/writes.ts"
import { fetchFigures } from "./figures.ts"
import { ProvedReplay, mustBeExplained, mustNotBeOwn } from "./proved-replay.ts"
import type { Instance } from "../compose/instance.ts"
import type { Pauses } from "../serving/tasks.ts"
import { type Origin, Unreachable, WAIT, OriginShorter } from "./origin.ts"
import type { FeedPage } from "./origin-answers.ts"
import { dropDiffering, otherInstance, partingFrom } from "./parting.ts"

/** How many writes are replayed in one transaction. Other requests may have to wait for these. */
const GROUP = 10
/** The longest chain of citing Rooms that is followed. */
const DEPTH = 50

/** The Room was removed from the mirrors in the meantime, or follows another address. */
export class MirrorRemoved extends Error {
  override readonly name = "NoLongerFollowed"
}

/** Entries of the Room were dropped here in the meantime. */
class EntriesDropped extends Error {
  override readonly name = "EntriesDropped"
}

/** Why a mirror cannot be followed now: its origin does not answer, or the disk here cannot be written. */
export type Failure = "origin" | "storage"

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
  /** The digests of pictures that were requested from the origin. */
  readonly #requestedFigures = new Set<string>()
  /** The last known entry of the Room at the origin. */
  #originSequence = 0

  constructor(
    instance: Instance,
    origin: Origin,
    { roomId, baseUrl }: { readonly roomId: string; readonly baseUrl: string },
  ) {
    this.#instance = instance
    this.#origin = origin
    this.#roomId = roomId
    this.#baseUrl = baseUrl
  }

  async run(signal: AbortSignal, pauses: Pauses, onRecovered: (failure: Failure) => void): Promise<void> {
    const roomId = this.#roomId
    await this.#readOrigin(roomId)
    mustNotBeOwn(this.#instance, roomId)
    await this.#mustMatchOrigin(roomId)
    while (!signal.aborted) {
      const after = this.#through(roomId)
      if (this.#provers.get(roomId)?.sequence !== after) await this.#mustMatchOrigin(roomId)
      const requestedAt = performance.now()
      const page = await this.#page(after)
      onRecovered("origin")
      // An honest origin holds a request open while it has nothing new.
      const isHeld = performance.now() - requestedAt > (WAIT * 1000) / 2
      // Behind a proxy, another instance may replace this one between two responses.
      if (page.items.length > 0 && !page.hasMore) await this.#readOrigin(roomId)
      if (page.items.length === 0 && !isHeld) await pauses.next(signal)
      this.#originSequence = Math.max(this.#originSequence, page.nextCursor)
      if (!(await this.#replayPage(page))) continue
      await fetchFigures(this.#instance, this.#origin, roomId, this.#requestedFigures)
      // Everything that the origin had at that moment is here, so the writes that withheld words must be here too.
      if (!page.hasMore) mustBeExplained(this.#instance, roomId)
      await this.#noteContact()
      onRecovered("storage")
      if (page.items.length > 0 || isHeld) pauses.reset()
    }
  }

  /**
   * Replays the writes of a page of the Room.
   * @returns false if entries of the Room were dropped in the meantime
   * @throws CrateFault with the first entry that differs, if the histories differ
   */
  async #replayPage(page: FeedPage): Promise<boolean> {
    const through = this.#through(this.#roomId)
    try {
      await this.#replayItems(this.#roomId, page, 0)
      return true
    } catch (error) {
      if (error instanceof EntriesDropped) return false
      if (!(error instanceof CrateFault)) throw error
      await this.#mustMatchOrigin(this.#roomId)
      if (this.#through(this.#roomId) >= through) throw error
      return false
    }
  }

  /**
   * Reads the entries after one. @throws CrateFault if the origin was restored from an older copy and its history
   * differs
   */
  async #page(after: number): Promise<FeedPage> {
    try {
      return await this.#origin.feed(this.#roomId, after, WAIT)
    } catch (error) {
      if (error instanceof OriginShorter) await this.#mustMatchOrigin(this.#roomId)
      throw error
    }
  }

  #through(roomId: string): number {
    return this.#instance.ledger.activity.watermark(roomId)
  }

  /**
   * Reads where a Room comes from: the followed instance, or the one from which that instance has it.
   * @throws CrateFault if another instance answers at the address now
   */
  async #readOrigin(roomId: string): Promise<void> {
    const [serving, room] = await Promise.all([this.#origin.instance(), this.#origin.room(roomId)])
    const other = otherInstance(this.#instance, serving, roomId)
    if (other !== null) throw new CrateFault(other)
    if (roomId === this.#roomId) {
      if (room.origin !== null)
        throw new CrateFault(`The Room ${roomId} is itself from ${room.origin.baseUrl}; follow it there.`)
      this.#originSequence = room.activityWatermark
      await this.#noteContact()
    }
    const source = room.origin === null ? {} : { ...room.origin, toldBy: this.#baseUrl }
    this.#from.set(roomId, { ...serving.from, ...source, ...(room.adopted.length > 0 && { adopted: room.adopted }) })
  }

  /**
   * Proves that the last entry here is the same at the origin. Entries that were imported with other Rooms are replaced
   * if the Room's own instance has others.
   * @throws CrateFault if the entry differs
   */
  async #mustMatchOrigin(roomId: string): Promise<void> {
    const { ledger, tables } = this.#instance
    const parting = await partingFrom(this.#instance, this.#origin, roomId)
    if (parting !== null) {
      const { sequence, why } = parting
      if (roomId !== this.#roomId || !tables.leaving.cameAlong(roomId, sequence)) throw new CrateFault(why)
      await dropDiffering(this.#instance, { roomId, from: sequence }, this.#baseUrl)
    }
    const through = this.#through(roomId)
    const [last] = through === 0 ? [] : ledger.activity.after(roomId, through - 1, undefined, 1)
    const digest = last === undefined ? firstPreviousDigest : parse(last.body).digest
    this.#provers.set(roomId, new Prover(roomId, this.#withheld, ` of Room ${roomId}`, { sequence: through, digest }))
  }

  /** Notes when the origin answered, and its last entry. */
  #noteContact(): Promise<unknown> {
    const { ledger, tables, world } = this.#instance
    return ledger.transact(() =>
      tables.mirrors.heard(this.#roomId, this.#baseUrl, this.#originSequence, isoTime(world.now())),
    )
  }

  /**
   * If words of a page may be withheld, reads which later writes withhold them. Each of these is proved when its turn
   * comes.
   */
  async #lookAhead(roomId: string, items: FeedPage["items"]): Promise<void> {
    const first = items.find(({ write }) => JSON.stringify([write.body, write.client]).includes('"withheld"'))
    if (first === undefined) return
    for await (const write of this.#origin.withholdings(roomId, first.sequence)) this.#withheld.note(roomId, write)
  }

  /** Replays the items of a page, each after the entries of other Rooms that it cites. */
  async #replayItems(roomId: string, { items }: FeedPage, depth: number): Promise<void> {
    await this.#lookAhead(roomId, items)
    let group: ProvedWrite[] = []
    const flush = async () => {
      if (group.length > 0) await this.#replay(roomId, group)
      group = []
    }
    for (const { write, ...entry } of items) {
      const { people, cites, ...written } = write
      for (const { userId, username } of [entry.actor, ...people]) this.#people.set(userId, username)
      for (const person of people) {
        const description = describedBy(person)
        if (description !== undefined) this.#described.set(person.userId, description)
      }
      const proved = this.#provers.get(roomId)?.prove(entry, written)
      if (proved === undefined) throw new Error(`the Room ${roomId} is not followed`)
      const missing = cites.filter((cited) => this.#through(cited.roomId) < cited.through)
      if (missing.length > 0) await flush()
      for (const cited of missing) await this.#ensure(cited.roomId, cited.through, depth + 1)
      group.push(proved)
      if (group.length === GROUP) await flush()
    }
    await flush()
  }

  async #replay(roomId: string, group: readonly ProvedWrite[]): Promise<void> {
    const { ledger } = this.#instance
    await ledger.transact(() => {
      // The mirror may have been removed while the request was open.
      if (!this.#instance.tables.mirrors.follows(this.#roomId, this.#baseUrl)) throw new MirrorRemoved()
      if ((group[0]?.sequence ?? 0) > this.#through(roomId) + 1) throw new EntriesDropped()
      const arriving = new ProvedReplay(this.#instance, {
        from: (id) => this.#from.get(id) ?? this.#instance.tables.imported.from(id) ?? unknown(id),
        people: this.#people,
        isAlong: (id) => id !== this.#roomId,
      })
      for (const write of group) arriving.take(write)
      arriving.describe(this.#described, this.#from.get(roomId)?.instanceId ?? "", this.#baseUrl)
    })
    // Descriptions of people who are not here yet are kept: a later write may name them.
    for (const userId of this.#described.keys())
      if (this.#instance.tables.people.findRemote(this.#baseUrl, userId) !== undefined) this.#described.delete(userId)
    ledger.watch.landed(roomId)
    await ledger.cleanse()
  }

  /** Replays another Room up to the entry that a write of this one cites. */
  async #ensure(roomId: string, through: number, depth: number): Promise<void> {
    const mirror = this.#instance.tables.mirrors.all().find((each) => each.roomId === roomId && each.stopped === null)
    if (mirror !== undefined && mirror.baseUrl !== this.#baseUrl)
      throw new Unreachable(
        `Room ${roomId}, which is cited, is followed at ${mirror.baseUrl} and is not up to date yet.`,
      )
    if (depth > DEPTH) throw new CrateFault(`The chain of Rooms that Room ${this.#roomId} cites is too long.`)
    if (!this.#from.has(roomId)) await this.#readOrigin(roomId)
    await this.#mustMatchOrigin(roomId)
    for (let here = this.#through(roomId); here < through; here = this.#through(roomId)) {
      const { items, ...page } = await this.#origin.feed(roomId, here, 0)
      const due = items.filter(({ sequence }) => sequence <= through)
      if (due.length === 0)
        throw new CrateFault(`Entry ${here + 1} of Room ${roomId} is cited, and the origin does not have it.`)
      await this.#replayItems(roomId, { items: due, ...page }, depth)
    }
  }
}

function unknown(roomId: string): never {
  throw new CrateFault(`The origin of Room ${roomId} is not given.`)
}
