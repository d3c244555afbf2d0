/**
 * Stands in for `litestream restore -f`, as version 0.5.18 does it: the restored file says that it has a log; changed
 * pages are written into it under SQLite's lock, without telling other connections; then the note beside it.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import Database from "better-sqlite3"

export interface Follower {
  /** Brings the copy up to date with the original. @returns how many pages changed */
  apply(): Promise<number>
  /** Ends in the middle of an update. */
  applyHalf(): Promise<number>
  close(): Promise<void>
}

/** Restores a copy and from then on follows when asked. */
export async function startFollower(source: string, target: string): Promise<Follower> {
  mkdirSync(dirname(target), { recursive: true })
  const origin = new Database(source, { readonly: true })
  writeFileSync(target, origin.serialize())
  origin.close()
  const child = fork(join(import.meta.dirname, "follower-process.ts"), [source, target])
  await once(child, "message")
  const told = async (part: number): Promise<number> => {
    const answer = once(child, "message")
    child.send(part)
    return Number((await answer)[0])
  }
  return {
    apply: () => told(1),
    applyHalf: () => told(0.5),
    async close() {
      const ended = once(child, "exit")
      child.disconnect()
      await ended
    },
  }
}
