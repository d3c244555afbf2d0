/** `research-room demo`: a seeded instance that needs nothing from outside. */
import { Command } from "commander"
import { startDemo } from "../demo/demo.ts"
import { openLog } from "../log.ts"
import { baseUrlOption, hostOption, namedOption, portOption, type ServeSettings } from "../settings.ts"
import { untilEnded } from "./until-ended.ts"

interface Options extends Omit<ServeSettings, "data"> {
  readonly data?: string
  readonly json?: boolean
  readonly deterministic?: boolean
}

export const demoCommand = (): Command =>
  new Command("demo")
    .description("serve a seeded instance for a first look or for tests")
    .addOption(namedOption("--data <folder>", "an empty folder to keep the demo in (default: a temporary one)"))
    .addOption(hostOption())
    .addOption(portOption(0))
    .addOption(baseUrlOption())
    .addOption(namedOption("--json", "print one line of JSON with everything the demo holds, then serve"))
    .addOption(namedOption("--deterministic", "the same ids, tokens and times on every start"))
    .action(async (options: Options) => {
      const demo = await startDemo({ ...options, log: openLog(options.json ? "silent" : "info") })
      const { baseUrl, people, rooms, credentials, keys, repositories } = demo
      if (options.json) console.log(JSON.stringify({ baseUrl, people, rooms, credentials, keys, repositories }))
      else {
        console.log(`A demo is served at ${baseUrl}`)
        console.log(`Read its Room: curl ${baseUrl}/api/research/rooms/${rooms.main.roomId}`)
        console.log(`Sign in as ${people.owner.username} with ${people.owner.password}`)
        console.log(`Write with    ${credentials.member_all?.token}`)
      }
      await untilEnded(demo)
    })
