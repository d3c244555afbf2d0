/**
 * What stands beside the data where a program of others copies it, Litestream: whether a copy is kept of it, or it is one itself.
 * Neither may be served as if it were alone.
 */
import { existsSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** Beside data of which Litestream keeps a copy: the mark of the service that waits for it. It names the control socket. */
const markOf = (file: string): string => join(dirname(file), "replicated")

/** Whether acknowledgements wait here for a copy. */
export const isReplicated = (file: string): boolean => file !== ":memory:" && existsSync(markOf(file))

/** Notes that they do. @throws Error where the folder cannot be written */
export const markReplicated = (file: string, socket: string): void => writeFileSync(markOf(file), `${socket}\n`)

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
