/** The refusals of every surface: what causes each of them, and what a client does about it. */
import { each, isKeyOf, keysOf } from "../each.ts"
import type { RefusalSpecOf } from "./spec.ts"
import { refusalsOfAccess } from "./access.ts"
import { refusalsOfAbsence } from "./absence.ts"
import { refusalsOfConflict } from "./conflict.ts"
import { refusalsOfForm } from "./form.ts"
import { refusalsOfLibrary } from "./library.ts"
import type { Family } from "../versions.ts"

export type { Circumstance } from "./spec.ts"

const table = {
  ...refusalsOfAccess,
  ...refusalsOfAbsence,
  ...refusalsOfConflict,
  ...refusalsOfForm,
  ...refusalsOfLibrary,
} as const

export type RefusalCode = keyof typeof table
export interface RefusalSpec extends RefusalSpecOf<RefusalCode> {
  readonly retryable: boolean
  /** The only family in which it occurs. */
  readonly family?: Family
}
/** Every refusal. Those of the Library come last. */
export const refusals: Readonly<Record<RefusalCode, RefusalSpec>> = each(keysOf(table), (code) => ({
  retryable: false,
  ...(isKeyOf(refusalsOfLibrary, code) && { family: "library" }),
  ...table[code],
}))
export const refusalCodes = keysOf(refusals)

/** The code that a family uses for a refusal. */
export const codeIn = (code: RefusalCode, family: Family): RefusalCode =>
  family === "library" ? (refusals[code].library ?? code) : code
