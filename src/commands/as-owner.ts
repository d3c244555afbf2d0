/** Drops root privileges for a command on another user's data, so that the service can open the files it creates. */
import { statSync } from "node:fs"

/** @param folder the data folder; if it does not exist yet, the command keeps its user */
export function workAsOwner(folder: unknown): void {
  if (typeof folder !== "string" || process.getuid?.() !== 0) return
  const { uid = 0, gid = 0 } = statSync(folder, { throwIfNoEntry: false }) ?? {}
  if (uid === 0) return
  process.setgroups?.([gid])
  process.setgid?.(gid)
  process.setuid?.(uid)
}
