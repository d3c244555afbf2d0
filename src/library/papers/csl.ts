/**
 * The one inner form of a bibliography: the items, names and dates of CSL-JSON. Each reader of a format makes them, and
 * every export is made from them.
 */
/// <reference path="./citation-js.d.ts" />
import { parse as parseDateText } from "@citation-js/date"
import { parse as parseNameText } from "@citation-js/name"
import type { CslDate, CslName } from "../../contract/library/reads.ts"
import { isObject } from "../../contract/json.ts"
import { plain, list } from "./record.ts"

export type { CslDate, CslName }

/** Authors, and whether the source says that there are more of them than it names. */
export interface Authors {
  readonly names: readonly CslName[]
  readonly more: boolean
}

/** A name as it is read: "Jan van der Berg", "Tom Smith Jr.". */
export const shownName = (name: CslName): string =>
  name.literal ??
  [name.given, name["non-dropping-particle"], name.family, name.suffix].filter((part) => part !== undefined).join(" ")

/** What stands in the place of the authors that are not named. */
const OTHERS = /^(?:and\s+)?(?:others|et\.?\s*al\.?)$/i
/** Names that are not a person's, which have no parts. */
const GROUP =
  /\b(?:Collaboration|Consortium|Team|Group|Committee|Association|Society|Institute|University|Project|Network)\b/i

/** Reads a name that is one text: `van der Berg, Jan`, `Jan van der Berg`, or the name of a group. */
export function nameOf(text: string): CslName {
  const parts = text.split(",")
  if (parts.length > 3 || GROUP.test(text) || /\band\b|&/i.test(text) || !/\s/.test(text)) return { literal: text }
  // A text in a script without spaces between the parts, or with digits, is kept whole.
  if (parts.length === 1 && /\d/.test(text)) return { literal: text }
  const { family, given, suffix, "non-dropping-particle": particle } = parseNameText(text)
  if (family === undefined || family === "") return { literal: text }
  return {
    family,
    ...(given && { given }),
    ...(particle && { "non-dropping-particle": particle }),
    ...(suffix && { suffix }),
  }
}

/** Takes the mark of further authors out of a list of names. */
export function authorsOf(names: readonly CslName[]): Authors {
  const named = names.filter((name) => !OTHERS.test(shownName(name).trim()) && shownName(name).trim() !== "")
  return { names: named, more: names.some((name) => OTHERS.test(shownName(name).trim())) }
}

const YEAR = /(?<![0-9])(1[0-9]{3}|20[0-9]{2})(?![0-9])/
export const SEASONS = ["spring", "summer", "autumn", "winter"]
const CIRCA = /^(?:ca?\.|circa|about|approx\.?)\s*(?=\d)|(?<=\d)[?~%]$/i

/** Keeps the parts of a day that can be: an impossible month or day leaves the year, or year and month. */
function possible([year, month, day]: readonly number[]): number[] | undefined {
  if (year === undefined || !Number.isInteger(year) || year < 1_000 || year > 2_999) return undefined
  if (month === undefined || !Number.isInteger(month) || month < 1 || month > 12) return [year]
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return day === undefined || !Number.isInteger(day) || day < 1 || day > last ? [year, month] : [year, month, day]
}

/** The date that parts of CSL-JSON say; undefined if they say none. Numbers may be texts. */
export function dateOfParts(parts: readonly (readonly unknown[])[]): CslDate | undefined {
  const dates = parts.slice(0, 2).flatMap((part) => {
    // A day whose month cannot be is as unsure as the month.
    const found = possible(part.map((each) => (each === "" || each === null ? Number.NaN : Number(each))))
    return found === undefined ? [] : [found]
  })
  return dates.length === 0 ? undefined : { "date-parts": dates }
}

function oneDate(text: string): CslDate | undefined {
  const plain = text.replace(CIRCA, "").trim()
  // BibLaTeX numbers the seasons from 21.
  const [, of, season21] = /^(\d{4})-2([1-4])$/.exec(plain) ?? []
  if (of !== undefined) return { "date-parts": [[Number(of)]], season: Number(season21) }
  const [, year, month, day] = /^(\d{4})(?:[-/](\d{1,2}))?(?:[-/](\d{1,2}))?\/{0,3}$/.exec(plain) ?? []
  if (year !== undefined) return dateOfParts([[year, ...(month ? [month, ...(day ? [day] : [])] : [])]])
  // The day may stand behind the month: `May 2, 2011`.
  const { "date-parts": parts } = parseDateText(plain.replace(/^([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})$/, "$2 $1 $3"))
  // A number alone, such as a month, is no date.
  const read = parts !== undefined && YEAR.test(plain) ? dateOfParts(parts) : undefined
  if (read !== undefined) return read
  const found = /(?<![0-9])(1[0-9]{3}|20[0-9]{2})[a-z]?(?![0-9])/.exec(plain)?.[1]
  if (found === undefined) return undefined
  const season = SEASONS.findIndex((name) => plain.toLowerCase().replace("fall", "autumn").includes(name))
  return { "date-parts": [[Number(found)]], ...(season >= 0 && { season: season + 1 }) }
}

/**
 * Reads a date as people write it: `2016a`, `ca. 1999`, `Oct 2016`, `2015-10/2016-02`, `1957?`, `Spring 2011`. A text
 * that is not a date, such as "in press", is kept as it is.
 */
export function dateOf(text: string): CslDate | undefined {
  const whole = text.slice(0, 200).trim()
  if (whole === "") return undefined
  const [, from = whole, to] =
    /^(\d{4}-\d{2}(?:-\d{2})?|\d{4})(?:\/|–)(\d{4}(?:-\d{2}(?:-\d{2})?)?)?$/.exec(whole) ?? []
  const first = oneDate(from)
  if (first === undefined) return { literal: whole }
  const last = to === undefined ? undefined : oneDate(to)?.["date-parts"]?.[0]
  return {
    ...first,
    ...(last && { "date-parts": [...(first["date-parts"] ?? []), last] }),
    ...(CIRCA.test(from) && { circa: true }),
  }
}

/** The first of these texts that has a year in it, or the first text. */
export function firstDate(texts: readonly (string | undefined)[]): CslDate | undefined {
  const read = texts.flatMap((text) => dateOf(text ?? "") ?? [])
  return read.find((date) => date["date-parts"] !== undefined) ?? read[0]
}

export const yearOf = (date: CslDate | undefined): number | undefined => date?.["date-parts"]?.[0]?.[0]

/** The time of a date that is a single day, in the form of answers. */
export function momentOf(date: CslDate | undefined): string | undefined {
  const [[year, month, day] = [], ...more] = date?.["date-parts"] ?? []
  return year === undefined || month === undefined || day === undefined || more.length > 0
    ? undefined
    : new Date(Date.UTC(year, month - 1, day)).toISOString()
}

// Reading them from CSL-JSON and from Crossref's works, however they are written.

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
