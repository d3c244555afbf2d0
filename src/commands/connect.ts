/**
 * `research-room connect`: prints the settings with which an agent's program reaches a Room. It does not call the
 * service.
 */
import { Argument, Command } from "commander"
import { guides } from "../discovery/connecting.ts"
import { type RemoteOptions, requireUrl, tokenOption, UsageError, urlOption } from "../settings.ts"

function connect(name: string | undefined, options: RemoteOptions): void {
  if (name === undefined) {
    for (const guide of guides) console.log(`${guide.name.padEnd(16)} ${guide.title}`)
    return
  }
  const baseUrl = requireUrl(options)
  const guide = guides.find((known) => known.name === name)
  if (guide === undefined) throw new UsageError(`There are no texts for ${name}.`)
  // Only the text goes to standard output, so that it can be redirected to a file.
  console.error(guide.where)
  console.log(guide.text({ baseUrl, token: options.token }))
}

export const connectCommand = (): Command =>
  new Command("connect")
    .description("print the settings that connect an agent's program to a Room; without a client, list the clients")
    .addArgument(
      new Argument("[client]", "the agent's program, or a part of its set-up").choices(guides.map(({ name }) => name)),
    )
    .addOption(urlOption())
    .addOption(tokenOption())
    .action(connect)
