/** What a program comes in with, a Room credential or a personal key: whether it is one, is known here, and still holds. */
import { Refusal } from "../contract/refusals/refusal.ts"
import type { Db } from "../ledger/storage/database.ts"
import { isoTime } from "../ledger/world.ts"
import { tokenDigest, tokenForm, tokenPrefixes } from "./tokens.ts"

/** How long a token holds. */
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

const refused = (why: string) => new Refusal("not_authenticated", why)

/** The digest that a token is known by. @throws Refusal `not_authenticated`, saying what is wrong with it as far as its holder may know */
function bearerDigest(kind: keyof typeof kinds, token: string): string {
  const { name, foreign, other, mixedUp } = kinds[kind]
  const form = tokenForm(kind, token)
  if (form === "foreign") throw refused(token.startsWith(other) ? mixedUp : foreign)
  if (form === "mistyped") throw refused(`This ${name} is mistyped or cut off: its checksum does not match.`)
  return tokenDigest(token)
}

/** What was found of a token. @throws Refusal `not_authenticated` where nothing was, and when it is over */
function mustHold<L extends TokenLife>(kind: keyof typeof kinds, found: L | undefined, at: string): L {
  const { name } = kinds[kind]
  if (found === undefined) throw refused(`This ${name} is unknown here.`)
  if (found.revokedAt !== null) throw refused(`This ${name} was revoked at ${found.revokedAt}.`)
  if (found.expiresAt <= at) throw refused(`This ${name} expired at ${found.expiresAt}.`)
  return found
}

/** The last use of a token is noted at most this often, in milliseconds: it must not cost a write each time. */
const LAST_USE_STEP = 60_000

/** The moment before which a use must have been noted last, for one to be noted again; one noted in the future by a wrong clock is noted again too. */
const lastUseBefore = (at: string): string => isoTime(Date.parse(at) - LAST_USE_STEP)

/** Says of each credential or key whether a use is to be noted: reads are uses too, and must not cost a write each time. */
function usesDue(): (id: string, at: string) => boolean {
  /** When a use was last noted, in milliseconds. */
  const noted = new Map<string, number>()
  return (id, at) => {
    const now = Date.parse(at)
    if (now - (noted.get(id) ?? 0) < LAST_USE_STEP) return false
    noted.set(id, now)
    return true
  }
}

/** A table of credentials or keys, and how its rows are shown. */
interface Bearers<Row, Shown> {
  readonly kind: keyof typeof kinds
  readonly table: string
  readonly key: string
  /** SQL that selects all of them. */
  readonly select: string
  readonly shown: (row: Row) => Shown
}

/** Credentials, or keys: found by their tokens or ids, listed, and revoked. */
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
    /**
     * What a token opens, at the moment of asking.
     * @throws Refusal `not_authenticated`, saying what is wrong with the token as far as its holder may know
     */
    opened: (token: string, at: string): Shown => shown(mustHold(kind, byDigest.get(bearerDigest(kind, token)), at)),
    /** The recheck of every write. @throws Refusal `not_authenticated` */
    confirm(id: string, at: string): void {
      mustHold(kind, life.get(id), at)
    },
    /** Whether a use is to be noted. */
    isUseDue: usesDue(),
    /** Notes a use, at most once in a while. */
    used: (id: string, at: string) => used.run(at, id, lastUseBefore(at), at),

    find(id: string): Shown | undefined {
      const row = byId.get(id)
      return row && shown(row)
    },
    /** Everybody's, the newest first. @param before an id to go on before; null for the newest */
    page: (before: string | null, count: number): Shown[] => listed.all(before ?? "g", count).map(shown),
    /** Everybody's. */
    all: (): Shown[] => all.all().map(shown),
    revoke: (id: string, at: string) => revoke.run(at, id),
    /** Revokes all of a person's; expired ones too, since the clock may be wrong. @returns how many */
    revokeAllOf: (userId: string, at: string): number => revokeAllOf.run(at, userId),
  }
}
