/**
 * The limits of a request, of the requests that are handled at one time, and of those that an address and a caller may
 * send.
 */
export const ofRequests = {
  /** Bytes of a request body; beyond it, 413 `request_too_large`. */
  requestBodyBytes: 1024 * 1024,
  /** Bytes of a form that takes a name and a password, and of every other form beyond its operation's content. */
  smallFormBytes: 65_536,
  /** Inputs of a form, and characters of an input's name: twice those of the longest form here. Beyond it, 413. */
  formInputs: 5_000,
  formInputName: 200,
  /** Levels of nested lists and objects in a body. */
  nesting: 100,
  /** Bytes of a body from a caller without credentials, as at sign-in; beyond it, 413. */
  strangerBodyBytes: 64 * 1024,
  /** Bytes of the body of a read whose parameters are too long for an address. Beyond it, 413. */
  readBodyBytes: 256 * 1024,
  /** Bytes of bodies handled at one time, in total and for one credential, key or person; beyond it, 503. */
  bodiesBytes: 32 * 1024 * 1024,
  callerBodiesBytes: 8 * 1024 * 1024,
  /** The same for all callers without credentials together. */
  strangersBodiesBytes: 4 * 1024 * 1024,
  /**
   * Connections at one time, in total and from one address; beyond it an idle one is closed, or a request is answered
   * with 503.
   */
  connections: 2_000,
  addressConnections: 500,
  /** Feeds held open with `wait` at one time, in total and from one address; beyond it, 503. */
  heldFeeds: 1_000,
  addressHeldFeeds: 200,
  /** Pages and costly reads that run or wait at one time, in total and from one address; beyond it, 503. */
  heldReads: 1_500,
  addressHeldReads: 400,
  /** Seconds after which an answer of a reader thread is abandoned, and the thread ended. */
  readingSeconds: 30,
  /**
   * Bytes of an uploaded picture, and of its stored form; its pixels; and seconds and 64 KiB pages of memory for
   * decoding it.
   */
  figureBytes: 1_000_000,
  keptFigureBytes: 4_000_000,
  figurePixels: 20_000_000,
  figureSeconds: 10,
  figurePages: 6_400,
  /**
   * Bytes of a log as kept, half of them its beginning and half its end; bytes of an upload; bytes of the pieces that
   * it is compressed in; characters of a line and lines of a page that a read shows.
   */
  logBytes: 16_777_216,
  logBodyBytes: 268_435_456,
  logPieceBytes: 262_144,
  logLine: 2_000,
  logLines: 1_000,
  /** Bytes of an MCP message with a picture in base64; beyond it, 413. Any other message has `requestBodyBytes`. */
  figureMessageBytes: 1_400_000,
  /**
   * Hours for which a picture is kept that no public object names, and how many of those one person may have: the
   * oldest are removed first.
   */
  unnamedFigureHours: 24,
  unnamedFigures: 50,
  batchWrites: 20,
  /**
   * Values in one batch that are taken from receipts of its own writes. Each adds the bytes of the value that replaces
   * it.
   */
  batchReferences: 200,
  /** Effects in one batch, of all its findings. */
  batchEffects: 24,
  /** Values in a body, lists and objects included: more than `contentBytes` of canonical JSON can hold. */
  bodyValues: 30_000,
  /** Violations that a refusal lists; it says if there are more. */
  issues: 100,
  /**
   * Requests accepted in a minute, and in a burst; beyond that, 429 `too_many_requests`. Whole groups read from one
   * address, so its numbers are large; they do not apply to callers on the machine itself.
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
