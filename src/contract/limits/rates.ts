/** What an address and a caller may ask in a minute and at once, where an instance limits its callers. */
export const rates = {
  /**
   * What the service takes in a minute, and how many of these may come at once; over it, 429 `too_many_requests`. Whole
   * groups read from one address, so its numbers are large; they do not count callers on the machine itself.
   */
  addressRequestsPerMinute: 6_000,
  addressRequestsAtOnce: 3_000,
  /** Of one credential, personal key or signed-in person. */
  callerReadsPerMinute: 3_000,
  callerReadsAtOnce: 1_500,
  callerWritesPerMinute: 600,
  callerWritesAtOnce: 300,
  /** Refused credentials from one address; over it only callers that came in before are still let in from there. */
  refusedCredentialsPerMinute: 30,
  refusedCredentialsAtOnce: 60,
} as const

/** What is counted of an address or a caller, each by what it may do a minute and at once. */
export const countedRates = ["addressRequests", "callerReads", "callerWrites", "refusedCredentials"] as const
export type CountedRate = (typeof countedRates)[number]
export type RateLimit = `${CountedRate}${"PerMinute" | "AtOnce"}`
/** The limits that an instance keeps only where it limits its callers. */
export const rateLimits = countedRates.flatMap((name): RateLimit[] => [`${name}PerMinute`, `${name}AtOnce`])
