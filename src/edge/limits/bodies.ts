/**
 * Limits the memory of request bodies. A body counts from its first byte until its request is answered. When the budget is
 * used up, the body that has been idle longest is dropped, so a stalled client does not block an active one.
 */
import type { Refusal } from "../../contract/refusals/refusal.ts"
import { type Counts, overBudget } from "./counts.ts"

/** Bytes counted for even the smallest body: its request takes memory too. */
const LEAST = 4_096

/** A body being received. */
export class HeldBody {
  readonly key: string
  held = LEAST
  /** The value of the piece counter when this body last received data. */
  cameAt = 0
  readonly giveUp: (refusal: Refusal) => void

  constructor(key: string, giveUp: (refusal: Refusal) => void) {
    this.key = key
    this.giveUp = giveUp
  }
}

export class Bodies {
  readonly #counts: Counts
  /** Bodies not yet received in full. */
  readonly #coming = new Set<HeldBody>()
  /** Pieces received so far, of all bodies. */
  #pieces = 0

  constructor(counts: Counts) {
    this.#counts = counts
  }

  /** Bytes held now. */
  get bytes(): number {
    return this.#counts.sum
  }

  /** Starts counting a body. @param giveUp called when the body is dropped in favour of others @throws Refusal */
  open(key: string, giveUp: (refusal: Refusal) => void): HeldBody {
    const body = new HeldBody(key, giveUp)
    if (!this.#makeRoom(body, LEAST)) throw tooMany()
    this.#counts.add(key, LEAST)
    this.#coming.add(body)
    body.cameAt = this.#pieces
    return body
  }

  /** Updates the number of bytes that a body holds. @throws Refusal if the budget is used up */
  grow(body: HeldBody, held: number): void {
    this.#pieces += 1
    body.cameAt = this.#pieces
    const more = Math.max(LEAST, held) - body.held
    if (more <= 0) return
    if (!this.#makeRoom(body, more)) throw tooMany()
    this.#counts.add(body.key, more)
    body.held += more
  }

  /** Marks the body as complete: it is no longer dropped. */
  whole(body: HeldBody): void {
    this.#coming.delete(body)
  }

  /** Releases the body's bytes when its request is answered. */
  close(body: HeldBody): void {
    this.#coming.delete(body)
    this.#counts.add(body.key, -body.held)
    body.held = 0
  }

  #makeRoom(body: HeldBody, more: number): boolean {
    while (this.#counts.isOver(body.key, more)) {
      // If the caller has used up its own share, only its own bodies are dropped.
      const other = this.#idlest(body, this.#counts.isOver(null, more) ? null : body.key)
      if (other === null) return false
      this.close(other)
      other.giveUp(tooMany())
    }
    return true
  }

  /** The incomplete body that has been idle longest, except `body`. @param key one caller; null for all callers */
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
