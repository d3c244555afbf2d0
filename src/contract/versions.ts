/** The name and the numbers by which a client knows what it talks to. Each of them stands here and nowhere else. */
export const serviceName = "research-room"

/** Of the program and of its documents; what a Room's researchers write is theirs. */
export const licence = { name: "UNLICENSED", identifier: "LicenseRef-UNLICENSED" } as const

/** Raised when a client that worked before would no longer work. */
export const protocolVersion = 9

/** What `schemaVersion` is, in bodies and answers, in each family of operations. */
export const schemaVersions = { research: 3, library: 1 } as const

/** Operations and reads come in two families, each with its own schema version, credential and names of refusals. */
export type Family = keyof typeof schemaVersions

/** Below these paths everything is the Library's, what is not served there included. */
const libraryRoots = ["/api/agent/library", "/api/library"]

/** Whose envelope answers a path, whether something is served there or not. */
export const familyOf = (path: string): Family =>
  libraryRoots.some((root) => path === root || path.startsWith(`${root}/`)) ? "library" : "research"
