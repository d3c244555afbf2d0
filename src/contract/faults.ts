/** Reads the code and the message of anything that was thrown. */

/** The command failed. The message is one sentence for the user; the exit code is 1. */
export class FailedError extends Error {
  override readonly name: string = "FailedError"
}

/** The code of a system or database error; empty if it has none. */
export const codeOf = (fault: unknown): string =>
  typeof fault === "object" && fault !== null && "code" in fault && typeof fault.code === "string" ? fault.code : ""

/** Whether a disk had no space left. */
export const isFull = (fault: unknown): boolean => ["SQLITE_FULL", "ENOSPC", "EDQUOT"].includes(codeOf(fault))

export const messageOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault))
