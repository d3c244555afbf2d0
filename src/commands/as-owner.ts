/** A command that root runs on data of another user works as that user: what it makes stays theirs, and the service can open it. */
import { statSync } from "node:fs"

/** @param folder of the data; where there is none yet, it becomes that of whoever runs the command */
export function workAsOwner(folder: unknown): void {
  if (typeof folder !== "string" || process.getuid?.() !== 0) return
  const { uid = 0, gid = 0 } = statSync(folder, { throwIfNoEntry: false }) ?? {}
  if (uid === 0) return
  process.setgroups?.([gid])
  process.setgid?.(gid)
  process.setuid?.(uid)
}
