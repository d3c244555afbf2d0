/** How many files the system lets this process have open, connections among them, and how many of those clients may take. */
import { readFileSync } from "node:fs"
import type { BudgetNumbers } from "../edge/limits/budgets.ts"
import { TOLD } from "./connections.ts"

/** Files that the service opens itself at its busiest: the database on each thread, processes for costly work, answers of others. */
const OWN = 200
/** Connections without which nobody could be served. */
const LEAST = 16

/** The limit of the system; null where it tells of none. */
export function openFilesLimit(): number | null {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? []
    if (soft !== undefined) return Number(soft)
  } catch {
    // There is no /proc: the report knows too, and takes longer.
  }
  const report = process.report.getReport() as { readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } } }
  const soft = report.userLimits?.open_files?.soft
  return typeof soft === "number" ? soft : null
}

/** Budgets whose connections stay below a limit of open files. */
export function belowLimit(numbers: BudgetNumbers, limit: number | null): BudgetNumbers {
  if (limit === null) return numbers
  const { total, each } = numbers.connections
  const most = Math.min(total, Math.max(LEAST, limit - OWN - TOLD))
  return { ...numbers, connections: { total: most, each: Math.min(each, most) } }
}
