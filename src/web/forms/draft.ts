/**
 * What was written into a form, and the body it makes. Inputs are named by the JSON Pointer of what they say, so that a
 * refusal's issues find their field; a draft keeps what was typed even where no body can be made of it.
 */
import { mentionedArxivId } from "../../contract/schema/paper-mention.ts"
import { isObject } from "../../contract/json.ts"
import type { Issue } from "../../contract/refusals/refusal.ts"
import { readJson } from "../../contract/schema/strict-json.ts"
import { pointer } from "../../contract/schema/validation.ts"
import { commandOf, partsOf } from "./command.ts"
import type { Field } from "./fields.ts"

/** What was typed, by the name of the input; and how many items each list shows. */
export type Draft = URLSearchParams

/** The name of an input that says how many items a list shows. */
export const countName = (path: string): string => `#${path}`
/** The name of an input within one case of a variant: cases may have properties of the same name. */
export const casePath = (path: string, value: string): string => `${path}|${value}`
export const keyName = (path: string): string => `${path}/~key`

/** How many items of a list a form shows: never many more than the list may have. */
export const itemCount = (draft: Draft, path: string, least: number, most = 200): number =>
  Math.min(200, most + 1, Math.max(Number(draft.get(countName(path)) ?? least) || 0, 0))

const typed = (draft: Draft, path: string): string | undefined => {
  const text = draft.get(path)?.replaceAll("\r\n", "\n")
  return text === undefined || text === "" ? undefined : text
}
const lines = (text: string | undefined): string[] =>
  (text ?? "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** A local time of a date input is taken as UTC, as its hint says. */
const asTime = (text: string | undefined) =>
  text !== undefined && /^[0-9-]{10}T[0-9:]{5}(:[0-9]{2})?$/.test(text) ? `${text.length === 16 ? `${text}:00` : text}Z` : text

/** An object of fields, and whether anybody said anything of it. */
function objectOf(fields: readonly Field[], path: string, draft: Draft, issues: Issue[]): { made: Record<string, unknown>; said: boolean } {
  const made: Record<string, unknown> = {}
  let said = false
  for (const field of fields) {
    const value = valueFrom(field, `${path}/${field.name}`, draft, issues)
    if (value === undefined) continue
    made[field.name] = value
    // A fixed value alone is nothing that anybody said.
    if (field.form !== "fixed" && !(Array.isArray(value) && value.length === 0)) said = true
  }
  return { made, said }
}

function json(path: string, text: string | undefined, issues: Issue[]): unknown {
  if (text === undefined) return {}
  const read = readJson(text)
  if (read.ok) return read.value
  // What cannot be read at all has no place of its own.
  issues.push(
    ...read.issues.map((issue) => ({ path, message: issue.path === "" ? "is not a JSON object" : `at ${issue.path} ${issue.message}` })),
  )
  return {}
}

function named(item: Field, path: string, draft: Draft, issues: Issue[]): Record<string, unknown> {
  const made: Record<string, unknown> = {}
  for (let index = 0; index < itemCount(draft, path, 1); index += 1) {
    const at = `${path}/${index}`
    const key = typed(draft, keyName(at))
    const value = objectOf(item.form === "object" ? item.fields : [item], at, draft, issues)
    if (key !== undefined || value.said) made[key ?? ""] = value.made
  }
  return made
}

/** A number, true or false as typed; everything else, and what stands in quotation marks, is a text. */
function scalarOf(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true"
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))) return Number(text)
  return /^"(.*)"$/.exec(text)?.[1] ?? text
}

function pairs(text: string | undefined, scalars: boolean): Record<string, unknown> | undefined {
  const found = lines(text).map((line) => /^([^:=]+)[:=](.*)$/.exec(line) ?? [line, line, ""])
  const meant = (said: string) => (scalars ? scalarOf(said.trim()) : said.trim())
  return found.length === 0 ? undefined : Object.fromEntries(found.map(([, name = "", value = ""]) => [name.trim(), meant(value)]))
}

/** A number as typed, or the text itself, which the schema then refuses. */
const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number.isFinite(Number(text)) ? Number(text) : text)

/** What was pasted for a paper as its id; what mentions none as it is, for the schema to refuse. */
const arxivIdIn = (text: string | undefined) => (text === undefined ? undefined : (mentionedArxivId(text) ?? text))

function valueFrom(field: Field, path: string, draft: Draft, issues: Issue[]): unknown {
  switch (field.form) {
    case "fixed":
      return field.value
    case "text":
      if (field.type === "time") return asTime(typed(draft, path))
      if (field.name === "arxivId") return arxivIdIn(typed(draft, path))
      return field.name === "value" && field.hint?.startsWith("A number") ? numberOf(typed(draft, path)) : typed(draft, path)
    case "choice":
      return typed(draft, path)
    case "number":
      return numberOf(typed(draft, path))
    case "yes-no":
      return new Map([
        ["true", true],
        ["false", false],
      ]).get(draft.get(path) ?? "")
    case "boxes":
      return draft.getAll(path)
    case "lines": {
      const all = draft
        .getAll(path)
        .flatMap((text) => (field.of === "id" ? text.split(/[\s,]+/).filter((id) => id !== "") : lines(text.replaceAll("\r\n", "\n"))))
      if (field.name === "argv") return partsOf(typed(draft, path) ?? "")
      if (field.name === "tags") return [...new Set(all.flatMap((line) => lines(line.replaceAll(",", "\n"))))]
      if (field.name === "identifiers") return all.length === 0 ? undefined : [...new Set(all)]
      return all.length === 0 && !field.required ? undefined : field.of === "id" ? [...new Set(all)] : all
    }
    case "object": {
      const { made, said } = objectOf(field.fields, path, draft, issues)
      return said || field.required ? made : undefined
    }
    case "list": {
      const items: unknown[] = []
      for (let index = 0; index < itemCount(draft, path, field.least, field.most); index += 1) {
        const value = valueFrom(field.item, `${path}/${index}`, draft, issues)
        items.push(value ?? {})
      }
      return items.length === 0 && !field.required ? undefined : items
    }
    case "named":
      return named(field.item, path, draft, issues)
    case "pairs":
      return pairs(typed(draft, path), field.scalars) ?? (field.required ? {} : undefined)
    case "json":
      return typed(draft, path) === undefined && !field.required ? undefined : json(path, typed(draft, path), issues)
    case "variant": {
      const tag = typed(draft, `${path}/${field.tag}`)
      const chosen = field.cases.find(({ value }) => value === tag)
      if (chosen === undefined) return field.required ? {} : undefined
      return { [field.tag]: tag, ...objectOf(chosen.fields, casePath(path, chosen.value), draft, issues).made }
    }
  }
}

/** The body that a draft makes, and what of it could not be read at all. */
export function bodyOf(form: Field & { form: "object" }, draft: Draft): { body: Record<string, unknown>; issues: Issue[] } {
  const issues: Issue[] = []
  return { body: objectOf(form.fields, "", draft, issues).made, issues }
}

/** Puts a value into a draft, as what is known before anything was typed: from an address, or an object to amend. */
export function fill(draft: Draft, field: Field, path: string, value: unknown): void {
  if (value === undefined || value === null) return
  const members = isObject(value) ? value : {}
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  if (field.form === "object") {
    for (const inner of field.fields) fill(draft, inner, `${path}/${inner.name}`, members[inner.name])
  } else if (field.form === "list") {
    draft.set(countName(path), String(items.length))
    items.forEach((item, index) => fill(draft, field.item, `${path}/${index}`, item))
  } else if (field.form === "lines" || field.form === "boxes") {
    draft.delete(path)
    if (field.name === "argv") draft.set(path, commandOf(items.map(String)))
    else if (field.form === "lines" && field.of === "text") draft.set(path, items.join("\n"))
    else for (const one of items) draft.append(path, String(one))
  } else if (field.form === "named") {
    const entries = Object.entries(members)
    draft.set(countName(path), String(entries.length))
    entries.forEach(([key, inner], index) => {
      draft.set(keyName(`${path}/${index}`), key)
      fill(draft, field.item, `${path}/${index}`, inner)
    })
  } else if (field.form === "variant") {
    const tag = members[field.tag]
    const chosen = field.cases.find((one) => one.value === tag)
    if (chosen === undefined) return
    draft.set(`${path}/${field.tag}`, chosen.value)
    for (const inner of chosen.fields) fill(draft, inner, `${casePath(path, chosen.value)}/${inner.name}`, members[inner.name])
  } else if (field.form === "pairs") {
    draft.set(
      path,
      Object.entries(members)
        .map(([name, said]) => `${name}: ${field.scalars && typeof said === "string" && scalarOf(said) !== said ? `"${said}"` : said}`)
        .join("\n"),
    )
  } else if (field.form === "json") {
    draft.set(path, JSON.stringify(value, null, 2))
  } else {
    draft.set(path, String(value))
  }
}

/** Where an issue of the body stands in the form: names of one's own choice are counted there, cases named. */
export function issueField(path: string, form: Field & { form: "object" }, draft: Draft): string {
  const steps = path.split("/").slice(1)
  let field: Field = form
  let at = ""
  for (const step of steps) {
    if (field.form === "object") {
      field = field.fields.find(({ name }) => name === step) ?? field
      at = `${at}/${step}`
    } else if (field.form === "list") {
      field = field.item
      at = `${at}/${step}`
    } else if (field.form === "named") {
      const list = at
      const count = itemCount(draft, list, 1)
      const index =
        Array.from({ length: count }, (_, place) => place).find(
          (place) => (draft.get(keyName(`${list}/${place}`)) ?? "") === step.replaceAll("~1", "/"),
        ) ?? 0
      field = field.item
      at = `${list}/${index}`
    } else if (field.form === "variant") {
      if (step === field.tag) return `${at}/${step}`
      const { cases, tag } = field
      const chosen = cases.find(({ value }) => value === draft.get(`${at}/${tag}`)) ?? cases[0]
      at = `${casePath(at, chosen?.value ?? "")}/${step}`
      field = chosen?.fields.find(({ name }) => name === step) ?? field
    } else break
  }
  return at === "" ? pointer(steps) : at
}
