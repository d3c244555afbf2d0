/** Parts of the sentences in a Room's feed. */
import { oneLine, shortened } from "../text.ts"

/** The most characters that a sentence quotes from a person's text. */
const QUOTED = 240

/** Quotes a person's text at the end of a sentence; empty if there is none. */
export const quoting = (text: string | undefined, most = QUOTED): string =>
  text === undefined ? "" : `: ${shortened(oneLine(text), most)}`

/** Where a quotation stands in its paper, behind the paper: ", section 2, page 7". */
export const locatedIn = (locator: { readonly [part in "section" | "page" | "figure"]?: string } = {}): string =>
  Object.entries(locator)
    .map(([part, at]) => `, ${part} ${at}`)
    .join("")

/** The name of a kind or state, as words. */
export const words = (name: string): string => name.replaceAll("_", " ")

/** What joins a writer's name and what they did: a colon if that has its own subject, as "A30 started" does. */
export const afterName = (text: string): string => (/^[A-Z][0-9]/.test(text) ? ":" : "")

/** Members of bodies whose name is not the word that people use for them. */
const known = new Map([
  ["alt", "description"],
  ["argv", "command"],
  ["by", "columns"],
  ["corrects", "corrections"],
  ["csv", "table of values"],
  ["definition", "meaning"],
  ["evidence", "piece of evidence"],
  ["missing", "missing cells"],
  ["outputLabel", "name"],
  ["towardHypothesis", "verdicts"],
  ["towardQuestion", "verdict on the question"],
  ["uri", "address"],
  ["wording", "sentence"],
])
/** Members around others that a place in words leaves out. */
const around = new Set(["assertion", "content", "protocol", "provenance", "suggestedProtocol", "table"])
const singular = (name: string): string =>
  name
    .replace(/criteria$/, "criterion")
    .replace(/ies$/, "y")
    .replace(/([^s])s$/, "$1")

/** A place in a body in words, the innermost first: "/assertion/roles/1/definition" is "meaning of role 2". */
export function placeInWords(place: string): string {
  const parts: string[] = []
  for (const step of place.slice(1).split("/")) {
    const last = parts.at(-1)
    const name = known.get(step) ?? words(step.replace(/([a-z0-9])([A-Z])/g, "$1 $2")).toLowerCase()
    if (last === "concepts") parts.splice(-1, 1, `concept “${step}”`)
    else if (last === "command") parts.push(`word ${Number(step) + 1}`)
    else if (last !== undefined && /^[0-9]{1,4}$/.test(step))
      parts.splice(-1, 1, `${singular(last)} ${Number(step) + 1}`)
    else if (!around.has(step) && name !== last) parts.push(name)
  }
  const [whole = words(place.slice(1)), ...others] = parts.map(
    (part, at) => `${at < parts.length - 1 && !/ \d+$/.test(part) ? "the " : ""}${part}`,
  )
  return others.reduce((outer, inner) => `${inner} of ${outer}`, whole)
}

/** The disputed part of a record: words of its wording, or the path of a member. */
export function partInWords(part: string): string {
  if (!part.startsWith("/")) return `“${part}”`
  const name = placeInWords(part)
  return /^[^ ]+ \d+$/.test(name) ? name : `the ${name}`
}
