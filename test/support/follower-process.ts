/**
 * The stand-in for Litestream's follower, in a process of its own like the real one: file locks belong to a process,
 * not to a connection.
 */
import { openSync, writeFileSync, writeSync, ftruncateSync } from "node:fs"
import Database from "better-sqlite3"

const [source = "", target = ""] = process.argv.slice(2)
const origin = new Database(source, { readonly: true })
const handle = openSync(target, "r+")
const PAGE = 4096
let [before, txid] = [origin.serialize(), 1]
const note = () => writeFileSync(`${target}-txid`, `${txid.toString(16).padStart(16, "0")}\n`)

/**
 * Brings the file up to date under its lock. @param part the share of the changed pages to write before it stops, as if
 * it was ended there
 */
function apply(part: number): number {
  const now = origin.serialize()
  const changed = Array.from({ length: now.length / PAGE }, (_, page) => page).filter(
    (page) => !now.subarray(page * PAGE, (page + 1) * PAGE).equals(before.subarray(page * PAGE, (page + 1) * PAGE)),
  )
  const lock = new Database(target, { timeout: 10_000 })
  lock.exec("BEGIN EXCLUSIVE")
  for (const page of changed.slice(0, Math.ceil(changed.length * part))) {
    const bytes = Buffer.from(now.subarray(page * PAGE, (page + 1) * PAGE))
    if (page === 0) {
      // Without a log, and with another change counter; unchanged pages are not written.
      bytes[18] = bytes[19] = 1
      crypto.getRandomValues(bytes.subarray(24, 28))
    }
    writeSync(handle, bytes, 0, PAGE, page * PAGE)
  }
  if (part === 1) ftruncateSync(handle, now.length)
  lock.exec("ROLLBACK")
  lock.close()
  if (part < 1) return changed.length
  before = now
  txid += 1
  note()
  return changed.length
}

note()
process.on("message", (part: number) => process.send?.(apply(part)))
process.on("disconnect", () => process.exit())
process.send?.(0)
