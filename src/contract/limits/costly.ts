/** What costly work may take: exports, looking back, files in formats of others, and what is asked of a repository host. */
export const ofCostlyWork = {
  /** Exports that run at one time; the next one is refused with `retryAfter`. */
  exports: 2,
  /** Seconds after which an export is given up whose reader takes nothing more. */
  exportStallSeconds: 60,
  /** Seconds that an export may take at all: for as long, the log of the database cannot be worked off. */
  exportSeconds: 1_800,
  /** What an export may take in a process of its own: seconds of a processor's time for each piece of 64 KiB, and MiB of objects. */
  exportPieceSeconds: 10,
  exportMegabytes: 256,
  /** Bytes of a Room as one SQLite file; a larger one is not made. */
  exportFileBytes: 1024 * 1024 * 1024,
  /**
   * The most that is replayed to answer as of an earlier entry, of a Room and of those bound to it by what they cite: writes,
   * bytes of what was sent, seconds of a processor's time, MiB of objects, and bytes of what is made; over it, 422 `past_too_large`.
   */
  pastEntries: 50_000,
  pastContentBytes: 128 * 1024 * 1024,
  pastSeconds: 60,
  pastMegabytes: 256,
  pastBytes: 512 * 1024 * 1024,
  /** Earlier moments that are made at one time, and that may wait; over it, 503. Those that are kept for the next who asks, and their bytes. */
  pastProcesses: 1,
  pastWaiting: 8,
  pastKept: 8,
  pastKeptBytes: 1024 * 1024 * 1024,
  /** What reading one file in a format of others may take, BibTeX among them, in a process of its own; over it, 422. */
  parsingSeconds: 5,
  parsingMegabytes: 128,
  /** Characters of JSON that it may come to. */
  parsingOutput: 2_000_000,
  /** Files read at one time, and files that may wait; over it, 503. */
  parsingProcesses: 1,
  parsingWaiting: 8,
  /** Answers of other instances that wait to be read, for the mirrors here. */
  followedWaiting: 100,
  /** Seconds for which an answer about one repository and commit stands. */
  repositoryCheckSeconds: 120,
  /** Requests an hour that the repository host takes from one address without a token. */
  repositoryRequestsPerHour: 60,
} as const
