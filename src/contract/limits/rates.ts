/** The requests that an address and a caller may send, if an instance limits its callers. */
export const rates = {
  /**
   * Requests accepted in a minute, and in a burst; beyond that, 429 `too_many_requests`. Whole groups read from one address, so
   * its numbers are large; they do not apply to callers on the machine itself.
   */
  addressRequestsPerMinute: 6_000,
  addressRequestsAtOnce: 3_000,
  /** For one credential, personal key or signed-in person. */
  callerReadsPerMinute: 3_000,
  callerReadsAtOnce: 1_500,
  callerWritesPerMinute: 600,
  callerWritesAtOnce: 300,
  /** Refused credentials from one address; beyond it, that address is open only to callers who were accepted before. */
  refusedCredentialsPerMinute: 30,
  refusedCredentialsAtOnce: 60,
} as const

/** What is counted for an address or a caller, each with a rate per minute and a burst. */
export const countedRates = ["addressRequests", "callerReads", "callerWrites", "refusedCredentials"] as const
export type CountedRate = (typeof countedRates)[number]
export type RateLimit = `${CountedRate}${"PerMinute" | "AtOnce"}`
/** The limits that an instance applies only if it limits its callers. */
export const rateLimits = countedRates.flatMap((name): RateLimit[] => [`${name}PerMinute`, `${name}AtOnce`])
