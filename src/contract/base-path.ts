/** The path below which the service is served. */

/** Paths by base URL. An instance has one base URL; tests have several. */
const known = new Map<string, string>()

/** The path of the base URL: empty, or with a leading slash and no trailing one. Called on every request. */
export const basePathOf = ({ baseUrl }: { readonly baseUrl: string }): string =>
  known.getOrInsertComputed(baseUrl, () => new URL(baseUrl).pathname.replace(/\/$/, ""))

/** Paths of reads that `research-room connect` prints without loading the contract. */
export const connectPaths = {
  identity: "/api/agent/research/identity",
  library_identity: "/api/agent/library/identity",
  room_brief: "/api/research/rooms/{roomId}/brief",
  skill: "/api/research/skill",
  skill_zip: "/skill.zip",
} as const

/** The endpoint for the Model Context Protocol (streamable HTTP), below the base path. */
export const mcpPath = "/mcp"
