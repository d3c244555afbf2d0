/** Bearer tokens of programs, which are Room credentials and personal keys: checks the form, looks the token up, and checks that it is valid. */
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Db } from "../ledger/storage/database.ts"
import { isoTime } from "../ledger/world.ts"
import { tokenDigest, tokenForm, tokenPrefixes } from "./tokens.ts"

interface TokenLife {
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

/** Returns the digest under which a token is stored. @throws Refusal `not_authenticated` for a token that is malformed or of the other kind */
function bearerDigest(kind: keyof typeof kinds, token: string): string {
  const { name, foreign, other, mixedUp } = kinds[kind]
  const form = tokenForm(kind, token)
  if (form === "foreign") throw refused(token.startsWith(other) ? mixedUp : foreign)
  if (form === "mistyped") throw refused(`This ${name} is mistyped or cut off: its checksum does not match.`)
  return tokenDigest(token)
}

/** Returns the row that was found for a token. @throws Refusal `not_authenticated` if there is none, or if it was revoked or has expired */
function mustBeValid<L extends TokenLife>(kind: keyof typeof kinds, found: L | undefined, at: string): L {
  const { name } = kinds[kind]
  if (found === undefined) throw refused(`This ${name} is unknown here.`)
  if (found.revokedAt !== null) throw refused(`This ${name} was revoked at ${found.revokedAt}.`)
  if (found.expiresAt <= at) throw refused(`This ${name} expired at ${found.expiresAt}.`)
  return found
}

/** Milliseconds between two updates of a token's last use: not every read should cost a write. */
const LAST_USE_STEP = 60_000

/** Returns a function that tells whether the last use of a credential or key should be updated. */
function usesDue(): (id: string, at: string) => boolean {
  const lastUpdates = new Map<string, number>()
  return (id, at) => {
    const now = Date.parse(at)
    if (now - (lastUpdates.get(id) ?? 0) < LAST_USE_STEP) return false
    lastUpdates.set(id, now)
    return true
  }
}

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
export function bearers<Row extends TokenLife, Shown>(db: Db, { kind, table, key, select, shown }: Bearers<Row, Shown>) {
  const byDigest = db.prepare<Row>(`${select} WHERE token_digest = +?`)
  const byId = db.prepare<Row>(`${select} WHERE ${key} = +?`)
  const listed = db.prepare<Row>(`${select} WHERE ${key} < +? ORDER BY ${key} DESC LIMIT +?`)
  const all = db.prepare<Row>(`${select} ORDER BY ${key}`)
  const life = db.prepare<TokenLife>(`SELECT expires_at AS expiresAt, revoked_at AS revokedAt FROM ${table} WHERE ${key} = +?`)
  const revoke = db.prepare(`UPDATE ${table} SET revoked_at = +? WHERE ${key} = +? AND revoked_at IS NULL`)
  const revokeAllOf = db.prepare(`UPDATE ${table} SET revoked_at = +? WHERE user_id = +? AND revoked_at IS NULL`)
  const used = db.prepare(
    `UPDATE ${table} SET last_used_at = +? WHERE ${key} = +? AND (last_used_at IS NULL OR last_used_at NOT BETWEEN +? AND +?)`,
  )

  return {
    /** Returns the credential or key of a token. @throws Refusal `not_authenticated` with the reason, unless the token is valid now */
    opened: (token: string, at: string): Shown => shown(mustBeValid(kind, byDigest.get(bearerDigest(kind, token)), at)),
    /** Checks again, in the transaction of a write, that a credential or key is valid. @throws Refusal `not_authenticated` */
    confirm(id: string, at: string): void {
      mustBeValid(kind, life.get(id), at)
    },
    isUseDue: usesDue(),
    /** Stores the time of a use, unless the stored one is recent. A stored time in the future, from a wrong clock, is replaced. */
    used: (id: string, at: string) => used.run(at, id, isoTime(Date.parse(at) - LAST_USE_STEP), at),

    find(id: string): Shown | undefined {
      const row = byId.get(id)
      return row && shown(row)
    },
    /** Returns rows of all users, newest first. @param before the last id of the previous page; null for the first page */
    page: (before: string | null, count: number): Shown[] => listed.all(before ?? "g", count).map(shown),
    all: (): Shown[] => all.all().map(shown),
    revoke: (id: string, at: string) => revoke.run(at, id),
    /** Revokes all of a person's tokens, including expired ones, since the clock may be wrong. @returns how many */
    revokeAllOf: (userId: string, at: string): number => revokeAllOf.run(at, userId),
  }
}
