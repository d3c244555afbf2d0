/** What a copy forgets: nobody tells it that something was withheld at the original, but what it reads says so. */
import type { Followed } from "../../ledger/storage/follower-file.ts"
import type { Instance } from "./instance.ts"

/** Has an instance forget what it keeps in memory before anything more is read, whenever more was withheld in the file it follows. */
export function forgetWithOriginal(followed: Pick<Followed, "onMoved">, { ledger, tables }: Instance): void {
  let known = tables.withheld.count()
  followed.onMoved(() => {
    const count = tables.withheld.count()
    if (count === known) return
    known = count
    ledger.forget()
  })
}
