/** Formats words of the contract, counts, measured values, digests and times for people. */
import { isKeyOf } from "../contract/typed.ts"
import {
  enumerations,
  type KeyReach,
  type LibraryPermission,
  type Permission,
} from "../contract/schema/enumerations.ts"
import { dateOf, inDigits } from "../contract/text.ts"

export { dateOf, shortened } from "../contract/text.ts"

/** `in_progress` and `towardHypothesis` as words: "in progress", "toward hypothesis". */
export const words = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase()
    .replace(/\b(id|url|uri|json|argv)\b/g, (word) => (word === "argv" ? "command" : word.toUpperCase()))

/** The same as `words`, with a capital first letter. */
export const title = (name: string): string => {
  const text = words(name)
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** The name of a property in forms, without its "Id": "rerunOf" is "Rerun of", "threadId" is "Thread". */
export const calledByForms = (name: string): string =>
  title(
    name
      .replace(/^arxivId/, "paperId")
      .replace(/^versionId/, "recordId")
      .replace(/(?:Version)?Id(s?)$/, "$1"),
  )

/** "1 attempt", "4 attempts"; `several` is the plural if it does not end in a plain s. */
export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${inDigits(count)} ${count === 1 ? one : several}`

/** A digest or commit, shortened in the middle. */
export const shortDigest = (digest: string): string => {
  const [scheme, hex] = digest.startsWith("sha256:") ? ["sha256:", digest.slice(7)] : ["", digest]
  return hex.length <= 16 ? digest : `${scheme}${hex.slice(0, 7)}…${hex.slice(-5)}`
}

/** A byte count with a unit. */
export function bytes(count: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"]
  let [value, unit] = [count, 0]
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000
    unit += 1
  }
  return `${unit === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`
}

/** Formats the time since a moment, in one unit. */
export function ago(at: string, now: number): string {
  const seconds = Math.round((now - Date.parse(at)) / 1_000)
  if (seconds < 45) return seconds < -45 ? `in ${span(-seconds)}` : "just now"
  return `${span(seconds)} ago`
}
function span(seconds: number): string {
  if (seconds < 2_700) return `${Math.max(1, Math.round(seconds / 60))} min`
  if (seconds < 79_200) return `${Math.round(seconds / 3_600)} h`
  const days = Math.round(seconds / 86_400)
  if (days < 45) return counted(days, "day")
  return days < 550 ? counted(Math.round(days / 30.4), "month") : counted(Math.round(days / 365), "year")
}

/** 2026-11-20T09:30:00.000Z as "20 Nov 2026, 09:30 UTC". */
export const dateAndTime = (at: string): string => `${dateOf(at)}, ${at.slice(11, 16)} UTC`

/** "Today", "Yesterday", or the date. */
export function dayName(at: string, now: number): string {
  const day = (time: number) => new Date(time).toISOString().slice(0, 10)
  const on = at.slice(0, 10)
  return on === day(now) ? "Today" : on === day(now - 86_400_000) ? "Yesterday" : dateOf(at)
}

/** "14:20 UTC" for a time of today, with the date for another day. */
export const clockTime = (at: string, now: number): string =>
  at.slice(0, 10) === new Date(now).toISOString().slice(0, 10) ? `${at.slice(11, 16)} UTC` : dateAndTime(at)

/** What a credential or a key permits, as its lists say it; forms say more. */
const PERMITTED: Readonly<Record<Permission | LibraryPermission, string>> = {
  post_thread: "write in Threads",
  publish_records: "publish records",
  manage_own_experiments: "run experiments",
  read_library: "read the Library",
  read_annotations: "read notes",
  file_papers: "file papers",
  post_notes: "write notes",
}
export const permittedInWords = (permissions: readonly string[]): string =>
  permissions.map((name) => (isKeyOf(PERMITTED, name) ? PERMITTED[name] : words(name))).join(", ")

/** What a personal key reaches, as its lists say it. */
export const reachInWords: Readonly<Record<KeyReach, string>> = {
  all: "everything",
  owned: "all but what others share",
  selected: "chosen Collections",
}

/** The values of an enumeration as the options of a select. */
export const choices = (name: keyof typeof enumerations): { value: string; text: string }[] =>
  enumerations[name].map((value) => ({ value, text: words(value) }))

let sixDigits: Intl.NumberFormat | undefined
/** Formats a measured value with 6 significant digits. A format for each value took 9 % of a link's page. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  if (value !== 0 && (Math.abs(value) >= 1e7 || Math.abs(value) < 1e-4))
    return value.toExponential(3).replace(/\.?0{1,3}e/, "e")
  sixDigits ??= new Intl.NumberFormat("en", { maximumSignificantDigits: 6 })
  return sixDigits.format(Number(value.toPrecision(6)))
}

/** Formats the difference of a value from another, with its sign and 4 significant digits. */
export function difference(value: number, from: number): string {
  const by = Number((value - from).toPrecision(4))
  return by === 0 ? "±0" : `${by > 0 ? "+" : "−"}${figure(Math.abs(by))}`
}

/** Returns the name of a dimension or setting for people: `--group` becomes "group". */
export const nameOfDimension = (name: string): string => words(name.replace(/^--?/, ""))

/** Guesses from its name whether higher (1) or lower (-1) values of a metric are better; 0 if unknown. */
export function directionByName(name: string): -1 | 0 | 1 {
  if (/error|loss|nll|perplexity|entropy|regret|latency|time|seconds|memory|cost|rmse|mae|mse|distance/i.test(name))
    return -1
  return /accuracy|pass@|f1|auc|reward|score|recall|precision|bleu|rouge|throughput|win|coverage/i.test(name) ? 1 : 0
}
