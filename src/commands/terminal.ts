/**
 * What stands between a command and its terminal: who runs it there, the lists that it prints, for people and for
 * programs, and the progress of long work.
 */
import { statSync } from "node:fs"
import { userInfo } from "node:os"
import type { Command } from "commander"
import { oneLine } from "../contract/text.ts"
import { option } from "../settings.ts"
import type { OnProgress } from "../ledger/replay/replay.ts"
import type { RunningCommand } from "../people/audit.ts"

// The running command and the account that runs it: for the lines that it writes to the audit log, and for the files
// that it creates.

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

// Lists.

/** Prints rows under a heading line, each column as wide as its widest cell. */
function printTable(heading: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [heading, ...rows]
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
}

/** The options that every list has. */
export interface ListOptions {
  readonly json?: boolean
}

export const jsonOption = () => option("--json", "print the list as JSON, for programs")

/** The columns of a table: for each heading the member that it shows, or a function that returns the text. */
type Columns<T> = Readonly<Record<string, keyof T | ((item: T) => string)>>

/** The columns of credentials and keys. */
export const tokenColumn = ({ tokenStart }: { readonly tokenStart: string | null }): string =>
  tokenStart === null ? "" : `${tokenStart}…`
export const accessColumns = {
  STATE: ({ revokedAt }: { readonly revokedAt: string | null }) => (revokedAt === null ? "" : "revoked"),
  EXPIRES: "expiresAt",
  "LAST USE": ({ lastUsedAt }: { readonly lastUsedAt: string | null }) => lastUsedAt ?? "never",
  PERMISSIONS: ({ permissions }: { readonly permissions: readonly string[] }) => permissions.join(","),
  LABEL: "label",
} as const

/** Prints a list as one JSON text if `json` is set, otherwise as a table. */
export function printList<T extends object>(
  items: readonly T[],
  { json = false }: ListOptions,
  columns: Columns<T>,
): void {
  if (json) {
    console.log(JSON.stringify(items))
    return
  }
  const cells = Object.values(columns)
  const cellOf = (item: T, cell: (typeof cells)[number]) =>
    oneLine(typeof cell === "function" ? cell(item) : String(item[cell] ?? ""))
  printTable(
    Object.keys(columns),
    items.map((item) => cells.map((cell) => cellOf(item, cell))),
  )
}

// Progress bars for long work. Without a terminal nothing is drawn.

/** Shows a progress bar while work runs, from its first progress report on. */
export async function withProgress<T>(work: (onProgress: OnProgress) => T | Promise<T>): Promise<T> {
  const { progressBar } = await import("./progress-bar.ts")
  const bar = progressBar("{bar} {percentage}% | {step} | {eta_formatted} left")
  try {
    return await work((done, total, step) => {
      if (!bar.isActive) bar.start(total, done, { step })
      bar.update(done, { step })
    })
  } finally {
    bar.stop()
  }
}
