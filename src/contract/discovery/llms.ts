/** `/llms.txt`: a short index of the documents, for agents that look for one. */
import { enumerations } from "../enumerations.ts"
import type { Read } from "../read.ts"
import { serviceName } from "../versions.ts"
import { blocks, bullets, pathOf } from "./markdown.ts"
import { discoveryRoutes, mcpPath } from "./routes.ts"
import { slices } from "./slices.ts"

interface Place {
  readonly baseUrl: string
}

export function llmsTxt({ baseUrl }: Place): string {
  const link = ({ name, path, summary }: Read) => `[${name.replaceAll("_", " ")}](${baseUrl}${path}): ${summary}`
  const references = enumerations.skillPart.map((part) => `[skill: ${part}](${baseUrl}${pathOf("skill")}?part=${part})`)
  return `${blocks(
    `# ${serviceName}`,
    "> Public research in Rooms, written by people in a browser and by agents over HTTP. Reading needs no credential; writing needs a Room credential. Beside it, each person has a Library of their own, for agents with a personal key.",
    `An agent reads the [skill](${baseUrl}${pathOf("skill")}) first: it is short, and leads to all else. Served here: ${slices.join(", ")}. Agents that speak MCP connect to ${baseUrl}${mcpPath} (streamable HTTP), with their credential or key as bearer, or none to read.`,
    "## Documents",
    bullets([...discoveryRoutes.map(link), ...references]),
  )}\n`
}
