/**
 * Reads a draft as a request body: drops empty rows, replaces names with ids, and fills in what follows from other
 * inputs.
 */
import type { Issue } from "../../contract/refusals.ts"
import { calledByForms } from "../words.ts"
import { type Draft, issueField, bodyOf, itemCount, withoutBlankRows } from "./draft.ts"
import { type Form, formOf } from "./fields.ts"
import {
  inputOfLog,
  isOfOutput,
  outputName,
  reportedBy,
  withIds,
  withLogs,
  withOutputs,
  choicesOf,
  suggestionsOf,
} from "./choices.ts"
import { placeOf, type Sheet } from "./sheets/sheet.ts"
import { visibleInput, spelledOut } from "./statement.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { limits } from "../../contract/limits.ts"
import { orOf } from "../../contract/text.ts"
import { type Visit, orNull } from "../visit.ts"

// Reads what people paste for a repository and a commit: an SSH address, and the beginning of a known commit.

const SSH = /^(?:ssh:\/\/)?git@([\w.-]{1,253})[:/]([\w.-]{1,100})\/([\w.-]{1,100})\/?$/
const SHORT = /^[0-9a-f]{7,39}$/i
/** The most signs of an address that a sentence repeats. */
const MOST_SIGNS = 80
/** How many of a Room's newest attempts are read for their commits. */
const LOOKED_INTO = 30

/** The public address of a repository that is named as its server is asked by SSH; undefined for any other text. */
export function publicAddress(text: string): string | undefined {
  const [, host, owner, name = ""] = SSH.exec(text.trim()) ?? []
  return host === undefined ? undefined : `https://${host.toLowerCase()}/${owner}/${name.replace(/\.git$/, "")}`
}

/** The commits that attempts of a Room ran of a repository, with the label of an attempt. */
function commitsOf(visit: Visit, roomId: string | undefined, url: string): ReadonlyMap<string, string> {
  if (roomId === undefined) return new Map()
  const { items } = visit.ask("attempts", {}, { roomId, limit: LOOKED_INTO })
  const runs = items.flatMap(({ attemptId }) => orNull(() => visit.ask("attempt", { attemptId })) ?? [])
  return new Map(
    runs.flatMap(({ repository, label }) => (repository.url === url ? [[repository.commit, label] as const] : [])),
  )
}

/**
 * Replaces an SSH address by the public one, and a short commit by the only one of the Room's that begins with it.
 * @returns the draft, and a sentence for each text that became another
 */
export function withRepository(
  visit: Visit,
  room: () => string | undefined,
  draft: Draft,
): { readonly draft: Draft; readonly became: readonly string[] } {
  const made = new URLSearchParams(draft)
  const became: string[] = []
  for (const name of [...draft.keys()].filter((each) => each.endsWith("/repository/url"))) {
    const given = draft.get(name) ?? ""
    const url = publicAddress(given) ?? given.trim()
    if (url !== given.trim()) {
      made.set(name, url)
      became.push(`“${given.trim()}” is ${url}.`)
    }
    const place = name.replace(/url$/, "commit")
    const short = (draft.get(place) ?? "").trim().toLowerCase()
    if (!SHORT.test(short)) continue
    const [found, ...others] = [...commitsOf(visit, room(), url)].filter(([commit]) => commit.startsWith(short))
    if (found === undefined || others.length > 0) continue
    made.set(place, found[0])
    became.push(`“${short}” is ${found[0]}, which ${found[1]} ran.`)
  }
  return { draft: made, became }
}

/** Says what to write for an address or a commit that names no repository or commit; undefined for any other input. */
function aboutRepository(at: string, given: string): string | undefined {
  const text = given.trim()
  if (text === "" || text.length > MOST_SIGNS) return undefined
  if (at.endsWith("/repository/commit"))
    return SHORT.test(text)
      ? `No commit that this Room has run begins with “${text}”. ` + `Give all of it: git rev-parse ${text} prints it.`
      : `“${text}” is not a commit. Give all of its 40 or 64 digits, as git rev-parse HEAD prints them.`
  if (!at.endsWith("/repository/url")) return undefined
  const [host = "", owner, name, ...deeper] = text.replace(/^[a-z]+:\/\//i, "").split("/")
  if (owner !== undefined && name !== undefined && deeper.length > 0)
    return `“${text}” is a page within a repository. Give the repository: https://${host}/${owner}/${name}.`
  return host.includes(".") && owner !== undefined && owner !== "" && name === undefined
    ? `“${text}” names no owner. Give the whole address: https://${host}/owner/${owner}.`
    : `“${text}” is not the address of a repository. Give the whole address, as in https://github.com/owner/name.`
}

// Turns a refusal's issues into sentences beside the fields of a form.

export interface Fault {
  readonly at: string
  readonly sentence: string
}

/** Replaces messages written for programs with words for people. */
const forPeople = (message: string): string => {
  if (/^must be one of /.test(message)) return "must be chosen"
  if (/^must be text with at least one/.test(message)) return "is empty"
  if (message.startsWith("must be a number or one of")) return "must be a number, such as 0.05"
  if (message === "must be a UUID") return "names nothing here"
  if (message === "is required" || /^must have at least 1 (?:characters|items)$/.test(message)) return "is missing"
  return message
}

/** Says how to write a number that has a comma; undefined for any other text. */
function aboutNumber(given: string): string | undefined {
  const text = given.trim()
  if (text.length > 40 || !/^[+-]?\d+(?:,\d+)+$/.test(text)) return undefined
  const decimal = text.replace(",", ".")
  if (!/^[+-]?\d{1,3}(?:,\d{3})+$/.test(text)) return `“${text}” has a comma. Write it with a point: ${decimal}.`
  const whole = text.replaceAll(",", "")
  const orPoint = text.match(/,/g)?.length === 1 ? `, or ${decimal} with a point` : ""
  return `“${text}” has a comma. Write ${whole}${orPoint}.`
}

/** The input that an issue is about. @param read the draft with all derived inputs filled in */
function inputOf(path: string, form: Form, read: Draft): string {
  const at = issueField(path, form, read)
  return isOfOutput(at) ? outputName(at.slice(0, at.indexOf("|"))) : visibleInput(inputOfLog(at))
}

/** The name that a form gives to a place. */
export function nameOf(at: string, sheet: Sheet | undefined): string {
  const last = at.split(/[/|]/).findLast((step) => step !== "" && !/^(?:\d+|~key)$/.test(step))
  return sheet?.prompts[placeOf(at)]?.label ?? calledByForms(last ?? "it")
}

const isEmpty = (draft: Draft, at: string): boolean => draft.getAll(at).every((value) => value.trim() === "")

function sentenceOf({ path, message }: Issue, at: string, draft: Draft, sheet: Sheet | undefined): string {
  // The message about an unknown id is a whole sentence already.
  if (message.startsWith("“")) return message
  const [, any] = /^must hold at least one of (.+)$/.exec(message) ?? []
  if (any !== undefined)
    return `Fill in at least one: ${orOf(any.split(", ").map((name) => nameOf(`/${name}`, sheet)))}.`
  const row = /\/(\d+)(?=\D*$)/.exec(at.replace(/\|[^/]*/g, ""))
  const place = placeOf(at)
  const prompts = sheet?.prompts ?? {}
  const missing = (
    prompts[place === "/concepts/*/label" && at === "/concepts/0/label" ? "/assertion/predicate" : place] ??
    prompts[placeOf(path)]
  )?.missing
  if (missing !== undefined && isEmpty(draft, at)) return missing.replace("{n}", String(Number(row?.[1] ?? 0) + 1))
  const given = draft.get(at) ?? ""
  const own = !message.startsWith("must be ")
    ? undefined
    : /number/.test(message)
      ? aboutNumber(given)
      : aboutRepository(at, given)
  if (own !== undefined) return own
  const text = forPeople(message)
  // The message is a whole sentence already, as from the check of a repository.
  if (/^[A-Z].*[.!?]$/.test(text)) return text
  if (text === "is missing" || text === "must be chosen") return `${nameOf(at, sheet)} ${text}.`
  return `${prompts[place] === undefined ? nameOf(at, sheet) : "This"} ${text}${/[.!?]$/.test(text) ? "" : "."}`
}

/** The faults of a draft in the order of the issues. No sentence is repeated for a field. */
export function faultsOf(
  issues: readonly Issue[],
  form: Form,
  {
    draft,
    read = draft,
    sheet,
  }: { readonly draft: Draft; readonly read?: Draft | undefined; readonly sheet: Sheet | undefined },
): Fault[] {
  const faults = issues.map((issue) => {
    const of = inputOf(issue.path, form, read)
    const at = of !== "/repository" ? of : `${of}/${/commit|digits/.test(issue.message) ? "commit" : "url"}`
    return { at, sentence: sentenceOf(issue, at, draft, sheet) }
  })
  return [...new Map(faults.map((fault) => [`${fault.at} ${fault.sentence}`, fault])).values()]
}

const EXECUTION = "/provenance/execution"

/** The choices and suggestions that a form offers. */
export type AtHand = ReturnType<typeof atHand>

export function atHand(visit: Visit, operation: Operation, roomId: string | undefined, draft: Draft) {
  const experimentId = draft.get(`${EXECUTION}/experimentId`) || draft.get("/experimentId") || undefined
  const choices = choicesOf(visit, roomId, experimentId)
  const has = (name: string) => formOf(operation).fields.some((field) => field.name === name)
  const wanted = has("assertion") ? "statement" : has("repository") ? "work" : null
  return {
    choices,
    suggestions: suggestionsOf(visit, roomId, wanted),
    ...reportedBy(visit, has("evidence") && has("provenance") ? choices("attempt") : []),
  }
}

/** Fills in the experiment of a finding from its attempts, and the experiment of each effect from the finding. */
function withExperiment(draft: Draft, { choices }: AtHand): Draft {
  const attemptIds = draft.getAll(`${EXECUTION}/attemptIds`)
  const experimentId =
    draft.get(`${EXECUTION}/experimentId`) || choices("attempt").find(({ id }) => attemptIds.includes(id))?.of
  if (experimentId === undefined) return draft
  const made = new URLSearchParams(draft)
  made.set(`${EXECUTION}/experimentId`, experimentId)
  for (let index = 0; index < itemCount(draft, "/effects", 0, limits.effects); index += 1)
    if (!draft.get(`/effects/${index}/experimentId`)) made.set(`/effects/${index}/experimentId`, experimentId)
  return made
}

export interface ReadDraft {
  /** The draft without its empty rows. */
  readonly draft: Draft
  /** The draft with ids in place of names, and with all derived inputs. */
  readonly spelled: Draft
  readonly body: Record<string, unknown>
  readonly issues: readonly Issue[]
}

export function readDraft(visit: Visit, operation: Operation, roomId: string | undefined, sent: Draft): ReadDraft {
  const form = formOf(operation)
  const draft = withoutBlankRows(form, sent)
  const hand = atHand(visit, operation, roomId, draft)
  const statement = form.fields.some(({ name }) => name === "assertion")
  const withDigests = withOutputs(statement ? spelledOut(draft, hand.suggestions) : draft, hand.outputs)
  const { draft: resolved, issues } = withIds(form, withDigests, { visit, roomId, choices: hand.choices })
  const cited = withLogs(visit, resolved)
  const spelled = operation.name === "publish_finding" ? withExperiment(cited.draft, hand) : cited.draft
  const read = bodyOf(form, spelled)
  return { draft, spelled, body: read.body, issues: [...issues, ...cited.issues, ...read.issues] }
}
