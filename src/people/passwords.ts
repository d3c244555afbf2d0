/** Password hashes: scrypt, off the main thread, at most two at once; who is known here goes first. */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import { Refusal } from "../contract/refusals/refusal.ts"
import { intoLine } from "./slow-lane.ts"

const COST = { N: 2 ** 14, r: 8, p: 5 }
const KEY_BYTES = 32
/** Each hash takes 16 MiB and a tenth of a second; more at once would starve the rest of the service. */
const AT_ONCE = 2
const WAITING = 64

let running = 0
interface Waiting {
  resolve(): void
  reject(why: Refusal): void
}
/** Strangers, who may be a flood, wait behind those who are known. */
const lines: Readonly<Record<"known" | "stranger", Waiting[]>> = { known: [], stranger: [] }
export type Line = keyof typeof lines

const crowded = () =>
  new Refusal("too_many_requests", "Too many people sign in at this moment. Try again in a few seconds.", { retryAfter: 5 })

async function derive(password: string, salt: Buffer, cost: typeof COST, line: Line): Promise<Buffer> {
  // Whoever waited is given the place of the one who is done.
  if (running < AT_ONCE) running += 1
  else await new Promise<void>((resolve, reject) => intoLine<Waiting>(lines[line], { resolve, reject }, WAITING)?.reject(crowded()))
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

/** `scrypt$N$r$p$salt$key`, so that the cost can be raised later without losing anyone. */
export async function hashPassword(password: string, bytes: (count: number) => Buffer = randomBytes): Promise<string> {
  const salt = bytes(16)
  const key = await derive(password, salt, COST, "known")
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64url"), key.toString("base64url")].join("$")
}

/** Takes as long for a person who does not exist as for one who does. */
const nobody = `scrypt$${COST.N}$${COST.r}$${COST.p}$${"A".repeat(22)}$${"A".repeat(43)}`

/**
 * Whether `password` is the one that was hashed; `undefined` stands for an unknown person, and an empty text for one without a password: neither is ever right.
 * @throws Refusal `too_many_requests` when too many wait; nobody has looked at it then
 */
export async function passwordMatches(password: string, stored: string | undefined, line: Line): Promise<boolean> {
  const [, N, r, p, salt = "", key = ""] = (stored || nobody).split("$")
  const expected = Buffer.from(key, "base64url")
  const derived = await derive(password, Buffer.from(salt, "base64url"), { N: Number(N), r: Number(r), p: Number(p) }, line)
  return stored !== undefined && stored !== "" && derived.length === expected.length && timingSafeEqual(derived, expected)
}
