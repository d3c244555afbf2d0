/** Turns a refusal's issues into sentences beside the fields of a form. */
import type { Issue } from "../../contract/refusals/refusal.ts"
import { calledByForms } from "../words.ts"
import { type Draft, issueField } from "./draft.ts"
import type { Form } from "./fields.ts"
import { isOfOutput, outputName } from "./picked.ts"
import { placeOf, type Sheet } from "./sheets/sheet.ts"
import { visibleInput } from "./statement.ts"

export interface Fault {
  readonly at: string
  readonly sentence: string
}

/** Replaces messages written for programs with words for people. */
const forPeople = (message: string): string => {
  if (/^must be one of /.test(message)) return "must be chosen"
  if (/^must be text with at least one/.test(message)) return "holds nothing to read"
  if (message === "must be a UUID") return "names nothing here"
  if (message === "is required" || /^must have at least 1 (?:characters|items)$/.test(message)) return "is missing"
  return message
}

/** The input that an issue is about. @param read the draft with all derived inputs filled in */
function inputOf(path: string, form: Form, read: Draft): string {
  const at = issueField(path, form, read)
  return isOfOutput(at) ? outputName(at.slice(0, at.indexOf("|"))) : visibleInput(at)
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
  const row = /\/(\d+)(?=\D*$)/.exec(at.replace(/\|[^/]*/g, ""))
  const place = placeOf(at)
  const prompts = sheet?.prompts ?? {}
  const missing = (
    prompts[place === "/concepts/*/label" && at === "/concepts/0/label" ? "/assertion/predicate" : place] ??
    prompts[placeOf(path)]
  )?.missing
  if (missing !== undefined && isEmpty(draft, at)) return missing.replace("{n}", String(Number(row?.[1] ?? 0) + 1))
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
    const at = inputOf(issue.path, form, read)
    return { at, sentence: sentenceOf(issue, at, draft, sheet) }
  })
  return [...new Map(faults.map((fault) => [`${fault.at} ${fault.sentence}`, fault])).values()]
}
