/**
 * Hashing a password takes a quarter of a second, and most tests sign in several people. In the process of a test it
 * takes a thousandth: the stored hash still names the cost that the service sets. Programs that a test starts hash at
 * full cost.
 */
import crypto from "node:crypto"
import { syncBuiltinESMExports } from "node:module"

const { scrypt } = crypto

/** Makes every hash of this process cheap. */
export function hashCheaply(): void {
  const cheap = (
    password: string,
    salt: Buffer,
    bytes: number,
    asked: crypto.ScryptOptions,
    done: Parameters<typeof scrypt>[4],
  ) => scrypt(password, salt, bytes, { ...asked, N: 2, p: 1 }, done)
  Object.assign(crypto, { scrypt: cheap })
  syncBuiltinESMExports()
}

/** Restores the full cost, for tests of the hashes themselves and of data that a program opens after this process. */
export function hashAsServed(): void {
  Object.assign(crypto, { scrypt })
  syncBuiltinESMExports()
}
