/** The name and the numbers by which a client knows what it talks to. Each of them stands here and nowhere else. */
export const serviceName = "research-room"

/** Raised when a client that worked before would no longer work. */
export const protocolVersion = 7

/** What `schemaVersion` is, in bodies and answers, in each family of operations. */
export const schemaVersions = { research: 3, library: 1 } as const
