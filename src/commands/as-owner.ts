/** A command that root runs on another user's data works as that user, so that the service can open the files it makes. */
import { statSync } from "node:fs"

/** @param folder the data folder; if there is none yet, it will belong to the user who runs the command */
export function workAsOwner(folder: unknown): void {
  if (typeof folder !== "string" || process.getuid?.() !== 0) return
  const { uid = 0, gid = 0 } = statSync(folder, { throwIfNoEntry: false }) ?? {}
  if (uid === 0) return
  process.setgroups?.([gid])
  process.setgid?.(gid)
  process.setuid?.(uid)
}
