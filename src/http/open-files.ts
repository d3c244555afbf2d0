/** Reads how many files this process may open, and limits connections to fit. */
import { readFileSync } from "node:fs"
import type { BudgetNumbers } from "../edge/limits/budgets.ts"
import { ANSWERED_OVER_BUDGET } from "./connections.ts"

/** Files that the service itself opens at most: the database on each thread, child processes, requests to other services. */
const OWN = 200
/** The fewest connections to allow. */
const LEAST = 16

/** The system's limit on open files; null if unknown. */
export function openFilesLimit(): number | null {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? []
    if (soft !== undefined) return Number(soft)
  } catch {
    // Without /proc, the slower process report has the limit too.
  }
  const report = process.report.getReport() as { readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } } }
  const soft = report.userLimits?.open_files?.soft
  return typeof soft === "number" ? soft : null
}

/** Reduces the budget for connections to fit a limit on open files. */
export function belowLimit(numbers: BudgetNumbers, limit: number | null): BudgetNumbers {
  if (limit === null) return numbers
  const { total, each } = numbers.connections
  const most = Math.min(total, Math.max(LEAST, limit - OWN - ANSWERED_OVER_BUDGET))
  return { ...numbers, connections: { total: most, each: Math.min(each, most) } }
}
