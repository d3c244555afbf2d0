/**
 * What stands beside the data where a program of others copies it, Litestream: whether a copy is kept of it, or it is one itself.
 * Neither may be served as if it were alone.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** Beside data of which Litestream keeps a copy: the mark of the service that waits for it. It names the control socket. */
const markOf = (file: string): string => join(dirname(file), "replicated")

/** Whether acknowledgements wait here for a copy. */
export const isReplicated = (file: string): boolean => file !== ":memory:" && existsSync(markOf(file))

/** What the mark says while a service writes: found at a start, the service before was cut off. */
const OPEN = "open"

/** Notes that they do, and whether a service writes now. @throws Error where the folder cannot be written */
export const markReplicated = (file: string, socket: string, isServed: boolean): void =>
  writeFileSync(markOf(file), `${socket}\n${isServed ? `${OPEN}\n` : ""}`)

/** Whether the service before ended without a word, in the midst of a commit maybe. */
export const wasCutOff = (file: string): boolean => isReplicated(file) && readFileSync(markOf(file), "utf8").split("\n")[1] === OPEN

/** The sentence for whoever serves such data alone. */
export const notAlone = (file: string): string =>
  `Of the data in ${dirname(file)} Litestream keeps a copy that every acknowledgement waits for; served alone it would fall behind without a word. Start Litestream, which starts the service with --replicated, or delete ${markOf(file)} to serve this data without a copy from now on.`

/** What Litestream's follower keeps beside the file that it writes: how far it has come. */
export const followerNote = (file: string): string => `${file}-txid`

/** Whether the file is written by Litestream's follower, and by nobody else. */
export const isFollowed = (file: string): boolean => file !== ":memory:" && existsSync(followerNote(file))

/** The sentence for whoever would write to such a file. */
export const notOwn = (file: string): string =>
  `${file} is a copy that Litestream's follower writes (${followerNote(file)}): it can be read with serve --follow. Nothing was changed. To take it over for good, end the follower and whoever serves the original, and delete ${followerNote(file)}.`
