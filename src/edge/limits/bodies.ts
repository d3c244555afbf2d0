/**
 * The memory of bodies in flight. A body counts for what it holds, from its first byte until its request is answered. When
 * there is no room, the body that has received nothing for longest is dropped, so a stalled client does not stop an active one.
 */
import type { Refusal } from "../../contract/refusals/refusal.ts"
import { type Counts, overBudget } from "./counts.ts"

/** Bytes that a body counts for at least: its request takes memory too. */
const LEAST = 4_096

/** A body that is received. */
export class HeldBody {
  readonly key: string
  held = LEAST
  /** When something last came, counted in pieces of all bodies. */
  cameAt = 0
  readonly giveUp: (refusal: Refusal) => void

  constructor(key: string, giveUp: (refusal: Refusal) => void) {
    this.key = key
    this.giveUp = giveUp
  }
}

export class Bodies {
  readonly #counts: Counts
  /** Those that are not whole. */
  readonly #coming = new Set<HeldBody>()
  /** Pieces that came so far. */
  #pieces = 0

  constructor(counts: Counts) {
    this.#counts = counts
  }

  /** Bytes that are held. */
  get bytes(): number {
    return this.#counts.sum
  }

  /** Begins a body. @param giveUp told when it must give way to others. @throws Refusal */
  open(key: string, giveUp: (refusal: Refusal) => void): HeldBody {
    const body = new HeldBody(key, giveUp)
    if (!this.#makeRoom(body, LEAST)) throw tooMany()
    this.#counts.add(key, LEAST)
    this.#coming.add(body)
    body.cameAt = this.#pieces
    return body
  }

  /** Something came: the body now holds so many bytes. @throws Refusal where there is no room */
  grow(body: HeldBody, held: number): void {
    this.#pieces += 1
    body.cameAt = this.#pieces
    const more = Math.max(LEAST, held) - body.held
    if (more <= 0) return
    if (!this.#makeRoom(body, more)) throw tooMany()
    this.#counts.add(body.key, more)
    body.held += more
  }

  /** The body is whole: it no longer gives way. */
  whole(body: HeldBody): void {
    this.#coming.delete(body)
  }

  /** Its request is answered. */
  close(body: HeldBody): void {
    this.#coming.delete(body)
    this.#counts.add(body.key, -body.held)
    body.held = 0
  }

  #makeRoom(body: HeldBody, more: number): boolean {
    while (this.#counts.isOver(body.key, more)) {
      // Where a caller's own share is used up, others have no part in it.
      const other = this.#idlest(body, this.#counts.isOver(null, more) ? null : body.key)
      if (other === null) return false
      this.close(other)
      other.giveUp(tooMany())
    }
    return true
  }

  /** The one for which nothing has come for longest, but for `body`; of one caller or, for null, of all. */
  #idlest(body: HeldBody, key: string | null): HeldBody | null {
    let idlest: HeldBody | null = null
    for (const other of this.#coming) {
      if (other === body || (key !== null && other.key !== key)) continue
      if (idlest === null || other.cameAt < idlest.cameAt) idlest = other
    }
    return idlest
  }
}

const tooMany = (): Refusal => {
  const refusal = overBudget("The service is receiving too many bytes of request bodies")
  refusal.details.headers = { connection: "close" }
  return refusal
}
