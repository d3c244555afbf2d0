/** The choices of a form's id fields: objects of the Room, each with its label, so that nobody has to know an id. */
import { accepted } from "../../contract/operations/index.ts"
import { orNull, type Visit } from "../visit.ts"
import { isKeyOf } from "../../contract/typed.ts"
import { type LabelledKind, type ObjectKind, type RecordKind, aOrAn } from "../../contract/objects/objects.ts"
import { type Author, writerToSelf } from "../../contract/answers/parts.ts"
import { plainText } from "../markdown.ts"
import { shortened, words, counted } from "../words.ts"
import { enumerations } from "../../contract/schema/enumerations.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import type { Issue } from "../../contract/refusals.ts"
import { limits } from "../../contract/limits.ts"
import { severalIn } from "./sheets/sheet.ts"
import { casePath, countName, type Draft, inside, itemCount } from "./draft.ts"
import type { Field } from "./fields.ts"

// Suggestions for inputs, from the records of the Room: concepts with their meaning, roles, repositories.

/** The usual roles. A form begins with the first two. */
export const usualRoles = [
  { role: "cause", definition: "What is changed." },
  { role: "effect", definition: "What is measured." },
  { role: "comparison", definition: "What it is compared with." },
  { role: "condition", definition: "What must hold for it." },
]

/** How many of the newest records or attempts are read. */
const LOOKED_INTO = 15

const distinctBy = <T>(items: readonly T[], name: (item: T) => string): T[] =>
  [...new Map([...items].reverse().map((item) => [name(item), item])).values()].reverse()

/** The concepts and roles of a Room's newest records. A concept `happens` if it is the predicate of its record. */
function wordsIn(visit: Visit, roomId: string) {
  const { items } = visit.ask("publications", {}, { roomId, limit: LOOKED_INTO })
  const records = items.map(({ versionId, label }) => {
    return { versionId, label, ...accepted("record", visit.record(versionId)?.content) }
  })
  const concepts = records.flatMap(({ versionId, label, concepts, assertion: { predicate } }) =>
    Object.entries(concepts).map(([key, concept]) => ({
      key,
      ...concept,
      happens: predicate.key === key,
      record: { versionId, label },
    })),
  )
  const roles = records.flatMap(({ assertion }) =>
    assertion.roles.map(({ role, definition }) => ({ role, definition })),
  )
  return {
    concepts: distinctBy(concepts, ({ label }) => label.toLowerCase()),
    roles: distinctBy([...roles, ...usualRoles], ({ role }) => role),
  }
}

function repositoriesIn(visit: Visit, roomId: string): string[] {
  const { items } = visit.ask("attempts", {}, { roomId, limit: LOOKED_INTO })
  const found = items.map(({ attemptId }) => orNull(() => visit.ask("attempt", { attemptId }))?.repository.url)
  return [...new Set(found.filter((url) => url !== undefined))]
}

/** Returns the suggestions for the form of a statement, or of a plan or attempt. */
export const suggestionsOf = (visit: Visit, roomId: string | undefined, wanted: "statement" | "work" | null) => ({
  ...(roomId !== undefined && wanted === "statement" ? wordsIn(visit, roomId) : { concepts: [], roles: usualRoles }),
  repositories: roomId !== undefined && wanted === "work" ? repositoriesIn(visit, roomId) : [],
})
export type Suggestions = ReturnType<typeof suggestionsOf>

/** The name under which a concept is borrowed: "warm-up, as H1 means it". */
export const borrowedName = ({ label, record }: Suggestions["concepts"][number]): string =>
  `${label}, as ${record.label} defines it`

export interface Choice {
  readonly id: string
  readonly text: string
  /** The experiment that an attempt belongs to. */
  readonly of?: string
  /** Whether the visitor or one of their agents made it. */
  readonly isOwn?: boolean
}
/** Returns the choices of a kind. Empty if objects of the kind are not chosen from a list. */
export type Choices = (kind: ObjectKind) => readonly Choice[]

/** How many objects of a kind a form lists: the newest. Others are found by their label or by search. */
const MOST = 50
const PLANNED = 20

const text = (label: string, content: string) => `${label}: ${shortened(plainText(content), 90)}`

/** The choices of a field that accepts these kinds. */
export const choicesAmong = (choices: Choices, named: readonly ObjectKind[] = []): readonly Choice[] =>
  named.flatMap(choices)

/** A choice says whose it is if it is the visitor's own. */
function madeBy(visit: Visit, author: Author, choice: Choice): Choice {
  if (visit.person === undefined || author.userId !== visit.person.userId) return choice
  return { ...choice, text: `${choice.text} (by ${writerToSelf(author)})`, isOwn: true }
}

/** Lists the newest objects of a kind in label order, so the newest come last. */
type ListChoices = (room: ChoiceRoom) => readonly Choice[]

interface ChoiceRoom {
  readonly visit: Visit
  readonly roomId: string
  /** Reads a part of the Room's context, once for all kinds that it holds. */
  readonly part: (name: string) => Context
}
const contextOf = (visit: Visit, roomId: string, parts: string) =>
  visit.ask("room_context", { roomId }, { parts, affordances: 0 })
type Context = ReturnType<typeof contextOf>

const records =
  (kind: RecordKind): ListChoices =>
  ({ visit, part }) => {
    const { hypotheses, publications } = part(kind === "hypothesis" ? "hypotheses" : "publications")
    return (hypotheses ?? publications ?? [])
      .filter((record) => record.kind === kind)
      .slice(-MOST)
      .map(({ versionId, label, wording, author }) =>
        madeBy(visit, author, { id: versionId, text: text(label, wording) }),
      )
  }

const listers = {
  hypothesis: records("hypothesis"),
  finding: records("finding"),
  cited_claim: records("cited_claim"),
  experiment: ({ visit, part }) =>
    (part("experiments").experiments ?? [])
      .slice(-MOST)
      .map(({ experimentId, label, question, proposer }) =>
        madeBy(visit, proposer, { id: experimentId, text: text(label, question) }),
      ),
  plan: ({ visit, part }) =>
    (part("experiments").experiments ?? [])
      .filter(({ plans }) => plans > 0)
      .slice(-PLANNED)
      .map(({ experimentId }) => visit.ask("experiment", { experimentId }))
      .flatMap(({ acceptedPlans, label }) =>
        acceptedPlans.map((plan) => ({ id: plan.planId, text: `${plan.label}: plan of ${label}` })),
      ),
  attempt: ({ visit, roomId, part }) => {
    const after = Math.max(0, part("counts").counts.attempt - MOST)
    const { items } = visit.ask("attempts", {}, { roomId, order: "label", after, limit: MOST })
    return items.map(({ attemptId, label, intent, status, experimentLabel, experimentId, registrant }) =>
      madeBy(visit, registrant, {
        id: attemptId,
        text: `${label}: ${words(intent)} attempt of ${experimentLabel}, ${words(status)}`,
        of: experimentId,
      }),
    )
  },
  material: ({ visit, roomId }) =>
    visit.tables.materials
      .newestOfRoom(roomId, MOST)
      .map(({ materialId, label, name }) => ({ id: materialId, text: text(label, name) })),
  thread: ({ part }) =>
    (part("threads").threads ?? []).slice(-MOST).map(({ threadId, title }) => ({ id: threadId, text: title })),
} satisfies Partial<Record<LabelledKind | "thread", ListChoices>>

/**
 * The objects of a Room and the reader's own Collections. Each kind is looked up once, when it is first needed. First
 * come attempts of the form's experiment, then what the visitor or their agents made; the newest first within each.
 */
export function choicesOf(visit: Visit, roomId: string | undefined, experimentId?: string): Choices {
  const known = new Map<ObjectKind, readonly Choice[]>()
  const parts = new Map<string, Context>()
  const look: Choices = (kind) => {
    if (kind === "collection")
      return visit.actor === null
        ? []
        : visit.ask("library_collections").items.map(({ id, name }) => ({ id, text: name }))
    if (roomId === undefined || !isKeyOf(listers, kind)) return []
    const part = (name: string) => parts.getOrInsertComputed(name, () => contextOf(visit, roomId, name))
    const place = ({ of, isOwn }: Choice) =>
      (of !== undefined && of === experimentId ? 0 : 2) + (isOwn === true ? 0 : 1)
    return [...listers[kind]({ visit, roomId, part })].reverse().sort((one, other) => place(one) - place(other))
  }
  return (kind) => known.getOrInsertComputed(kind, () => look(kind))
}

// Replaces what people type for an object (its label, its title or the address of its page) with its id, and an
// output's name with its digest.

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
