/** Clears the caches of a read-only copy after words were withheld at the original. */
import type { Db } from "../../ledger/storage/database.ts"
import type { FollowerDb } from "../../ledger/storage/follower-file.ts"
import type { Instance } from "./instance.ts"

/**
 * Clears an instance's caches before the next read, after words were withheld or Rooms dropped in the file it follows. Both
 * remove the triggers that protect the journal for the time of the transaction, and SQLite counts such changes of the schema.
 */
export function forgetWithOriginal(followed: Db & Pick<FollowerDb, "onMoved">, { ledger }: Pick<Instance, "ledger">): void {
  const schema = followed.prepare<{ schema_version: number }>("PRAGMA schema_version")
  let known = schema.one().schema_version
  followed.onMoved(() => {
    const now = schema.one().schema_version
    if (now === known) return
    known = now
    ledger.forget()
  })
}
