/** `research-room serve`: the service itself. */
import { Command } from "commander"
import { openLog } from "../log.ts"
import { startService } from "../app/service.ts"
import {
  arxivOf,
  dataOption,
  entranceOf,
  type EdgeSettings,
  mustNameItself,
  namedOption,
  portOption,
  repositoriesOf,
  withEdgeOptions,
} from "../settings.ts"
import { checkingBar } from "./progress.ts"
import { untilEnded } from "./until-ended.ts"

const GITHUB_API = "https://api.github.com"

async function serve(settings: EdgeSettings & { readonly data: string; readonly replicated?: string }): Promise<void> {
  mustNameItself(settings)
  const bar = checkingBar()
  const service = await startService({
    ...settings,
    onForward: bar.update,
    writer: "thread",
    repositories: repositoriesOf(settings, GITHUB_API),
    arxiv: arxivOf(settings),
    entrance: entranceOf(settings),
    log: openLog("info", { busy: settings.logRequests === "on" }),
  }).finally(() => bar.stop())
  const ended = untilEnded(service)
  console.log(`research-room serves ${settings.data} at ${service.baseUrl}`)
  if (settings.baseUrl !== undefined) console.log(`It listens on ${settings.host}, port ${service.port}`)
  console.log(`An agent starts at ${service.baseUrl}/llms.txt`)
  if (service.setUpLink !== null) console.log(`Nobody exists yet. Set up the first person, once, at\n  ${service.setUpLink}`)
  await ended
}

export const serveCommand = (): Command =>
  withEdgeOptions(
    new Command("serve")
      .description("serve Rooms from a data folder until told to end")
      .addOption(dataOption())
      .addOption(portOption(8787))
      .addOption(
        namedOption(
          "--replicated <socket>",
          "answer a write once Litestream, which starts this service and listens at that control socket, has copied it",
        ),
      ),
    "on",
  ).action(serve)
