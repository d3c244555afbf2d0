/** `research-room demo`: a seeded instance that calls no other service. */
import { Command } from "commander"
import { option, portOption } from "../settings.ts"
import { type EdgeSettings, mustHaveBaseUrl, outsideOf, withEdgeOptions } from "./serve.ts"

interface Options extends EdgeSettings {
  readonly data?: string
  readonly json?: boolean
  readonly deterministic?: boolean
}

async function demo(options: Options): Promise<void> {
  mustHaveBaseUrl(options)
  const [{ startDemo }, { openLog }, { untilEnded }] = await Promise.all([
    import("../demo/demo.ts"),
    import("../log.ts"),
    import("./until-ended.ts"),
  ])
  const running = await startDemo({
    ...options,
    // Reader threads do not use the seeded world.
    ...(!options.deterministic && { threads: 1 }),
    ...outsideOf(options, null),
    log: openLog(options.json ? "fatal" : "info"),
  })
  const ended = untilEnded(running)
  const { baseUrl, people, rooms, credentials, keys, repositories } = running
  if (options.json) console.log(JSON.stringify({ baseUrl, people, rooms, credentials, keys, repositories }))
  else {
    console.log(`A demo is served at ${baseUrl}`)
    console.log(`Read its Room: curl ${baseUrl}/api/research/rooms/${rooms.main.roomId}`)
    console.log(`Sign in as ${people.owner.username} with ${people.owner.password}`)
    console.log(`Write with    ${credentials.member_all.token}`)
  }
  await ended
}

export const demoCommand = (): Command =>
  withEdgeOptions(
    new Command("demo")
      .description("serve a seeded instance for a first look or for tests")
      .addOption(option("--data <folder>", "an empty folder to keep the demo in (default: a temporary one)"))
      .addOption(portOption(0))
      .addOption(option("--json", "print one line of JSON with the addresses, ids and tokens of the demo, then serve"))
      .addOption(option("--deterministic", "use the same ids, tokens and times on every start")),
  ).action(demo)
