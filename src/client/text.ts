import { WITHHELD } from "../contract/definitions/withheld-text.ts"
import type { Withholding } from "../contract/answers/fields.ts"

type ShownText = string | { readonly withheld: Withholding }

/** A text of an answer to show or to search: `[withheld]` where it was; null and undefined as they came. */
export function textOf(said: ShownText): string
export function textOf(said: ShownText | null): string | null
export function textOf(said: ShownText | undefined): string | undefined
export function textOf(said: ShownText | null | undefined): string | null | undefined
export function textOf(said: ShownText | null | undefined): string | null | undefined {
  return typeof said === "object" && said !== null ? WITHHELD : said
}
