/**
 * Replaces what people type for an object (its label, its title or the address of its page) with its id, and an
 * output's name with its digest.
 */
import { enumerations } from "../../contract/schema/enumerations.ts"
import { aOrAn, type ObjectKind } from "../../contract/objects/objects.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import type { Issue } from "../../contract/refusals/refusal.ts"
import { limits } from "../../contract/limits.ts"
import { orNull, type Visit } from "../visit.ts"
import { counted, shortened, words } from "../words.ts"
import { type Choice, type Choices, choicesAmong } from "./choices.ts"
import { severalIn } from "./sheets/sheet.ts"
import { casePath, countName, type Draft, inside, itemCount } from "./draft.ts"
import type { Field } from "./fields.ts"

const LABEL = /^([A-Z]\d+)(?=$|:)/i
const ID_IN_ADDRESS = /\/([0-9a-f]{8}-[0-9a-f-]{27})(?=[/?#]|$)/i

/** Limits of searches for one form, and of names read from one list. Names beyond that stay as typed. */
const MOST_LOOKUPS = 8
const MOST_NAMES = 100

interface Lookup {
  readonly visit: Visit
  readonly roomId: string | undefined
  readonly choices: Choices
  readonly left: { lookups: number }
}

/** Searches the Room for objects of these kinds. */
function found({ visit, roomId, left }: Lookup, named: readonly ObjectKind[], text: string) {
  const kinds = enumerations.searchKind.filter((kind) => named.some((one) => one === kind))
  if (roomId === undefined || kinds.length === 0 || left.lookups <= 0) return []
  left.lookups -= 1
  const query = text.slice(0, limits.searchQuery)
  return orNull(() => visit.ask("search", {}, { query, roomId, kinds: kinds.join(","), limit: 5 }))?.items ?? []
}

/** The id of the object that a text names. Null if it names none, or more than one. */
function findId(untrimmed: string, named: readonly ObjectKind[], lookup: Lookup): string | null {
  const text = untrimmed.trim()
  if (isUuid(text)) return text
  const address = ID_IN_ADDRESS.exec(text)?.[1]
  if (address !== undefined) return address
  const known = choicesAmong(lookup.choices, named)
  const exact = known.filter((choice) => choice.text === text)
  if (exact.length === 1) return exact[0]?.id ?? null
  const label = LABEL.exec(text)?.[1]?.toUpperCase()
  if (label === undefined) return null
  const listed = known.find((choice) => choice.text.startsWith(`${label}:`))
  return listed?.id ?? found(lookup, named, label).find((hit) => hit.label === label)?.id ?? null
}

/** The message for a text that names no object, with similar objects. */
function unknown(text: string, named: readonly ObjectKind[], lookup: Lookup): string {
  const similar = found(lookup, named, text).map(({ label, title }) => `${label ?? ""} ${shortened(title, 60)}`.trim())
  const what = named.length === 1 && named[0] !== undefined ? words(named[0]) : "record"
  return (
    `“${shortened(text, 60)}” is not ${aOrAn(what)}${lookup.roomId === undefined ? "" : " of this Room"}.` +
    `${similar.length === 0 ? "" : ` Similar: ${similar.join("; ")}.`}`
  )
}

/** Returns a copy of the draft with ids in place of names, and an issue for each name that was not found. */
export function withIds(form: Field, draft: Draft, scope: Omit<Lookup, "left">): { draft: Draft; issues: Issue[] } {
  const made = new URLSearchParams(draft)
  const issues: Issue[] = []
  const lookup: Lookup = { ...scope, left: { lookups: MOST_LOOKUPS } }
  /** The id, or the text itself with an issue. */
  const resolve = (text: string, named: readonly ObjectKind[], path: string): string => {
    const id = findId(text, named, lookup)
    if (id === null) issues.push({ path: path.replace(/\|[^/]+/g, ""), message: unknown(text, named, lookup) })
    return id ?? text
  }
  const look = (field: Field, path: string): void => {
    if (field.form === "text" && field.named !== undefined) {
      const text = draft.get(path)?.trim() ?? ""
      if (text !== "") made.set(path, resolve(text, field.named, path))
    } else if (field.form === "lines" && field.named !== undefined && draft.has(path)) {
      const { named } = field
      const names = draft.getAll(path).flatMap(severalIn)
      made.delete(path)
      names.forEach((text, index) => made.append(path, index < MOST_NAMES ? resolve(text, named, path) : text))
    }
    for (const { inner, at } of inside(field, path, draft)) look(inner, at)
  }
  look(form, "")
  return { draft: made, issues }
}

export const OUTPUT_CASE = "attempt_output"
/** The name of the input that replaces those for the attempt, the output's label and its digest. */
export const outputName = (path: string): string => `${casePath(path, OUTPUT_CASE)}/output`
const OF_OUTPUT = new RegExp(`\\|${OUTPUT_CASE}/(?:attemptId|outputLabel|digest)$`)
export const isOfOutput = (path: string): boolean => OF_OUTPUT.test(path)

/** How many attempts have their outputs and logs listed: the first choices. */
const ATTEMPTS = 20
const OUTPUTS = 20

/** The outputs and the logs that the first of these attempts reported. */
export function reportedBy(visit: Visit, choices: readonly Choice[]) {
  const attempts = choices
    .slice(0, ATTEMPTS)
    .flatMap(({ id }) => orNull(() => visit.ask("attempt", { attemptId: id })) ?? [])
  return {
    outputs: attempts.flatMap(({ attemptId, label, outputs }) =>
      outputs
        .slice(0, OUTPUTS)
        .map(({ outputLabel, digest }) => ({ text: `${label}: ${outputLabel}`, attemptId, outputLabel, digest })),
    ),
    logs: attempts.flatMap(({ label, log }) =>
      log === null ? [] : [`${label}: a log of ${counted(log.lines, "line")}`],
    ),
  }
}

export const LOG_CASE = "attempt_log"
/** Lines of a log are one input, which holds one line or two: "120", "120–135". */
const OF_LINES = `|${LOG_CASE}/lines`
const OF_DIGEST = `|${LOG_CASE}/digest`
/** The input for a place in a cited log: the lines for each of them, the attempt for the digest. */
export function inputOfLog(path: string): string {
  const at = path.indexOf(OF_LINES)
  if (at !== -1) return path.slice(0, at + OF_LINES.length)
  return path.endsWith(OF_DIGEST) ? `${path.slice(0, -"digest".length)}attemptId` : path
}
const LINES = /^(?:lines?\s+)?(\d{1,9})(?:\s*(?:[-–,]|to)\s*(\d{1,9}))?$/i

/** Fills in the digest and both lines of each cited log, once its attempt is known by its id. */
export function withLogs(visit: Visit, draft: Draft): { draft: Draft; issues: Issue[] } {
  const made = new URLSearchParams(draft)
  const issues: Issue[] = []
  for (let index = 0; index < itemCount(draft, "/evidence", 0, 50); index += 1) {
    const at = `/evidence/${index}`
    const inCase = casePath(at, LOG_CASE)
    const attemptId = draft.get(`${inCase}/attemptId`) ?? ""
    if (draft.get(`${at}/kind`) !== LOG_CASE || !isUuid(attemptId)) continue
    const attempt = orNull(() => visit.ask("attempt", { attemptId }))
    if (attempt?.log === null)
      issues.push({ path: `${at}/attemptId`, message: `“${attempt.label}” has not reported a log.` })
    made.set(`${inCase}/digest`, attempt?.log?.digest ?? "")
    const typed = draft.get(`${inCase}/lines`)?.trim() ?? ""
    const [, first, last = first] = LINES.exec(typed) ?? []
    if (first !== undefined) made.set(`${inCase}/lines/0`, first)
    if (last !== undefined) made.set(`${inCase}/lines/1`, last)
    else if (typed !== "")
      issues.push({
        path: `${at}/lines`,
        message: `“${shortened(typed, 40)}” is not a line or a range of lines, such as 120 or 120–135.`,
      })
  }
  return { draft: made, issues }
}

/** Replaces each chosen output with the inputs that the body needs. */
export function withOutputs(draft: Draft, outputs: ReturnType<typeof reportedBy>["outputs"]): Draft {
  if (!draft.has(countName("/evidence"))) return draft
  const made = new URLSearchParams(draft)
  for (let index = 0; index < itemCount(draft, "/evidence", 0, 50); index += 1) {
    const at = `/evidence/${index}`
    const chosen = outputs.find(({ text }) => text === draft.get(outputName(at))?.trim())
    for (const name of ["attemptId", "outputLabel", "digest"] as const)
      if (chosen !== undefined) made.set(`${casePath(at, OUTPUT_CASE)}/${name}`, chosen[name])
  }
  return made
}
