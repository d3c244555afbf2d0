/** Connections between users and accounts of the group's identity provider, one to one. */
import type { Db } from "../ledger/storage/database.ts"
import { inserting } from "../ledger/storage/inserting.ts"
import { PERSON, type Person, personOf, type PersonRow } from "./people.ts"
import type { Identity } from "./provider/provider.ts"

export type ProviderAccount = Pick<Identity, "issuer" | "subject">
export type Connections = ReturnType<typeof connections>

export function connections(db: Db) {
  const find = db.prepare<PersonRow>(
    `SELECT ${PERSON} FROM provider_accounts a JOIN people p USING (user_id) WHERE a.issuer = +? AND a.subject = +?`,
  )
  const own = db.prepare<{ issuer: string }>("SELECT issuer FROM provider_accounts WHERE user_id = +?")
  const insert = inserting(db, "provider_accounts")
  const remove = db.prepare("DELETE FROM provider_accounts WHERE user_id = +?")

  return {
    person: ({ issuer, subject }: ProviderAccount): Person | undefined => personOf(find.get(issuer, subject)),
    /** Returns the issuer of a person's provider account. */
    issuerOf: (userId: string): string | undefined => own.get(userId)?.issuer,
    /** Connects an account and removes the person's previous one, which may be from another provider. */
    connect(userId: string, { issuer, subject }: ProviderAccount, at: string): void {
      remove.run(userId)
      insert({ issuer, subject, userId, connectedAt: at })
    },
    disconnect: (userId: string) => remove.run(userId),
  }
}
