/** What a fault says of itself, whatever was thrown. */

/** The code of an error of the system or the database; empty where it has none. */
export const codeOf = (fault: unknown): string =>
  typeof fault === "object" && fault !== null && "code" in fault && typeof fault.code === "string" ? fault.code : ""

export const messageOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault))
