/** `research-room serve`: the service itself. */
import { Command } from "commander"
import { openLog } from "../log.ts"
import { startService } from "../service.ts"
import { baseUrlOption, dataOption, hostOption, portOption, type ServeSettings } from "../settings.ts"
import { untilEnded } from "./until-ended.ts"

export const serveCommand = (): Command =>
  new Command("serve")
    .description("serve Rooms from a data folder until told to end")
    .addOption(dataOption())
    .addOption(hostOption())
    .addOption(portOption(8787))
    .addOption(baseUrlOption())
    .action(async (settings: ServeSettings) => {
      const service = await startService({ ...settings, log: openLog() })
      console.log(`research-room serves ${settings.data} at ${service.baseUrl}`)
      console.log(`An agent starts at ${service.baseUrl}/llms.txt`)
      if (service.setUpLink !== null) console.log(`Nobody exists yet. Set up the first person, once, at\n  ${service.setUpLink}`)
      await untilEnded(service)
    })
