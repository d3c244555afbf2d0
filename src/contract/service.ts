/** By what a client knows the service: its name, its version numbers and its paths. Each is defined only here. */

export const serviceName = "research-room"

/** The licence of the program and its documents. What researchers write in a Room is theirs. */
export const licence = { name: "UNLICENSED", identifier: "LicenseRef-UNLICENSED" } as const

/** Raised by every change that breaks a working client. */
export const protocolVersion = 9

/** The `schemaVersion` of bodies and answers, by family. */
export const schemaVersions = { research: 3, library: 1 } as const

/** Operations and reads come in two families, each with its own schema version, credential and refusal codes. */
export type Family = keyof typeof schemaVersions

/** Every path below these belongs to the Library, served or not. */
const libraryRoots = ["/api/agent/library", "/api/library"]

/** The family whose envelope answers a path, served or not. */
export const familyOf = (path: string): Family =>
  libraryRoots.some((root) => path === root || path.startsWith(`${root}/`)) ? "library" : "research"

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
