/**
 * `research-room mcp`: an MCP server on standard input and output, started by an agent's program. It calls a service
 * over HTTP.
 */
import { Command } from "commander"
import { type RemoteOptions, requireUrl, tokenOption, urlOption } from "../settings.ts"

async function mcp(options: RemoteOptions): Promise<void> {
  const url = requireUrl(options)
  const { serveMcp } = await import("./mcp-over-http.ts")
  await serveMcp(url, options.token)
}

export const mcpCommand = (): Command =>
  new Command("mcp")
    .description(
      "serve MCP on standard input and output, for an agent's program that starts it; a service has the same at /mcp",
    )
    .addOption(urlOption())
    .addOption(tokenOption())
    .action(mcp)
