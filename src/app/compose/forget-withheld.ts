/** What a copy forgets: nobody tells it that words were taken out at the original, but the file it reads shows it. */
import type { Db } from "../../ledger/storage/database.ts"
import type { FollowerDb } from "../../ledger/storage/follower-file.ts"
import type { Instance } from "./instance.ts"

/**
 * Has an instance forget what it keeps in memory before anything more is read, whenever words were withheld or Rooms dropped in the
 * file it follows. Both set the triggers aside that keep the journal as it is, in the same transaction: SQLite counts that.
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
