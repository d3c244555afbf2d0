/** `research-room connect`: prints what an agent's program reads to reach a Room. It asks the service nothing. */
import { Argument, Command } from "commander"
import { guides } from "../discovery/connecting.ts"
import { type ServedAt, tokenOption, UsageError, urlOption } from "../settings.ts"

function connect(name: string | undefined, { url, token }: ServedAt): void {
  if (name === undefined) {
    for (const guide of guides) console.log(`${guide.name.padEnd(16)} ${guide.title}`)
    return
  }
  if (url === undefined) throw new UsageError("Name the service with --url, or RESEARCH_ROOM_URL.")
  const guide = guides.find((known) => known.name === name)
  if (guide === undefined) throw new UsageError(`There are no texts for ${name}.`)
  // The text alone goes to standard output, so that it can be sent to a file.
  console.error(guide.where)
  console.log(guide.text({ baseUrl: url, token }))
}

export const connectCommand = (): Command =>
  new Command("connect")
    .description("print what connects an agent's program to a Room, to copy; without a client, the clients there are")
    .addArgument(new Argument("[client]", "the agent's program, or a part of its set-up").choices(guides.map(({ name }) => name)))
    .addOption(urlOption())
    .addOption(tokenOption())
    .action(connect)
