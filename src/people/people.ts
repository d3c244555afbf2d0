/** The people of this instance with their sessions, and the people of other instances who are named in Rooms. */
import { createHash } from "node:crypto"
import type { Described, Named } from "../contract/nouns/people.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import { limits } from "../contract/limits.ts"
import { isoTime, type World } from "../ledger/world.ts"
import { mintToken, tokenDigest, tokenForm } from "./tokens.ts"

export interface Person {
  readonly userId: string
  readonly username: string
  readonly isOperator: boolean
}

/** A person of another instance. */
export interface RemotePerson {
  /** Their id on that instance. */
  readonly userId: string
  /** Their username on that instance. */
  readonly knownAs: string
  readonly instanceId: string
  /** The address of the instance whose activity names them. */
  readonly baseUrl: string
}

/** Returns a substitute id for a person of another instance whose id is taken here. */
function idInsteadOf(userId: string, baseUrl: string): string {
  const hex = createHash("sha256").update(`${baseUrl} ${userId}`).digest("hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** SQL columns for how a person wants to be cited. @param of the alias of the people table */
export const DESCRIBED = (of: string): string =>
  `${of}.name, ${of}.given_name AS givenName, ${of}.family_name AS familyName, ${of}.orcid`

export type PersonRow = Omit<Person, "isOperator"> & { readonly isOperator: number }
export const PERSON = "p.user_id AS userId, p.username, p.is_operator AS isOperator"
const person = <More>({ isOperator, ...row }: PersonRow & More) => ({ ...row, isOperator: isOperator === 1 })
export const personOf = (row: PersonRow | undefined): Person | undefined => row && person(row)

export type People = ReturnType<typeof people>

export function people(db: Db) {
  const insert = inserting(db, "people")
  const byId = db.prepare<PersonRow>(`SELECT ${PERSON} FROM people p WHERE user_id = +?`)
  const byName = db.prepare<PersonRow>(`SELECT ${PERSON} FROM people p WHERE username = +? AND instance_id IS NULL`)
  const shownAs = db.prepare<{ userId: string }>("SELECT user_id AS userId FROM people WHERE username = +?")
  const remote = db.prepare<{ userId: string; knownAs: string }>(
    `SELECT user_id AS userId, known_as AS knownAs
      FROM people
      WHERE base_url = +? AND coalesce(id_there, user_id) = +?`,
  )
  const described = db.prepare<Named & { readonly instanceId: string | null }>(
    `SELECT user_id AS userId, username, ${DESCRIBED("p")}, instance_id AS instanceId FROM people p WHERE user_id = +?`,
  )
  const describe = db.prepare(
    "UPDATE people SET name = +?, given_name = +?, family_name = +?, orcid = +? WHERE user_id = +?",
  )
  const hash = db.prepare<{ passwordHash: string }>(
    "SELECT password_hash AS passwordHash FROM people WHERE user_id = +?",
  )
  const setHash = db.prepare("UPDATE people SET password_hash = +? WHERE user_id = +?")
  const ofHere = db.prepare<PersonRow & { disabledAt: string | null }>(
    `SELECT ${PERSON}, p.disabled_at AS disabledAt FROM people p WHERE user_id = +? AND instance_id IS NULL`,
  )
  const disable = db.prepare("UPDATE people SET disabled_at = +? WHERE user_id = +?")
  const setOperator = db.prepare("UPDATE people SET is_operator = +? WHERE user_id = +?")
  const otherOperator = db.prepare(
    "SELECT 1 FROM people WHERE is_operator = 1 AND disabled_at IS NULL AND user_id <> +? LIMIT 1",
  )
  const clearCount = db.prepare("UPDATE people SET count_cleared_at = +? WHERE user_id = +?")
  const cleared = db.prepare<{ clearedAt: string | null }>(
    "SELECT count_cleared_at AS clearedAt FROM people WHERE user_id = +?",
  )
  const signedIn = db.prepare("UPDATE people SET signed_in_at = +? WHERE user_id = +?")
  const any = db.prepare("SELECT 1 FROM people WHERE instance_id IS NULL LIMIT 1")
  const disabledAmong = db.prepare<{ userId: string; disabledAt: string }>(
    `SELECT p.user_id AS userId, p.disabled_at AS disabledAt
      FROM json_each(+?)
      CROSS JOIN people p ON p.user_id = json_each.value
      WHERE p.disabled_at IS NOT NULL`,
  )
  const listed = db.prepare<PersonRow & { createdAt: string; signedInAt: string | null; disabledAt: string | null }>(
    `SELECT ${PERSON}, p.created_at AS createdAt, p.signed_in_at AS signedInAt, p.disabled_at AS disabledAt
      FROM people p
     WHERE instance_id IS NULL AND user_id < +? ORDER BY user_id DESC LIMIT +?`,
  )
  const all = db.prepare<
    PersonRow & Described & { createdAt: string; signedInAt: string | null; disabledAt: string | null }
  >(
    `SELECT ${PERSON}, ${DESCRIBED("p")}, p.created_at AS createdAt, p.signed_in_at AS signedInAt,
        p.disabled_at AS disabledAt FROM people p WHERE instance_id IS NULL ORDER BY user_id`,
  )

  return {
    insert: (userId: string, username: string, passwordHash: string, isOperator: boolean, at: string) =>
      insert({ userId, username, passwordHash, isOperator: isOperator ? 1 : 0, createdAt: at }),
    withId: (userId: string): Person | undefined => personOf(byId.get(userId)),
    named: (username: string): Person | undefined => personOf(byName.get(username)),
    /** Returns the id of a person of any instance, by id or by their name here. */
    idOf: (idOrName: string): string | undefined => (byId.get(idOrName.toLowerCase()) ?? shownAs.get(idOrName))?.userId,
    /** Finds a person of another instance. @returns their id here and their username there */
    findRemote: (baseUrl: string, userId: string) => remote.get(baseUrl, userId),
    /**
     * Adds a person of another instance, who cannot sign in. @param place that instance's host and path, for their name
     * here
     */
    addRemote({ userId, knownAs, instanceId, baseUrl }: RemotePerson, place: string, at: string): void {
      const names = [`${knownAs}@${place}`, `${knownAs}@${place}~${instanceId.slice(0, 8)}`]
      const free = names.find((name) => shownAs.get(name) === undefined) ?? `${knownAs}@${place}~${userId}`
      const isTaken = byId.get(userId) !== undefined
      insert({
        userId: isTaken ? idInsteadOf(userId, baseUrl) : userId,
        username: free,
        passwordHash: "",
        isOperator: 0,
        createdAt: at,
        instanceId,
        knownAs,
        baseUrl,
        idThere: isTaken ? userId : null,
      })
    },
    /** Returns a person of any instance, with how they want to be cited. */
    described: (userId: string) => described.get(userId),
    describe: (userId: string, { name, givenName, familyName, orcid }: Described) =>
      describe.run(name, givenName, familyName, orcid, userId),
    passwordHash: (userId: string): string | undefined => hash.get(userId)?.passwordHash,
    setPasswordHash: (userId: string, passwordHash: string) => setHash.run(passwordHash, userId),
    /** Returns a person of this instance, with the time they were disabled. */
    ofHere(userId: string) {
      const row = ofHere.get(userId)
      return row && person(row)
    },
    /** Whether a user may sign in and act: a person of this instance who is not disabled. */
    isEnabled: (userId: string): boolean => ofHere.get(userId)?.disabledAt === null,
    isOperator(userId: string): boolean {
      const row = ofHere.get(userId)
      return row?.isOperator === 1 && row.disabledAt === null
    },
    otherOperators: (userId: string): boolean => otherOperator.get(userId) !== undefined,
    disable: (userId: string, at: string) => disable.run(at, userId),
    enable: (userId: string) => disable.run(null, userId),
    setOperator: (userId: string, isOperator: boolean) => setOperator.run(isOperator ? 1 : 0, userId),
    clearCount: (userId: string, at: string) => clearCount.run(at, userId),
    /** Returns when the user's failed sign-ins were last cleared; "" for never. */
    countCleared: (userId: string): string => cleared.get(userId)?.clearedAt ?? "",
    signedIn: (userId: string, at: string) => signedIn.run(at, userId),
    /** Whether this instance has users. Until it does, the set-up link works. */
    exist: (): boolean => any.get() !== undefined,
    /** Returns the disabled users among the given ids, with the time they were disabled. */
    disabledAmong: (userIds: readonly string[]): ReadonlyMap<string, string> =>
      new Map(disabledAmong.all(JSON.stringify(userIds)).map(({ userId, disabledAt }) => [userId, disabledAt])),
    /**
     * Returns users of this instance, newest first. @param before the last id of the previous page; null for the first
     * page
     */
    page: (before: string | null, count: number) => listed.all(before ?? "g", count).map(person),
    all: () => all.all().map(person),
  }
}

// Sessions of signed-in browsers.

export type Sessions = ReturnType<typeof sessions>

export function sessions(db: Db, world: World) {
  const insert = inserting(db, "sessions")
  const find = db.prepare<PersonRow>(
    `SELECT ${PERSON} FROM sessions s JOIN people p USING (user_id)
     WHERE s.token_digest = +? AND s.expires_at > +? AND p.disabled_at IS NULL`,
  )
  const remove = db.prepare("DELETE FROM sessions WHERE token_digest = +?")
  const removeAll = db.prepare("DELETE FROM sessions WHERE user_id = +?")
  const removeExpired = db.prepare("DELETE FROM sessions WHERE user_id = +? AND expires_at <= +?")

  return {
    /** Starts a session. @returns its token for the cookie, and its lifetime in seconds */
    start(userId: string): { token: string; maxAge: number } {
      const now = world.now()
      const maxAge = limits.sessionDays * 86_400
      const token = mintToken("session", (count) => world.bytes(count))
      removeExpired.run(userId, isoTime(now))
      insert({
        tokenDigest: tokenDigest(token),
        userId,
        createdAt: isoTime(now),
        expiresAt: isoTime(now + maxAge * 1000),
      })
      return { token, maxAge }
    },
    person(token: string): Person | undefined {
      if (tokenForm("session", token) !== "whole") return undefined
      return personOf(find.get(tokenDigest(token), isoTime(world.now())))
    },
    end: (token: string) => remove.run(tokenDigest(token)),
    endAll: (userId: string) => removeAll.run(userId),
  }
}
