/** Every limit of the protocol that a client can meet. The manifest, the validators and the answers read them here. */
import { ofAnswers, ofRecords } from "./sizes.ts"

/**
 * The limits of costly work: exports, answers about the past, foreign file formats, and requests to a repository host.
 */
const ofCostlyWork = {
  /** Exports that are made at one time; each caller gets one at a time. Another one is refused with `retryAfter`. */
  exports: 2,
  /**
   * Seconds from its beginning in which all who ask for the same get the same file. The files that are kept or sent,
   * and their bytes; beyond these, an export is made as fast as its reader takes it.
   */
  exportSharedSeconds: 60,
  exportSpools: 16,
  exportSpoolBytes: 1024 * 1024 * 1024,
  /** Bytes a second that the reader of an export takes at least, after the first `exportStallSeconds`. */
  exportLeastRate: 100_000,
  /** Seconds without progress of its reader after which an export is ended. */
  exportStallSeconds: 60,
  /** The most seconds of an export: while it runs, the database cannot shorten its log. */
  exportSeconds: 1_800,
  /** Limits of an export's own process: seconds of processor time for each 64 KiB, and MiB of objects. */
  exportPieceSeconds: 10,
  exportMegabytes: 256,
  /** Bytes of a Room as one SQLite file; a larger one is refused. */
  exportFileBytes: 1024 * 1024 * 1024,
  /**
   * The most that is replayed to answer as of an earlier entry, of a Room and of the Rooms connected to it by
   * citations: writes, bytes of their content, seconds of processor time, MiB of objects, and bytes of the result;
   * beyond it, 422 `past_too_large`.
   */
  pastEntries: 50_000,
  pastContentBytes: 128 * 1024 * 1024,
  pastSeconds: 60,
  pastMegabytes: 256,
  pastBytes: 512 * 1024 * 1024,
  /**
   * Earlier states that are built at one time, and that may wait; beyond it, 503. Then those kept for later requests,
   * and their bytes.
   */
  pastProcesses: 1,
  pastWaiting: 8,
  pastKept: 8,
  pastKeptBytes: 1024 * 1024 * 1024,
  /** Limits for reading one file in a foreign format, such as BibTeX, in its own process; beyond them, 422. */
  parsingSeconds: 5,
  parsingMegabytes: 128,
  /** Characters of the resulting JSON. */
  parsingOutput: 2_000_000,
  /** Files read at one time, and files that may wait; beyond it, 503. */
  parsingProcesses: 1,
  parsingWaiting: 8,
  /** Seconds for which the answer about one repository and commit is reused. */
  repositoryCheckSeconds: 120,
  /** Requests an hour that the repository host accepts from one address without a token. */
  repositoryRequestsPerHour: 60,
} as const

/**
 * The Library's limits and the sizes of its writes; names, passwords, credentials and sessions; how often a sign-in may
 * fail; and webhooks.
 */
const ofPeople = {
  /** The limits that interface.md calls caps. */
  collectionPapers: 1_000,
  savedPapers: 20_000,
  ownedCollections: 200,
  collectionMembers: 100,
  /** Notes on one paper in one Collection, and highlights in one paper. */
  threadNotes: 1_000,
  highlights: 1_000,
  /** Tags of a person, tags of one paper, and characters of a tag. */
  tags: 500,
  paperTags: 20,
  tag: 50,
  collectionName: 100,
  /** Papers in one write. */
  arxivIds: 50,
  /** Characters of a paper id, and of a text in a write that names papers. */
  paperId: 300,
  identifier: 5_000,
  note: 10_000,
  /** Papers in one imported text, its characters, and those of one entry in it. */
  importedPapers: 1_000,
  importedText: 500_000,
  bibtexEntry: 20_000,
  /** Collections that a personal key of selected reach may name. */
  keyCollections: 200,
  /** The highest page number of a passage or a reading position. */
  lastPage: 10_000,
  usernameMin: 2,
  usernameMax: 40,
  /** Characters of a password. The maximum bounds the cost of its hash. */
  passwordMin: 10,
  passwordMax: 200,
  credentialLabel: 100,
  credentialThreads: 50,
  credentialDaysDefault: 90,
  credentialDaysMax: 366,
  invitationDays: 7,
  sessionDays: 30,
  /**
   * Failed sign-ins allowed in one window for one name at one address, and ten times that for one address. Beyond the
   * same number for one name at all addresses, sign-ins with that name are only slowed: one is tried in so many
   * seconds, and so many wait.
   */
  signInFailures: 10,
  signInWindowSeconds: 300,
  signInSlowedSeconds: 1,
  signInsWaiting: 5,
  /**
   * Failed sign-ins that the audit log lists one by one in so many seconds; the rest of them are counted in one line.
   */
  auditedFailures: 20,
  auditedFailuresSeconds: 3_600,
  /**
   * Webhooks of a Room; seconds that a delivery may take; days of failures after which a webhook is turned off;
   * deliveries shown for each.
   */
  roomWebhooks: 10,
  webhookSeconds: 7,
  webhookDays: 3,
  webhookDeliveries: 20,
} as const

/**
 * The limits of a request, of the requests that are handled at one time, and of those that an address and a caller may
 * send.
 */
const ofRequests = {
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
   * it is compressed in, and of those that are stored at once; characters of a line and lines of a page that a read
   * shows.
   */
  logBytes: 16_777_216,
  logBodyBytes: 268_435_456,
  logPieceBytes: 262_144,
  logPartBytes: 65_536,
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
  /** Effects in one batch: of its findings, and those that its reproductions repeat. */
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

/** How much a search reads, and how much the search for similar texts reads. */
const ofSearch = {
  searchQuery: 200,
  /** Indexed words that may begin like the last word of a query; with more, that word is looked up whole. */
  searchBeginnings: 64,
  /** Matches of a search that are ranked, the newest. */
  searchRanked: 1_000,
  /**
   * Texts that hold a word, summed over all words of a query, up to which words are weighted; beyond it, the newest
   * texts come first.
   */
  searchWeighed: 20_000,
  /**
   * If every word of a query is in very many texts: the newest texts of all of them together among which those with all
   * words are found.
   */
  searchCommon: 16_000,
  /** Characters of texts that are read to find a phrase of very common words. */
  searchRead: 250_000,
  /** People that a search shows because their names begin like the query. */
  searchPeople: 5,
  /** The newest matches that are filtered by a status or a time. */
  searchNarrowed: 2_000,
  /** Words of a phrase that are looked up as one; a longer phrase is looked up in parts, all of which must occur. */
  searchPhrase: 4,
  /**
   * Words in the texts of all matches, in total, up to which they are ranked; beyond it, the newest come first. A
   * phrase is searched in half as many words, of the newest texts that hold its words.
   */
  searchRankedWords: 200_000,
  /** Characters of the texts that are searched for the passages of one page; beyond them, matches are not marked. */
  searchSight: 60_000,
  /** Bytes of texts that are compared for one page of concepts or Rooms that contain a text. */
  substringRead: 2_000_000,
  /** Characters that a passage shows of a long word at either end. */
  searchWord: 100,
  /** Characters of a text that are compared with others. */
  similarText: 1_500,
  /**
   * Terms of a text of which the rarest are weighed, and texts that have these, summed over the terms. A term that more
   * texts have is left out.
   */
  similarTerms: 100,
  similarWeighed: 400,
  /** The best matches that are read, and the newest texts that are compared before they are indexed. */
  similarFound: 50,
  similarLacked: 50,
  /**
   * Similar items in an answer, characters of the line about each, and newest attempts on one commit that are compared.
   */
  similarItems: 5,
  similarLine: 200,
  /** Similar items that a receipt shows, the most similar. */
  similarTold: 3,
  /** For so many milliseconds, an agent is not shown items that it made itself. */
  similarOwnMs: 3_600_000,
  similarExecutions: 500,
} as const

export const limits = {
  ...ofRequests,
  ...ofRecords,
  ...ofAnswers,
  ...ofSearch,
  ...ofCostlyWork,
  ...ofPeople,
} as const
