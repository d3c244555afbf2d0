/** Sessions of signed-in browsers. */
import { limits } from "../contract/limits.ts"
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import { isoTime, type World } from "../ledger/world.ts"
import { PERSON, type Person, personOf, type PersonRow } from "./people.ts"
import { mintToken, tokenDigest, tokenForm } from "./tokens.ts"

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
