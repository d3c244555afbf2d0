/** Room credentials: their table, authentication by token, and checks on the names of their agents. */
import type { CredentialSummary, Person } from "../contract/answers/index.ts"
import type { Permission } from "../contract/schema/enumerations.ts"
import { parse, type Stored } from "../contract/json.ts"
import { limits } from "../contract/limits.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import type { Token } from "../ledger/journal/chance.ts"
import { bearers, tokenStart } from "../people/tokens.ts"

/**
 * Reduces a name to a form that names of the same appearance share: without invisible characters, repeated spaces, case
 * and compatibility forms.
 */
const comparableName = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/[\p{Cf}\p{Cc}]/gu, "")
    .replace(/\s+/gu, " ")
    .trim()
    .toLowerCase()

/**
 * For each script that UAX 31 recommends, or set of scripts written together: matches a letter that is in none of them.
 */
const foreignLetters = [
  ...[
    ["Latin", "Han", "Hiragana", "Katakana"],
    ["Latin", "Han", "Bopomofo"],
    ["Latin", "Han", "Hangul"],
  ],
  ...[
    "Arabic",
    "Armenian",
    "Bengali",
    "Cyrillic",
    "Devanagari",
    "Ethiopic",
    "Georgian",
    "Greek",
    "Gujarati",
    "Gurmukhi",
    "Hebrew",
  ],
  ...[
    "Kannada",
    "Khmer",
    "Lao",
    "Malayalam",
    "Myanmar",
    "Oriya",
    "Sinhala",
    "Tamil",
    "Telugu",
    "Thaana",
    "Thai",
    "Tibetan",
  ],
].map((scripts) => {
  const letters = [scripts].flat().map((script) => `\\p{Script_Extensions=${script}}`)
  return new RegExp(`(?=[\\p{L}\\p{M}])[^${letters.join("")}\\p{Script=Common}\\p{Script=Inherited}]`, "u")
})

/** Control characters, line breaks, and characters that change the direction of the text around the name. */
const UNRULY = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/**
 * Returns why a name is not acceptable for an agent; null if it is. Letters of different scripts can look alike, so a
 * name must not mix scripts ("highly restrictive" in UTS 39).
 */
export function faultOfName(name: string): string | null {
  if (UNRULY.test(name)) return "must be one line without control characters and direction marks"
  const letters = name.normalize("NFKC")
  return foreignLetters.some((pattern) => !pattern.test(letters))
    ? null
    : "must not mix letters of several scripts, which look alike"
}

export interface Credential extends CredentialSummary {
  readonly roomId: string
}

type Row = Omit<Credential, "owner" | "permissions" | "threadIds"> &
  Person & { readonly permissions: Stored<Permission[]>; readonly threadIds: Stored<string[]> | null }

const credential = ({ userId, username, permissions, threadIds, ...row }: Row): Credential => ({
  ...row,
  owner: { userId, username },
  permissions: parse(permissions),
  threadIds: threadIds && parse(threadIds),
})

const SELECT = `SELECT c.credential_id AS credentialId, c.room_id AS roomId, c.user_id AS userId, p.username, c.label,
    c.permissions, c.thread_ids AS threadIds, c.token_start AS tokenStart,
  c.created_at AS createdAt, c.expires_at AS expiresAt, c.revoked_at AS revokedAt, c.last_used_at AS lastUsedAt
  FROM credentials c JOIN people p USING (user_id)`

/** The actor of a credential, with the credential. */
type Bearer = Actor & { readonly credential: Credential }

export type Credentials = ReturnType<typeof credentials>

export function credentials(db: Db) {
  const insert = inserting(db, "credentials")
  const bearing = bearers(db, {
    kind: "credential",
    table: "credentials",
    key: "credential_id",
    select: SELECT,
    shown: credential,
  })
  const ofRoom = db.prepare<Row>(`${SELECT} WHERE c.room_id = +? ORDER BY c.credential_id`)
  const ending = db.prepare<{ roomId: string; label: string; at: string }>(
    `SELECT c.room_id AS roomId, c.label, c.expires_at AS at
      FROM members m
      CROSS JOIN credentials c USING (room_id, user_id)
     WHERE m.user_id = +? AND c.revoked_at IS NULL AND c.expires_at > +? AND c.expires_at <= +?
      ORDER BY c.expires_at
      LIMIT 50`,
  )
  const liveNames = db.prepare<{ credentialId: string; label: string }>(
    `SELECT credential_id AS credentialId, label
      FROM credentials
      WHERE room_id = +? AND user_id = +? AND revoked_at IS NULL AND expires_at > +?`,
  )
  const revokeAll = db.prepare(
    "UPDATE credentials SET revoked_at = +? WHERE room_id = +? AND user_id = +? AND revoked_at IS NULL",
  )

  return {
    ...bearing,
    /** Returns a person's credentials that expire between two times, at most 50, earliest first. */
    endingOf: (userId: string, from: string, until: string) => ending.all(userId, from, until),

    insert(row: Omit<Credential, "tokenStart" | "revokedAt" | "lastUsedAt">, { token, digest }: Token): void {
      insert({
        ...row,
        tokenDigest: digest,
        tokenStart: tokenStart(token),
        userId: row.owner.userId,
        permissions: JSON.stringify(row.permissions),
        threadIds: row.threadIds && JSON.stringify(row.threadIds),
      })
    },

    /**
     * Returns the actor of a bearer token. @param by how it is looked up @throws Refusal `not_authenticated` with the
     * reason, unless the token is valid now
     */
    authenticate(token: string, at: string, by: "opened" | "recognised" = "opened"): Bearer {
      const found = bearing[by](token, at)
      const { credentialId, roomId } = found
      const grant = {
        credentialId,
        roomId,
        permissions: new Set(found.permissions),
        threadIds: found.threadIds && new Set(found.threadIds),
      }
      return { ...found.owner, agent: found.label, grant, credential: found }
    },

    /**
     * Returns an unused agent name: the wanted one, or the wanted one with the lowest number that is free among live
     * credentials.
     * @param besides a credential whose own name does not count as used
     */
    freeName(roomId: string, userId: string, wanted: string, at: string, besides?: string): string {
      const others = liveNames.all(roomId, userId, at).filter(({ credentialId }) => credentialId !== besides)
      const taken = new Set(others.map(({ label }) => comparableName(label)))
      if (!taken.has(comparableName(wanted))) return wanted
      const numbered = (number: number) => `${[...wanted].slice(0, limits.credentialLabel - 5).join("")}-${number}`
      let number = 2
      while (taken.has(comparableName(numbered(number)))) number += 1
      return numbered(number)
    },
    ofRoom: (roomId: string): Credential[] => ofRoom.all(roomId).map(credential),
    revokeAll: (roomId: string, userId: string, at: string) => revokeAll.run(at, roomId, userId),
  }
}
