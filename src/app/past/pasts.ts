/** Rooms as they were: made once for all who ask, kept for the next one, the least recently asked thrown away first. */
import { badParameter, Refusal } from "../../contract/refusals/refusal.ts"
import { limits } from "../../contract/limits.ts"
import type { Past, Pasts } from "../../edge/past-rooms.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { openScratch } from "../../ledger/storage/opening.ts"
import type { Instance } from "../compose/instance.ts"
import { instanceThen } from "./opened-past.ts"
import { makePast, type PastOrder } from "./past-work.ts"

/** A database that was made, and what takes it away. */
export interface PastDatabase {
  readonly db: Db
  /** Where it is; null in memory. */
  readonly file: string | null
  readonly bytes: number
  readonly discard: () => void
}
export interface Maker {
  /** Makes one; null if that would mean replaying more than the limit. */
  make(order: PastOrder): Promise<PastDatabase | null>
  /** Takes away what is left, once nothing more is made. */
  close(): void
}

/** How much may be replayed for one moment, how many are kept, and how many bytes of them. */
export interface PastNumbers {
  readonly most: PastOrder["most"]
  readonly kept: number
  readonly keptBytes: number
}
const standardNumbers: PastNumbers = {
  most: { entries: limits.pastEntries, contentBytes: limits.pastContentBytes, bytes: limits.pastBytes },
  kept: limits.pastKept,
  keptBytes: limits.pastKeptBytes,
}

interface CachedPast {
  readonly made: PastDatabase
  readonly instance: Instance
  readonly asOf: Past["asOf"]
  readers: number
  isGone: boolean
}

/** Rooms of which it is remembered that they are too large. */
const KNOWN = 10_000

/** The refusal of a moment that takes too much work. @param entries writes that may be replayed */
export const tooLarge = (entries: number = limits.pastEntries): Refusal =>
  new Refusal(
    "past_too_large",
    `To answer as of that entry would mean replaying more than ${entries.toLocaleString("en")} writes of the Room and the Rooms it cites. Ask without at, or as of an earlier entry.`,
  )

export class KeptPasts implements Pasts {
  readonly #live: Instance
  readonly #maker: Maker
  readonly #basePath: string
  readonly #numbers: PastNumbers
  /** By Room and entry, the one asked last behind the others. */
  readonly #kept = new Map<string, CachedPast>()
  readonly #making = new Map<string, Promise<CachedPast>>()
  /** The first entry of a Room that is known to lie behind too much: all later ones do. */
  readonly #tooLarge = new Map<string, number>()
  #closed = false

  constructor(live: Instance, maker: Maker, basePath: string, numbers: PastNumbers = standardNumbers) {
    this.#live = live
    this.#maker = maker
    this.#basePath = basePath
    this.#numbers = numbers
  }

  async of(roomId: string, sequence: number): Promise<Past> {
    if (this.#closed) throw new Refusal("temporarily_unavailable", "The service is ending.", { retryAfter: 5 })
    const key = `${roomId} ${sequence}`
    const kept = this.#kept.get(key) ?? (await this.#shared(key, roomId, sequence))
    // It may have been thrown away between two turns.
    if (kept.isGone) return this.of(roomId, sequence)
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    kept.readers += 1
    this.#makeRoom()
    return {
      roomId,
      asOf: kept.asOf,
      file: kept.made.file,
      instance: kept.instance,
      [Symbol.dispose]: () => {
        kept.readers -= 1
        if (kept.isGone && kept.readers === 0) kept.made.discard()
      },
    }
  }

  /** Callers that come while it is made wait for the same one. */
  #shared(key: string, roomId: string, sequence: number): Promise<CachedPast> {
    const making = this.#making.get(key) ?? this.#begin(roomId, sequence)
    if (!this.#making.has(key)) {
      this.#making.set(key, making)
      const done = () => this.#making.delete(key)
      making.then((kept) => {
        if (this.#closed) this.#throwAway(kept)
        else this.#kept.set(key, kept)
      }, done)
      making.then(done, done)
    }
    return making
  }

  async #begin(roomId: string, sequence: number): Promise<CachedPast> {
    const { ledger, instanceId, lineage } = this.#live
    const place = ledger.activity.placeOf(roomId, sequence)
    if (place === undefined) {
      const watermark = ledger.activity.watermark(roomId)
      const { message, details } = badParameter("at", `must be an entry of the Room's activity, at most the watermark, ${watermark}`)
      throw new Refusal("invalid_parameter", message, { ...details, current: { watermark } })
    }
    const { most } = this.#numbers
    if (sequence >= (this.#tooLarge.get(roomId) ?? Number.POSITIVE_INFINITY)) throw tooLarge(most.entries)
    const made = await this.#maker.make({ roomId, sequence, most })
    if (made === null) {
      if (this.#tooLarge.size >= KNOWN) this.#tooLarge.clear()
      this.#tooLarge.set(roomId, sequence)
      throw tooLarge(most.entries)
    }
    const asOf = { sequence, acceptedAt: place.acceptedAt }
    const instance = instanceThen(made.db, asOf, { instanceId, lineage, basePath: this.#basePath })
    return { made, instance, asOf, readers: 0, isGone: false }
  }

  /** Throws away what was asked for least recently, until the rest has room. */
  #makeRoom(): void {
    let bytes = 0
    for (const { made } of this.#kept.values()) bytes += made.bytes
    for (const [key, kept] of this.#kept) {
      if (this.#kept.size <= this.#numbers.kept && bytes <= this.#numbers.keptBytes) return
      if (kept.readers > 0) continue
      this.#kept.delete(key)
      this.#throwAway(kept)
      bytes -= kept.made.bytes
    }
  }

  /** Something was withheld: what was made before may hold it still. What is being made is thrown away when it is there. */
  forget(): void {
    for (const kept of this.#kept.values()) this.#throwAway(kept)
    this.#kept.clear()
    for (const making of this.#making.values()) making.then((kept) => this.#dropped(kept)).catch(() => undefined)
    this.#making.clear()
  }

  #dropped(kept: CachedPast): void {
    for (const [key, each] of this.#kept) if (each === kept) this.#kept.delete(key)
    if (!kept.isGone) this.#throwAway(kept)
  }

  #throwAway(kept: CachedPast): void {
    kept.isGone = true
    if (kept.readers === 0) kept.made.discard()
  }

  /** Throws everything away; what is still being made is thrown away when it is there. */
  close(): void {
    this.#closed = true
    for (const kept of this.#kept.values()) this.#throwAway(kept)
    this.#kept.clear()
    this.#maker.close()
  }
}

/** Rooms as they were, made by this thread in memory, for callers without a service. */
export function pastsOnThisThread(live: Instance, basePath: string, numbers?: PastNumbers): KeptPasts {
  const maker: Maker = {
    async make(order) {
      const db = openScratch(":memory:")
      const { entries } = live.db.snapshot(() => makePast(live.db, db, order))
      if (entries === null) db.close()
      return entries === null ? null : { db, file: null, bytes: 0, discard: () => db.close() }
    },
    close() {},
  }
  return new KeptPasts(live, maker, basePath, numbers)
}
