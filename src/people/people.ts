/** The people of this instance. */
import type { Db } from "../ledger/database.ts"

export interface Person {
  readonly userId: string
  readonly username: string
  readonly isOperator: boolean
}

interface Row {
  user_id: string
  username: string
  is_operator: number
}
const person = (row: Row | undefined): Person | undefined =>
  row && { userId: row.user_id, username: row.username, isOperator: row.is_operator === 1 }

export type People = ReturnType<typeof people>

export function people(db: Db) {
  const insert = db.prepare("INSERT INTO people (user_id, username, password_hash, is_operator, created_at) VALUES (?, ?, ?, ?, ?)")
  const byId = db.prepare<Row>("SELECT user_id, username, is_operator FROM people WHERE user_id = ?")
  const byName = db.prepare<Row>("SELECT user_id, username, is_operator FROM people WHERE username = ?")
  const hash = db.prepare<{ password_hash: string }>("SELECT password_hash FROM people WHERE user_id = ?")
  const setHash = db.prepare("UPDATE people SET password_hash = ? WHERE user_id = ?")
  const any = db.prepare("SELECT 1 FROM people LIMIT 1")
  const all = db.prepare<Row & { created_at: string }>("SELECT user_id, username, is_operator, created_at FROM people ORDER BY user_id")

  return {
    insert: (userId: string, username: string, passwordHash: string, isOperator: boolean, at: string) =>
      insert.run(userId, username, passwordHash, isOperator ? 1 : 0, at),
    withId: (userId: string): Person | undefined => person(byId.get(userId)),
    named: (username: string): Person | undefined => person(byName.get(username)),
    passwordHash: (userId: string): string | undefined => hash.get(userId)?.password_hash,
    setPasswordHash: (userId: string, passwordHash: string) => setHash.run(passwordHash, userId),
    /** Whether anybody exists: until then the one-time set-up link is open. */
    exist: (): boolean => any.get() !== undefined,
    all: () => all.all().map((row) => ({ ...(person(row) as Person), createdAt: row.created_at })),
  }
}
