/** Password hashes: scrypt, off the main thread, two at a time. Sign-ins from known addresses go first. */
import { limits } from "../contract/limits.ts"
import { Refusal } from "../contract/refusals.ts"
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"

// Admits attempts for the same key one at a time, a few seconds apart. Earlier attempts cannot block later ones.

/** Attempts that can wait in one lane. */
const QUEUED = limits.signInsWaiting
const LANES = 1_000

/** Calls that wait for their turn. */
type WaitingLine = { resolve(): void; reject(refusal: Refusal): void }[]

const full = () =>
  new Refusal("too_many_requests", "Many passwords are being tried for this name. Try again in a few seconds.", {
    retryAfter: limits.signInsWaiting,
  })

/**
 * Waits in a line of limited length until resolved by the holder of the line. If the line is full, a random call in it
 * is refused, so that a flood cannot block the line for everyone else.
 */
const waitIn = (line: WaitingLine, maxLength: number, refusal: () => Refusal): Promise<void> =>
  new Promise((resolve, reject) => {
    line.push({ resolve, reject })
    if (line.length > maxLength) line.splice(Math.floor(Math.random() * line.length), 1)[0]?.reject(refusal())
  })

export class SlowLanes {
  readonly #lanes = new Map<string, WaitingLine>()
  readonly #pause: (then: () => void) => void

  /** @param pause calls back when the next attempt may start */
  constructor(pause: (then: () => void) => void = (then) => void setTimeout(then, limits.signInSlowedSeconds * 1_000)) {
    this.#pause = pause
  }

  /** Resolves when the attempt may start. @throws Refusal `too_many_requests` if too many are waiting */
  async turn(key: string): Promise<void> {
    const line = this.#lanes.get(key)
    if (line === undefined) {
      if (this.#lanes.size >= LANES) throw full()
      this.#lanes.set(key, [])
      this.#pause(() => this.#next(key))
      return
    }
    await waitIn(line, QUEUED, full)
  }

  #next(key: string): void {
    const next = this.#lanes.get(key)?.shift()
    if (next === undefined) {
      this.#lanes.delete(key)
      return
    }
    next.resolve()
    this.#pause(() => this.#next(key))
  }
}

const COST = { N: 2 ** 14, r: 8, p: 5 }
const KEY_BYTES = 32
/** Each hash takes 16 MiB and a tenth of a second: more at a time would starve the rest of the service. */
const AT_ONCE = 2
const WAITING = 64

let running = 0
/** Strangers, who may be part of a flood, wait behind known users. */
const lines: Readonly<Record<"known" | "stranger", WaitingLine>> = { known: [], stranger: [] }
type Line = keyof typeof lines

const crowded = () =>
  new Refusal("too_many_requests", "Too many people are signing in. Try again in a few seconds.", { retryAfter: 5 })

async function derive(password: string, salt: Buffer, cost: typeof COST, line: Line): Promise<Buffer> {
  // A waiting call takes over the slot of the one that finished, so `running` stays the same.
  if (running < AT_ONCE) running += 1
  else await waitIn(lines[line], WAITING, crowded)
  try {
    return await new Promise((resolve, reject) => {
      scrypt(password.normalize("NFC"), salt, KEY_BYTES, { ...cost, maxmem: 64 * 1024 * 1024 }, (error, key) =>
        error ? reject(error) : resolve(key),
      )
    })
  } finally {
    const next = lines.known.shift() ?? lines.stranger.shift()
    if (next === undefined) running -= 1
    else next.resolve()
  }
}

/**
 * Returns `scrypt$N$r$p$salt$key`. The cost is stored with the hash, so it can be raised without breaking old hashes.
 */
export async function hashPassword(password: string, bytes: (count: number) => Buffer = randomBytes): Promise<string> {
  const salt = bytes(16)
  const key = await derive(password, salt, COST, "known")
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64url"), key.toString("base64url")].join("$")
}

/** A hash to compare with for an unknown user, so that the answer takes as long as for a known one. */
const nobody = `scrypt$${COST.N}$${COST.r}$${COST.p}$${"A".repeat(22)}$${"A".repeat(43)}`

/**
 * Checks a password against a stored hash. Nothing matches `undefined`, for an unknown user, or "", for a user without
 * a password.
 * @throws Refusal `too_many_requests` if too many are waiting; the password was then not checked
 */
export async function passwordMatches(password: string, stored: string | undefined, line: Line): Promise<boolean> {
  const [, N, r, p, salt = "", key = ""] = (stored || nobody).split("$")
  const expected = Buffer.from(key, "base64url")
  const derived = await derive(
    password,
    Buffer.from(salt, "base64url"),
    { N: Number(N), r: Number(r), p: Number(p) },
    line,
  )
  return (
    stored !== undefined && stored !== "" && derived.length === expected.length && timingSafeEqual(derived, expected)
  )
}
