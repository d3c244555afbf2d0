/** The log: JSON lines on standard error. Standard output is for the output of commands. */
import { type DestinationStream, destination, type Logger, pino } from "pino"
import { tokenPrefixes } from "./people/tokens.ts"

const TOKEN = new RegExp(`(${Object.values(tokenPrefixes).join("|")})[0-9A-Za-z]+`, "g")

/** Cuts every token in a text to its prefix. */
export const withoutTokens = (text: string): string => text.replace(TOKEN, "$1…")

export interface LogOptions {
  /** Writes asynchronously: for a log with a line per request, so that no request waits for the write. */
  readonly busy?: boolean
  /** The destination; standard error by default. */
  readonly to?: DestinationStream
}

export const openLog = (level: "info" | "fatal" | "silent" = "info", { busy = false, to }: LogOptions = {}): Logger =>
  // No line should contain a token. If one does, the token is cut before it is written.
  pino({ level, base: null, hooks: { streamWrite: withoutTokens } }, to ?? destination({ dest: 2, sync: !busy }))
