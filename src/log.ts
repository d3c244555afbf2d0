/** The log: JSON lines on standard error. Standard output belongs to what a command prints. */
import { type DestinationStream, destination, type Logger, pino } from "pino"
import { tokenPrefixes } from "./people/tokens.ts"

const TOKEN = new RegExp(`(${Object.values(tokenPrefixes).join("|")})[0-9A-Za-z]+`, "g")

/** A text with every token in it made useless. */
export const withoutTokens = (text: string): string => text.replace(TOKEN, "$1…")

export interface LogOptions {
  /** For a line on every request: written when the system is ready for it, so that no request waits for its line. */
  readonly busy?: boolean
  /** In place of standard error. */
  readonly to?: DestinationStream
}

export const openLog = (level: "info" | "silent" = "info", { busy = false, to }: LogOptions = {}): Logger =>
  // No line should hold a token; should one do so all the same, it is useless by the time it is out.
  pino({ level, base: null, hooks: { streamWrite: withoutTokens } }, to ?? destination({ dest: 2, sync: !busy }))
