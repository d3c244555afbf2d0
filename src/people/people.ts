/** The people of this instance. */
import type { Db } from "../ledger/database.ts"

export interface Person {
  readonly userId: string
  readonly username: string
  readonly isOperator: boolean
}

/** A person as a row. */
export type PersonRow = Omit<Person, "isOperator"> & { readonly isOperator: number }
export const PERSON = "p.user_id AS userId, p.username, p.is_operator AS isOperator"
const person = <More>({ isOperator, ...row }: PersonRow & More) => ({ ...row, isOperator: isOperator === 1 })
export const personOf = (row: PersonRow | undefined): Person | undefined => row && person(row)

export type People = ReturnType<typeof people>

export function people(db: Db) {
  const insert = db.prepare("INSERT INTO people (user_id, username, password_hash, is_operator, created_at) VALUES (?, ?, ?, ?, ?)")
  const byId = db.prepare<PersonRow>(`SELECT ${PERSON} FROM people p WHERE user_id = ?`)
  const byName = db.prepare<PersonRow>(`SELECT ${PERSON} FROM people p WHERE username = ?`)
  const hash = db.prepare<{ passwordHash: string }>("SELECT password_hash AS passwordHash FROM people WHERE user_id = ?")
  const setHash = db.prepare("UPDATE people SET password_hash = ? WHERE user_id = ?")
  const any = db.prepare("SELECT 1 FROM people LIMIT 1")
  const all = db.prepare<PersonRow & { createdAt: string }>(`SELECT ${PERSON}, p.created_at AS createdAt FROM people p ORDER BY user_id`)

  return {
    insert: (userId: string, username: string, passwordHash: string, isOperator: boolean, at: string) =>
      insert.run(userId, username, passwordHash, isOperator ? 1 : 0, at),
    withId: (userId: string): Person | undefined => personOf(byId.get(userId)),
    named: (username: string): Person | undefined => personOf(byName.get(username)),
    /** The id of somebody, by id or name. */
    idOf: (idOrName: string): string | undefined => (byId.get(idOrName.toLowerCase()) ?? byName.get(idOrName))?.userId,
    passwordHash: (userId: string): string | undefined => hash.get(userId)?.passwordHash,
    setPasswordHash: (userId: string, passwordHash: string) => setHash.run(passwordHash, userId),
    /** Whether anybody exists: until then the one-time set-up link is open. */
    exist: (): boolean => any.get() !== undefined,
    all: () => all.all().map(person),
  }
}
