/** The name and the version numbers by which a client knows the service. Each is defined only here. */
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
