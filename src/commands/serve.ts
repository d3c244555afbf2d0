/** `research-room serve`: the service itself. */
import type { Command } from "commander"
import { openLog } from "../log.ts"
import { startCopy } from "../app/replication/follower.ts"
import { startService } from "../app/service.ts"
import { rescue } from "../check/rescue.ts"
import { databaseFile } from "../ledger/storage/data.ts"
import { option, portOption, threadsOption, UsageError, webAddress } from "../settings.ts"
import { type EdgeSettings, mustHaveBaseUrl, outsideOf, withEdgeOptions } from "./serving.ts"
import { withProgress } from "./progress.ts"
import { untilEnded } from "./until-ended.ts"
import { dataCommand } from "./with-instance.ts"

const GITHUB_API = "https://api.github.com"

interface ServeSettings extends EdgeSettings {
  readonly data: string
  readonly replicated?: string
  readonly follow?: string
  readonly primary?: string
  readonly forward?: true
  readonly threads: number
}

const logOf = ({ logRequests }: ServeSettings) => openLog("info", { busy: logRequests === "on" })

async function serveCopy(settings: ServeSettings, follow: string): Promise<void> {
  const { primary } = settings
  if (primary === undefined) throw new UsageError("A copy redirects writes to the original: name it with --primary.")
  if (settings.replicated !== undefined) throw new UsageError("--follow and --replicated cannot be combined.")
  const copy = await startCopy({
    ...settings,
    follow,
    primary,
    log: logOf(settings),
  })
  const ended = untilEnded(copy)
  console.log(`research-room serves a copy of ${primary}, ${follow}, for reading at ${copy.baseUrl}`)
  console.log(`An agent starts at ${copy.baseUrl}/llms.txt`)
  await ended
}

async function serve(settings: ServeSettings): Promise<void> {
  mustHaveBaseUrl(settings)
  if (settings.follow !== undefined) return serveCopy(settings, settings.follow)
  if (settings.primary !== undefined || settings.forward)
    throw new UsageError("--primary and --forward are for a copy: name its folder with --follow.")
  const log = logOf(settings)
  const service = await withProgress((onForward) =>
    startService({ ...settings, onForward, ...outsideOf(settings, GITHUB_API), log }),
  )
  const { files, instance } = service
  const ended = untilEnded(service, () => {
    const kept = rescue(instance.db, databaseFile(settings.data), files)
    if (kept !== null) log.fatal(kept)
  })
  console.log(`research-room serves ${settings.data} at ${service.baseUrl}`)
  if (settings.baseUrl !== undefined) console.log(`It listens on ${settings.host}, port ${service.port}`)
  console.log(`An agent starts at ${service.baseUrl}/llms.txt`)
  if (service.setUpLink !== null)
    console.log(
      `There are no users yet. Set up the first person with this link, which works once:\n  ${service.setUpLink}`,
    )
  await ended
  // A normal exit closes the database, which would copy its log into the data file.
  if (files.isSpoilt()) process.exit(1)
}

export const serveCommand = (): Command =>
  withEdgeOptions(
    dataCommand("serve", "serve Rooms from a data folder until a signal ends the service")
      .addOption(portOption(8787))
      .addOption(threadsOption())
      .addOption(
        option(
          "--replicated <socket>",
          "answer a write after Litestream has copied it; Litestream must start this service, with this control socket",
        ),
      )
      .addOption(
        option(
          "--follow <folder>",
          "serve a read-only copy, which Litestream's follower writes there; needs --primary",
        ),
      )
      .addOption(
        option(
          "--primary <address>",
          "the address of the original; writes and private reads are redirected to it",
        ).argParser(webAddress),
      )
      .addOption(
        option(
          "--forward",
          "pass these requests on to the original and return its responses, instead of redirecting the client",
        ),
      ),
    "on",
  ).action(serve)
