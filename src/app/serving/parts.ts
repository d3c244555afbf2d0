/** The parts of the edge that every service has, also one that only reads a copy. */
import type { Logger } from "pino"
import { withoutTrailing } from "../../contract/text.ts"
import { type BudgetNumbers, Budgets, standardBudgets } from "../../edge/limits/budgets.ts"
import { RequestLog } from "../../edge/telemetry/request-log.ts"
import type { Metrics } from "../../edge/telemetry/metrics.ts"
import { RateLimits, type RateNumbers, standardRates } from "../../edge/limits/rate-limits.ts"
import { belowLimit, openFilesLimit } from "../../http/open-files.ts"
import { softwareVersion } from "../../version.ts"

export interface EdgeOptions {
  readonly log: Logger
  /** Whether callers are limited, and by which numbers where not by the contract's; left out, nobody is. */
  readonly rateLimits?: "on" | "off" | RateNumbers | undefined
  /** What bodies, connections and held feeds may take, where not by the contract's numbers. */
  readonly budgets?: BudgetNumbers | undefined
  /** Whether a proxy stands in front of the service and appends the client's address to `X-Forwarded-For`. */
  readonly trustProxy?: "on" | "off" | undefined
  /** Whether every request gets a line in the log. */
  readonly logRequests?: "on" | "off" | undefined
  /** What opens the metrics to others than callers on this machine. */
  readonly metricsToken?: string | undefined
  /** Whom to tell of a weakness. */
  readonly securityContact?: string | undefined
}

/** An address as it stands in a URL. */
const urlHost = (host: string) => (host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host)

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

/** What clients may take of this process: no more connections than the system lets it have open. */
export function budgetsHere({ budgets: asked = standardBudgets, log }: Pick<EdgeOptions, "budgets" | "log">): Budgets {
  const files = openFilesLimit()
  const numbers = belowLimit(asked, files)
  const { total } = numbers.connections
  if (total < asked.connections.total)
    log.warn({ files, connections: total }, "the system lets this process open few files, so fewer connections are taken; raise the limit")
  return new Budgets(numbers)
}

/** Where a service is reached, without a slash at the end; where nobody said so, the address it listens on. */
export const addressAt = ({ baseUrl, host }: { readonly baseUrl?: string | undefined; readonly host: string }, port: number): string =>
  baseUrl === undefined ? `http://${urlHost(host)}:${port}` : withoutTrailing(baseUrl, "/")
