/**
 * The limits of costly work: exports, answers about the past, foreign file formats, and requests to a repository host.
 */
export const ofCostlyWork = {
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
