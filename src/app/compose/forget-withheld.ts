/** Drops what a copy keeps in memory when words were withheld at the original: the file it reads shows that. */
import type { Db } from "../../ledger/storage/database.ts"
import type { FollowerDb } from "../../ledger/storage/follower-file.ts"
import type { Instance } from "./instance.ts"

/**
 * Makes an instance drop what it keeps in memory before the next read, whenever words were withheld or Rooms dropped in the
 * file it follows. Both remove the triggers that protect the journal, in the same transaction, and SQLite counts such changes of the schema.
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
