/**
 * Tokens: a prefix for the kind, 30 random characters (178 bits), and a checksum that detects a typo before any lookup.
 * Only a digest of a token is stored.
 */
import { crc32 } from "node:zlib"

/** The prefix of each kind of token. */
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

/** Makes a token. @param bytes returns that many random bytes */
export function mintToken(kind: TokenKind, bytes: (count: number) => Buffer): string {
  let random = ""
  while (random.length < RANDOM_LENGTH) {
    // 248 is the largest multiple of 62 in a byte. Higher values are skipped, so that all characters are equally likely.
    for (const byte of bytes(RANDOM_LENGTH)) if (byte < 248 && random.length < RANDOM_LENGTH) random += ALPHABET[byte % 62]
  }
  const token = `${tokenPrefixes[kind]}${random}`
  return `${token}${checksum(token)}`
}

/** Returns the first 8 characters of a token, which identify it if it leaks (24 of its 178 bits). Null in a replay, which has no tokens. */
export const tokenStart = (token: string): string | null => (token === "" ? null : token.slice(0, 8))

export { tokenDigest } from "../ledger/journal/chance.ts"

/** Checks the form of a token: `foreign` for another kind or no token at all, `mistyped` if the length or checksum is wrong. */
export function tokenForm(kind: TokenKind, token: string): "whole" | "mistyped" | "foreign" {
  if (!token.startsWith(tokenPrefixes[kind])) return "foreign"
  const body = token.slice(0, -CHECKSUM_LENGTH)
  const wellFormed = token.length === tokenPrefixes[kind].length + RANDOM_LENGTH + CHECKSUM_LENGTH
  return wellFormed && checksum(body) === token.slice(-CHECKSUM_LENGTH) ? "whole" : "mistyped"
}
