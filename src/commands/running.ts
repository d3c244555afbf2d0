/** Which command runs, and for whom: the audit log says it of every line that a command leaves. */
import { userInfo } from "node:os"
import type { Command } from "commander"
import type { RunningCommand } from "../people/audit.ts"

let name = ""

/** Told of the command before it does anything. */
export function begins(command: Command): void {
  const names: string[] = []
  for (let each: Command | null = command; each?.parent; each = each.parent) names.unshift(each.name())
  name = names.join(" ")
}

/** The account of this machine; behind sudo, whose it was before too. */
function account(): string {
  const uid = String(process.getuid?.() ?? "")
  let own = uid
  try {
    own = userInfo().username
  } catch {
    // A user without an entry has no name.
  }
  const { SUDO_USER: before } = process.env
  return before === undefined || before === own ? own : `${before} as ${own}`
}

export const runningCommand = (): RunningCommand => ({ name, account: account() })
