/** The parts of the edge that both a service and a read-only copy have. */
import type { Logger } from "pino"
import { withoutTrailing } from "../../contract/text.ts"
import { type BudgetNumbers, Budgets, standardBudgets } from "../../edge/limits/budgets.ts"
import { RequestLog } from "../../edge/telemetry/request-log.ts"
import type { Metrics } from "../../edge/telemetry/metrics.ts"
import { RateLimits, type RateNumbers, standardRates } from "../../edge/limits/rate-limits.ts"
import { belowLimit, openFilesLimit } from "../../http/connections.ts"
import { softwareVersion } from "../../packaged.ts"

export interface EdgeOptions {
  readonly log: Logger
  /** Rate limits: those of the contract or others; off by default. */
  readonly rateLimits?: "on" | "off" | RateNumbers | undefined
  /** The budgets for bodies, connections and held feeds, if not those of the contract. */
  readonly budgets?: BudgetNumbers | undefined
  /** Whether a proxy in front of the service appends the client's address to `X-Forwarded-For`. */
  readonly trustProxy?: "on" | "off" | undefined
  readonly logRequests?: "on" | "off" | undefined
  /** The bearer token for the metrics; without it only callers on this machine may read them. */
  readonly metricsToken?: string | undefined
  /** Where to report a vulnerability. */
  readonly securityContact?: string | undefined
}

const urlHost = (host: string) =>
  host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host

/** The parts of the edge that do not depend on the instance. */
export function edgeParts(
  { log, rateLimits = "off", trustProxy, logRequests, metricsToken, securityContact }: EdgeOptions,
  metrics: Metrics,
) {
  const rates = rateLimits === "off" ? undefined : new RateLimits(rateLimits === "on" ? standardRates : rateLimits)
  if (rates !== undefined) rates.onRefused = (what) => metrics.limited(what)
  return {
    softwareVersion,
    log,
    requestLog: new RequestLog(log, logRequests === "on"),
    metrics,
    trustProxy: trustProxy === "on",
    ...(rates && { rates }),
    ...(metricsToken !== undefined && { metricsToken }),
    ...(securityContact !== undefined && { securityContact }),
  }
}

/** Creates the budgets of this process, with no more connections than the system allows. */
export function budgetsHere({ budgets: wanted = standardBudgets, log }: Pick<EdgeOptions, "budgets" | "log">): Budgets {
  const files = openFilesLimit()
  const numbers = belowLimit(wanted, files)
  const { total } = numbers.connections
  if (total < wanted.connections.total)
    log.warn(
      { files, connections: total },
      "the system limits the open files of this process, so it accepts fewer connections; raise the limit",
    )
  return new Budgets(numbers)
}

/** Returns the address of a service without a trailing slash: its base URL, or the address it listens on. */
export const addressAt = (
  { baseUrl, host }: { readonly baseUrl?: string | undefined; readonly host: string },
  port: number,
): string => (baseUrl === undefined ? `http://${urlHost(host)}:${port}` : withoutTrailing(baseUrl, "/"))
