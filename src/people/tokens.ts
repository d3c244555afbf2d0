/**
 * Tokens: a prefix that says what it opens, 30 characters of chance (178 bits) and a checksum, so that a typo is told
 * from a token that never was, before anything is looked up. Only a digest is ever stored.
 */
import { crc32 } from "node:zlib"

/** What each kind of token starts with. */
export const tokenPrefixes = {
  credential: "rrc_",
  personalKey: "rrk_",
  session: "rrs_",
  invitation: "rri_",
  setup: "rru_",
} as const
export type TokenKind = keyof typeof tokenPrefixes

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const RANDOM_LENGTH = 30
const CHECKSUM_LENGTH = 6

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ""
  for (let place = 0; place < CHECKSUM_LENGTH; place += 1) {
    digits = ALPHABET[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** Makes a token from the chance that `bytes` gives. */
export function mintToken(kind: TokenKind, bytes: (count: number) => Buffer): string {
  let random = ""
  while (random.length < RANDOM_LENGTH) {
    // 248 is the largest multiple of 62 in a byte: above it, letters would not be equally likely.
    for (const byte of bytes(RANDOM_LENGTH)) if (byte < 248 && random.length < RANDOM_LENGTH) random += ALPHABET[byte % 62]
  }
  const token = `${tokenPrefixes[kind]}${random}`
  return `${token}${checksum(token)}`
}

/** The first signs of a token, by which it is known again where it turned up (24 bits of its 178). Null in a replay: nobody has it any more. */
export const tokenStart = (token: string): string | null => (token === "" ? null : token.slice(0, 8))

export { tokenDigest } from "../ledger/journal/chance.ts"

/** Whether a text is a whole token of its kind: `foreign` for another kind's or none, `mistyped` when the checksum is off. */
export function tokenForm(kind: TokenKind, token: string): "whole" | "mistyped" | "foreign" {
  if (!token.startsWith(tokenPrefixes[kind])) return "foreign"
  const body = token.slice(0, -CHECKSUM_LENGTH)
  const wellFormed = token.length === tokenPrefixes[kind].length + RANDOM_LENGTH + CHECKSUM_LENGTH
  return wellFormed && checksum(body) === token.slice(-CHECKSUM_LENGTH) ? "whole" : "mistyped"
}
