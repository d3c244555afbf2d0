/**
 * The running command and the account that runs it: for the lines that it writes to the audit log, and for the files
 * that it creates.
 */
import { statSync } from "node:fs"
import { userInfo } from "node:os"
import type { Command } from "commander"
import type { RunningCommand } from "../people/audit.ts"

let name = ""

/** Notes the name of the command before it runs. */
export function noteRunningCommand(command: Command): void {
  const names: string[] = []
  for (let each: Command | null = command; each?.parent; each = each.parent) names.unshift(each.name())
  name = names.join(" ")
}

function account(): string {
  const uid = String(process.getuid?.() ?? "")
  let own = uid
  try {
    own = userInfo().username
  } catch {
    // A user id without an entry in the user database has no name.
  }
  const { SUDO_USER: original } = process.env
  return original === undefined || original === own ? own : `${original} as ${own}`
}

export const runningCommand = (): RunningCommand => ({ name, account: account() })

/**
 * Drops root privileges for a command on another user's data, so that the service can open the files it creates. @param
 * folder the data folder; if it does not exist yet, the command keeps its user
 */
export function workAsOwner(folder: unknown): void {
  if (typeof folder !== "string" || process.getuid?.() !== 0) return
  const { uid = 0, gid = 0 } = statSync(folder, { throwIfNoEntry: false }) ?? {}
  if (uid === 0) return
  process.setgroups?.([gid])
  process.setgid?.(gid)
  process.setuid?.(uid)
}
