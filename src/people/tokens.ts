/**
 * Tokens: a prefix for the kind, 30 random characters (178 bits), and a checksum that detects a typo before any lookup.
 * Only a digest of a token is stored. Programs bear two kinds of them, Room credentials and personal keys.
 */
import { crc32 } from "node:zlib"
import { limits } from "../contract/limits.ts"
import { Refusal } from "../contract/refusals.ts"
import { tokenDigest } from "../ledger/world.ts"
import type { Db } from "../ledger/storage/database.ts"
import { isoTime } from "../ledger/world.ts"

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

const PREFIXES = Object.values(tokenPrefixes)
const BODY_LENGTH = RANDOM_LENGTH + CHECKSUM_LENGTH
const TOKEN = new RegExp(`(?:${PREFIXES.join("|")})[0-9A-Za-z]{${BODY_LENGTH}}`, "g")
/** What may be the beginning of a token, at the end of a text. */
const BEGUN = new RegExp(
  `(?:${PREFIXES.flatMap((prefix) => [1, 2, 3].map((length) => prefix.slice(0, length))).join("|")}` +
    `|(?:${PREFIXES.join("|")})[0-9A-Za-z]{0,${BODY_LENGTH - 1}})$`,
)
const LONGEST_BEGUN = tokenPrefixes.credential.length + BODY_LENGTH - 1

/**
 * Masks every token in a text that arrives in chunks, across their borders too. Nothing else of it changes, and a chunk
 * without a token is passed on as it is: many buffers would make V8 collect garbage.
 * @param onMasked called for each token
 */
export async function* maskingTokens(
  chunks: AsyncIterable<Uint8Array>,
  onMasked: () => void,
): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array()
  for await (const chunk of chunks) {
    let bytes =
      rest.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : Buffer.concat([rest, chunk])
    if (PREFIXES.some((prefix) => bytes.includes(prefix, 0, "latin1"))) {
      // A token is ASCII, so each byte may stand as a character, whatever the text is.
      const masked = bytes.toString("latin1").replace(TOKEN, () => {
        onMasked()
        return "[masked]"
      })
      bytes = Buffer.from(masked, "latin1")
    }
    const begun = BEGUN.exec(bytes.toString("latin1", Math.max(0, bytes.length - LONGEST_BEGUN)))
    const end = bytes.length - (begun?.[0].length ?? 0)
    rest = Uint8Array.from(bytes.subarray(end))
    if (end > 0) yield bytes.subarray(0, end)
  }
  if (rest.length > 0) yield rest
}

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
    // 248 is the largest multiple of 62 in a byte. Higher values are skipped, so that all characters are equally
    // likely.
    for (const byte of bytes(RANDOM_LENGTH))
      if (byte < 248 && random.length < RANDOM_LENGTH) random += ALPHABET[byte % 62]
  }
  const token = `${tokenPrefixes[kind]}${random}`
  return `${token}${checksum(token)}`
}

/**
 * Returns the first 8 characters of a token, which identify it if it leaks (24 of its 178 bits). Null in a replay,
 * which has no tokens.
 */
export const tokenStart = (token: string): string | null => (token === "" ? null : token.slice(0, 8))

export { tokenDigest }

/**
 * Checks the form of a token: `foreign` for another kind or no token at all, `mistyped` if the length or checksum is
 * wrong.
 */
export function tokenForm(kind: TokenKind, token: string): "whole" | "mistyped" | "foreign" {
  if (!token.startsWith(tokenPrefixes[kind])) return "foreign"
  const body = token.slice(0, -CHECKSUM_LENGTH)
  const wellFormed = token.length === tokenPrefixes[kind].length + RANDOM_LENGTH + CHECKSUM_LENGTH
  return wellFormed && checksum(body) === token.slice(-CHECKSUM_LENGTH) ? "whole" : "mistyped"
}

const DAY = 86_400_000

/**
 * Returns when a credential or key expires: as chosen, else after 90 days. @throws Refusal 422 for a time in the past
 * or too far ahead
 */
export function expiry(chosen: string | undefined, at: string): string {
  const now = Date.parse(at)
  if (chosen === undefined) return isoTime(now + limits.credentialDaysDefault * DAY)
  const lifetime = Date.parse(chosen) - now
  if (lifetime > 0 && lifetime <= limits.credentialDaysMax * DAY) return chosen
  const message = `must be in the future, at most ${limits.credentialDaysMax} days ahead`
  throw new Refusal("invalid_schema", `expiresAt ${message}.`, { issues: [{ path: "/expiresAt", message }] })
}

/** When a credential or key ends. */
export interface TokenLife {
  readonly expiresAt: string
  readonly revokedAt: string | null
}

const kinds = {
  credential: {
    name: "credential",
    foreign: "This is not a Room credential.",
    other: tokenPrefixes.personalKey,
    mixedUp: "A personal key opens the Library only; this route takes a Room credential.",
  },
  personalKey: {
    name: "personal key",
    foreign: "This is not a personal key.",
    other: tokenPrefixes.credential,
    mixedUp: "A Room credential does not open a Library; this route takes a personal key.",
  },
} as const

const refused = (reason: string) => new Refusal("not_authenticated", reason)

/**
 * Returns the digest under which a token is stored. @throws Refusal `not_authenticated` for a token that is malformed
 * or of the other kind
 */
function bearerDigest(kind: keyof typeof kinds, token: string): string {
  const { name, foreign, other, mixedUp } = kinds[kind]
  const form = tokenForm(kind, token)
  if (form === "foreign") throw refused(token.startsWith(other) ? mixedUp : foreign)
  if (form === "mistyped") throw refused(`This ${name} is mistyped or cut off: its checksum does not match.`)
  return tokenDigest(token)
}

/**
 * Returns the row that was found for a token. @throws Refusal `not_authenticated` if there is none, or if it was
 * revoked or has expired
 */
function mustBeValid<L extends TokenLife>(kind: keyof typeof kinds, found: L | undefined, at: string): L {
  const { name } = kinds[kind]
  if (found === undefined) throw refused(`This ${name} is unknown here.`)
  if (found.revokedAt !== null) throw refused(`This ${name} was revoked at ${found.revokedAt}.`)
  if (found.expiresAt <= at) throw refused(`This ${name} expired at ${found.expiresAt}.`)
  return found
}

/** Milliseconds between two updates of a token's last use: not every read should cost a write. */
const LAST_USE_STEP = 60_000

function usesDue(): (id: string, at: string) => boolean {
  const lastUpdates = new Map<string, number>()
  return (id, at) => {
    const now = Date.parse(at)
    if (now - (lastUpdates.get(id) ?? 0) < LAST_USE_STEP) return false
    lastUpdates.set(id, now)
    return true
  }
}

/** How many tokens a process remembers. */
const REMEMBERED = 1_000

/** A table of credentials or keys, and how to present its rows. */
interface Bearers<Row, Shown> {
  readonly kind: keyof typeof kinds
  readonly table: string
  readonly key: string
  /** SQL that selects all rows, without WHERE. */
  readonly select: string
  readonly shown: (row: Row) => Shown
}

/** Finds, lists and revokes the credentials or keys of a table. */
export function bearers<Row extends TokenLife, Shown>(
  db: Db,
  { kind, table, key, select, shown }: Bearers<Row, Shown>,
) {
  const byDigest = db.prepare<Row>(`${select} WHERE token_digest = +?`)
  const byId = db.prepare<Row>(`${select} WHERE ${key} = +?`)
  const listed = db.prepare<Row>(`${select} WHERE ${key} < +? ORDER BY ${key} DESC LIMIT +?`)
  const all = db.prepare<Row>(`${select} ORDER BY ${key}`)
  const life = db.prepare<TokenLife>(
    `SELECT expires_at AS expiresAt, revoked_at AS revokedAt FROM ${table} WHERE ${key} = +?`,
  )
  const revoke = db.prepare(`UPDATE ${table} SET revoked_at = +? WHERE ${key} = +? AND revoked_at IS NULL`)
  const revokeAllOf = db.prepare(`UPDATE ${table} SET revoked_at = +? WHERE user_id = +? AND revoked_at IS NULL`)
  const inUse = db.prepare<{ userId: string; count: number }>(
    `SELECT user_id AS userId, count(*) AS count FROM ${table}
     WHERE user_id IN (SELECT value FROM json_each(+?)) AND revoked_at IS NULL AND expires_at > +? GROUP BY user_id`,
  )
  const used = db.prepare(
    `UPDATE ${table}
      SET last_used_at = +?
      WHERE ${key} = +? AND (last_used_at IS NULL OR last_used_at NOT BETWEEN +? AND +?)`,
  )

  /** Tokens that were valid when they were last looked up, by digest. */
  const remembered = new Map<string, { readonly row: Row; readonly shown: Shown }>()
  function lookedUp(digest: string, at: string) {
    const row = mustBeValid(kind, byDigest.get(digest), at)
    const found = { row, shown: shown(row) }
    if (remembered.size >= REMEMBERED) remembered.clear()
    remembered.set(digest, found)
    return found
  }

  return {
    /**
     * Returns the credential or key of a token. @throws Refusal `not_authenticated` with the reason, unless the token
     * is valid now
     */
    opened: (token: string, at: string): Shown => lookedUp(bearerDigest(kind, token), at).shown,
    /**
     * The same from memory, if this process has seen the token. Nothing of it changes but when it ends, and that must
     * be checked again: by `confirm` in the transaction of the write, or by `opened` if the write is refused before.
     */
    recognised(token: string, at: string): Shown {
      const digest = bearerDigest(kind, token)
      const found = remembered.get(digest)
      if (found === undefined) return lookedUp(digest, at).shown
      mustBeValid(kind, found.row, at)
      return found.shown
    },
    /**
     * Checks again, in the transaction of a write, that a credential or key is valid. @throws Refusal
     * `not_authenticated`
     */
    confirm(id: string, at: string): void {
      mustBeValid(kind, life.get(id), at)
    },
    /** The same for one whose times were just read. */
    mustLast(found: TokenLife | undefined, at: string): void {
      mustBeValid(kind, found, at)
    },
    isUseDue: usesDue(),
    /**
     * Stores the time of a use, unless the stored one is recent. A stored time in the future, from a wrong clock, is
     * replaced. @param lastUsedAt the stored one, if it was just read
     */
    used(id: string, at: string, lastUsedAt: string | null = null): void {
      const now = Date.parse(at)
      // Compared as numbers: every write comes here, and most need no text of another time.
      const age = lastUsedAt === null ? Number.POSITIVE_INFINITY : now - Date.parse(lastUsedAt)
      if (age < 0 || age > LAST_USE_STEP) used.run(at, id, isoTime(now - LAST_USE_STEP), at)
    },

    find(id: string): Shown | undefined {
      const row = byId.get(id)
      return row && shown(row)
    },
    /**
     * Returns rows of all users, newest first. @param before the last id of the previous page; null for the first page
     */
    page: (before: string | null, count: number): Shown[] => listed.all(before ?? "g", count).map(shown),
    all: (): Shown[] => all.all().map(shown),
    revoke: (id: string, at: string) => revoke.run(at, id),
    /** Revokes all of a person's tokens, including expired ones, since the clock may be wrong. @returns how many */
    revokeAllOf: (userId: string, at: string): number => revokeAllOf.run(at, userId),
    /** Returns how many tokens of each person are in use. People without any are left out. */
    inUse: (userIds: readonly string[], at: string): ReadonlyMap<string, number> =>
      new Map(inUse.all(JSON.stringify(userIds), at).map(({ userId, count }) => [userId, count])),
  }
}
