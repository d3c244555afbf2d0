/** The names, dates and types of CSL-JSON and of Crossref's works, however they are written. */
import { isObject } from "../../contract/json.ts"
import { type CslDate, type CslName, dateOf, dateOfParts, nameOf } from "./csl.ts"
import { plain, list } from "./record.ts"

export type { CslDate }

/** Returns a text, a number as text, or the first of a list of them. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string"
    ? value
    : typeof value === "number"
      ? String(value)
      : Array.isArray(value)
        ? textOf(value[0])
        : undefined

/** A name in its parts, of a group, or as one text. */
function cslName(value: unknown): CslName[] {
  if (typeof value === "string") return value.trim() === "" ? [] : [nameOf(plain(value))]
  if (!isObject(value)) return []
  const part = (name: string) => plain(textOf(value[name]) ?? "")
  const literal = part("literal") || part("name")
  const [family, given, suffix] = [part("family"), part("given"), part("suffix")]
  const particle = [part("dropping-particle"), part("non-dropping-particle")].filter((each) => each !== "").join(" ")
  if (family === "") return literal !== "" ? [{ literal }] : given === "" ? [] : [{ literal: given }]
  return [
    {
      family,
      ...(given !== "" && { given }),
      ...(particle !== "" && { "non-dropping-particle": particle }),
      ...(suffix !== "" && { suffix }),
    },
  ]
}

/** The names of an item: a list, or one text. */
export const cslNames = (value: unknown): CslName[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).slice(0, 5_000).flatMap(cslName)

/** A date of an item: by its parts, or by the words of `raw` or `literal`. */
export function cslDate(value: unknown): CslDate | undefined {
  if (typeof value === "string" || typeof value === "number") return dateOf(String(value))
  if (!isObject(value)) return undefined
  const read = dateOfParts(list(value["date-parts"]).filter((part) => Array.isArray(part)))
  const season = Number(value.season)
  if (read === undefined) return dateOf(textOf(value.raw) ?? textOf(value.literal) ?? "")
  return {
    ...read,
    ...(Number.isInteger(season) && season >= 1 && season <= 4 && { season }),
    ...((value.circa === true || value.circa === 1 || value.circa === "true") && { circa: true }),
  }
}

/** Crossref's names of types that CSL names otherwise. */
export const crossrefTypes: Readonly<Record<string, string>> = {
  "journal-article": "article-journal",
  "proceedings-article": "paper-conference",
  "book-chapter": "chapter",
  "book-section": "chapter",
  "book-part": "chapter",
  monograph: "book",
  "edited-book": "book",
  "reference-book": "book",
  proceedings: "book",
  dissertation: "thesis",
  "posted-content": "article",
}
