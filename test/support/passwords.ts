/**
 * A password is hashed for a quarter of a second, and most tests sign several people in. In the process of a test it takes a
 * thousandth: what is stored still names the cost that the service asks for. Programs that a test starts hash as they are served.
 */
import crypto from "node:crypto"
import { syncBuiltinESMExports } from "node:module"

const { scrypt } = crypto

/** Makes every hash of this process cheap. */
export function hashCheaply(): void {
  const cheap = (password: string, salt: Buffer, bytes: number, asked: crypto.ScryptOptions, done: Parameters<typeof scrypt>[4]) =>
    scrypt(password, salt, bytes, { ...asked, N: 2, p: 1 }, done)
  Object.assign(crypto, { scrypt: cheap })
  syncBuiltinESMExports()
}

/** For tests of the hashes themselves, and of data that a program opens after this process: at the full cost again. */
export function hashAsServed(): void {
  Object.assign(crypto, { scrypt })
  syncBuiltinESMExports()
}
