/** What a refusal says of each field, as sentences about the research. */
import type { Issue } from "../../contract/refusals/refusal.ts"
import { calledByForms } from "../words.ts"
import { type Draft, issueField } from "./draft.ts"
import type { Field } from "./fields.ts"
import { isOfOutput, outputName } from "./outputs.ts"
import { placeOf, type Sheet } from "./sheets/sheet.ts"
import { askedAt } from "./statement.ts"

export interface Fault {
  /** The name of the input. */
  readonly at: string
  readonly sentence: string
}

/** What an issue says, where its words are those of programs. */
const forPeople = (message: string): string => {
  if (/^must be one of /.test(message)) return "must be chosen"
  if (/^must be text with at least one/.test(message)) return "holds nothing to read"
  if (message === "must be a UUID") return "names nothing here"
  if (message === "is required" || /^must have at least 1 (?:characters|items)$/.test(message)) return "is missing"
  return message
}

/** The input that asks for what an issue is about. @param read the draft as it was read, with every name spelled out */
function inputOf(path: string, form: Field & { form: "object" }, read: Draft, sheet: Sheet | undefined): string {
  const at = issueField(path, form, read)
  if (sheet === undefined) return at
  return isOfOutput(at) ? outputName(at.slice(0, at.indexOf("|"))) : askedAt(at)
}

/** What a form calls a place. */
export function nameOf(at: string, sheet: Sheet | undefined): string {
  const asked = sheet?.asks[placeOf(at)]?.label
  const last = at.split(/[/|]/).findLast((step) => step !== "" && !/^(?:\d+|~key)$/.test(step))
  return asked ?? calledByForms(last ?? "it")
}

const isEmpty = (draft: Draft, at: string): boolean => draft.getAll(at).every((value) => value.trim() === "")

function sentenceOf({ path, message }: Issue, at: string, draft: Draft, sheet: Sheet | undefined): string {
  // An id that names nothing already has a sentence.
  if (message.startsWith("“")) return message
  const row = /\/(\d+)(?=\D*$)/.exec(at.replace(/\|[^/]*/g, ""))
  const place = placeOf(at)
  const asks = sheet?.asks ?? {}
  const missing = (
    asks[place === "/concepts/*/label" && at === "/concepts/0/label" ? "/assertion/predicate" : place] ?? asks[placeOf(path)]
  )?.missing
  if (missing !== undefined && isEmpty(draft, at)) return missing.replace("{n}", String(Number(row?.[1] ?? 0) + 1))
  const said = forPeople(message)
  // A whole sentence, such as what the outside check of a repository says.
  if (/^[A-Z].*[.!?]$/.test(said)) return said
  if (said === "is missing" || said === "must be chosen") return `${nameOf(at, sheet)} ${said}.`
  return `${asks[place] === undefined ? nameOf(at, sheet) : "This"} ${said}${/[.!?]$/.test(said) ? "" : "."}`
}

/** The faults of a draft in the order of the issues, each sentence once beside its field. */
export function faultsOf(
  issues: readonly Issue[],
  form: Field & { form: "object" },
  { draft, read = draft, sheet }: { readonly draft: Draft; readonly read?: Draft | undefined; readonly sheet: Sheet | undefined },
): Fault[] {
  const faults = issues.map((issue) => {
    const at = inputOf(issue.path, form, read, sheet)
    return { at, sentence: sentenceOf(issue, at, draft, sheet) }
  })
  return [...new Map(faults.map((fault) => [`${fault.at} ${fault.sentence}`, fault])).values()]
}
