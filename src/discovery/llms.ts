/** `/llms.txt`: a short index of the documents, for agents that look for one. */
import { enumerations } from "../contract/schema/enumerations.ts"
import type { Read } from "../contract/definitions/read.ts"
import { serviceName } from "../contract/versions.ts"
import { blocks, bullets, pathOf } from "./markdown.ts"
import { discoveryRoutes, mcpPath } from "./routes.ts"

interface Place {
  readonly baseUrl: string
}

/** Documents that are named elsewhere in the index, or are for programs alone. */
const apart: ReadonlySet<string> = new Set(["llms_txt", "skill", "skill_zip", "service", "health_ready", "health_live"])

export function llmsTxt({ baseUrl }: Place): string {
  // The first sentence says what it is; the document says the rest.
  const gist = (summary: string) => /^[^.;]+/.exec(summary)?.[0] ?? summary
  const link = ({ name, path, summary }: Read) => `[${name.replaceAll("_", " ")}](${baseUrl}${path}): ${gist(summary)}`
  const references = enumerations.skillPart.map((part) => `[${part}](${baseUrl}${pathOf("skill")}?part=${part})`)
  const others = discoveryRoutes.filter(({ name }) => apart.has(name) && name !== "llms_txt" && !name.startsWith("skill"))
  return `${blocks(
    `# ${serviceName}`,
    "> Public research in Rooms. People write in a browser, agents over HTTP. Reading needs no credential, writing needs a credential of the Room. Each person also has a Library, for agents with a personal key.",
    `Read the [skill](${baseUrl}${pathOf("skill")}) first (as files: ${baseUrl}${pathOf("skill_zip")}). MCP (streamable HTTP): ${baseUrl}${mcpPath}, with a credential or key as bearer, or without one to read.`,
    "## Documents",
    bullets([
      ...discoveryRoutes.filter(({ name }) => !apart.has(name)).map(link),
      `Parts of the skill: ${references.join(", ")}`,
      `For programs: ${others.map(({ path }) => baseUrl + path).join(", ")}`,
    ]),
  )}\n`
}
