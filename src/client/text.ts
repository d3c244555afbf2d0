import { WITHHELD } from "../contract/withheld.ts"
import type { Withholding } from "../contract/answer-fields.ts"

type Told = string | { readonly withheld: Withholding } | null | undefined

/** A text of an answer to show or to search: `[withheld]` where it was; null and undefined as they came. */
export const textOf = <T extends Told>(said: T): string | Extract<T, null | undefined> =>
  typeof said === "string" ? said : said === null || said === undefined ? (said as Extract<T, null | undefined>) : WITHHELD
