/** A service as an operator runs it: with limits, a log and metrics, and its log lines available to the test. */
import { rmSync } from "node:fs"
import type { RateNumbers } from "../../src/edge/limits/rate-limits.ts"
import { openLog } from "../../src/log.ts"
import { type Service, startService, type ServiceOptions } from "../../src/app/service.ts"
import { temporaryFolder } from "../support/service.ts"

export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string }

export interface Watched extends Service {
  /** The log so far, as it was written. */
  readonly logText: string
  readonly lines: readonly LogLine[]
}

/** Limits that no test reaches by chance. */
export const plenty: RateNumbers = {
  addressRequests: { perMinute: 60_000, atOnce: 60_000 },
  callerReads: { perMinute: 60_000, atOnce: 60_000 },
  callerWrites: { perMinute: 60_000, atOnce: 60_000 },
  refusedCredentials: { perMinute: 60_000, atOnce: 60_000 },
}

/** Starts a service in this process on a port chosen by the system. */
export async function startWatched(options: Partial<ServiceOptions> = {}): Promise<Watched> {
  const folder = temporaryFolder()
  let written = ""
  const service = await startService({
    data: folder,
    host: "127.0.0.1",
    port: 0,
    repositories: { folders: [], github: null },
    log: openLog("info", { to: { write: (text: string) => void (written += text) } }),
    ...options,
  })
  return {
    ...service,
    get logText() {
      return written
    },
    get lines() {
      return written
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as LogLine)
    },
    async close() {
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
