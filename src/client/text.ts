import { WITHHELD } from "../contract/definitions/withheld-text.ts"
import type { Withholding } from "../contract/answers/fields.ts"

type ShownText = string | { readonly withheld: Withholding }

/** A text of an answer, for display or search: `[withheld]` if it was withheld; null and undefined unchanged. */
export function textOf(text: ShownText): string
export function textOf(text: ShownText | null): string | null
export function textOf(text: ShownText | undefined): string | undefined
export function textOf(text: ShownText | null | undefined): string | null | undefined
export function textOf(text: ShownText | null | undefined): string | null | undefined {
  return typeof text === "object" && text !== null ? WITHHELD : text
}
