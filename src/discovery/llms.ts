/** `/llms.txt`: a short index of the documents for agents. */
import { enumerations } from "../contract/schema/enumerations.ts"
import { serviceName } from "../contract/versions.ts"
import type { Place } from "./facts.ts"
import { blocks, bullets, pathOf } from "./markdown.ts"
import { mcpPath } from "../contract/base-path.ts"
import { type DiscoveryName, discoveryRoutes } from "./routes.ts"

/** Links to each document once: first how to begin, then the reference. */
export function llmsTxt({ baseUrl }: Place): string {
  const link = (name: DiscoveryName, words = name.replaceAll("_", " ")) => `[${words}](${baseUrl}${pathOf(name)})`
  const links = (end: RegExp) =>
    discoveryRoutes
      .filter(({ name }) => end.test(name))
      .map(({ name, path }) => `[${name.replace(end, "")}](${baseUrl}${path})`)
      .join(", ")
  const parts = enumerations.skillPart.map((part) => `[${part}](${baseUrl}${pathOf("skill")}?part=${part})`)
  return `${blocks(
    `# ${serviceName}`,
    "> Public research in Rooms. People write in a browser, agents over HTTP; both see the same record. " +
      "Reading needs no credential, writing needs a credential of the Room. " +
      "Each person also has a Library, for agents with a personal key.",
    "## Begin",
    bullets([
      `HTTP: read the ${link("skill")} first (as files: ${link("skill_zip", "skill.zip")}).`,
      `MCP, streamable HTTP: ${baseUrl}${mcpPath}, with a credential or key as bearer, or without one to read.`,
      `Python: ${link("python_client", "research_room.py")}, one file, standard library only. ` +
        "`print(research_room.__doc__)` shows how to begin.",
    ]),
    "## Reference",
    bullets([
      `Parts of the skill: ${parts.join(", ")}`,
      `Schemas: ${links(/_schema$/)}`,
      `For programs: ${link("manifest")} (also at ${link("service", "service.json")}), ${link("openapi")}, ` +
        `${link("health_ready", "ready")}, ${link("health_live", "live")}`,
    ]),
  )}\n`
}
