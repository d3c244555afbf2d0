/**
 * The files that mark data as replicated by Litestream, or as a copy made by it. Neither may be served as if it were
 * standalone.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** A file beside replicated data. It names Litestream's control socket. */
const markOf = (file: string): string => join(dirname(file), "replicated")

/** Whether acknowledgements wait for a copy of this data. */
export const isReplicated = (file: string): boolean => file !== "" && file !== ":memory:" && existsSync(markOf(file))

/**
 * The second line of the mark while a service writes. A start that finds it knows that the service before was killed.
 */
const OPEN = "open"

/** Marks data as replicated, and whether a service writes to it now. @throws Error if the folder cannot be written */
export const markReplicated = (file: string, socket: string, isServed: boolean): void =>
  writeFileSync(markOf(file), `${socket}\n${isServed ? `${OPEN}\n` : ""}`)

/** Whether the last service was killed, perhaps during a commit. */
export const wasCutOff = (file: string): boolean =>
  isReplicated(file) && readFileSync(markOf(file), "utf8").split("\n")[1] === OPEN

/** Says what the removal of withheld words from the files waits for; empty if Litestream does not copy them. */
export const cleaningWaitsFor = (file: string): string =>
  isReplicated(file)
    ? "Litestream reads the log of the data as long as it runs, so the log, and what the file holds beside its rows, " +
      "are cleaned when the service starts next: restart Litestream."
    : ""

/** The message for a service that would serve such data without Litestream. */
export const notAlone = (file: string): string =>
  `Litestream keeps a copy of the data in ${dirname(file)}, and every acknowledgement waits for that copy. ` +
  "Without Litestream, the copy would fall behind unnoticed. Start Litestream, which starts the service with " +
  `--replicated, or delete ${markOf(file)} to serve this data without a copy from now on.`

/** The file in which Litestream's follower keeps its position, beside the file that it writes. */
export const followerNote = (file: string): string => `${file}-txid`

/** Whether the file is written by Litestream's follower and nothing else. */
export const isFollowed = (file: string): boolean => file !== ":memory:" && existsSync(followerNote(file))

/** The message for a command that would write to such a file. */
export const notOwn = (file: string): string =>
  `${file} is a copy that Litestream's follower writes (${followerNote(file)}): it can be read with serve --follow. ` +
  "Nothing was changed. To make it the original, stop the follower and the service of the original, " +
  `and delete ${followerNote(file)}.`
