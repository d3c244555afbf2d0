/**
 * Converts between a form's inputs and a request body. Inputs are named by JSON Pointers into the body, so a refusal's
 * issues find their field. A draft keeps what was typed even if it does not make a valid body.
 */
import { mentionedArxivId } from "../../contract/schema/paper-mention.ts"
import { isObject } from "../../contract/json.ts"
import type { Issue } from "../../contract/refusals.ts"
import { shortened } from "../../contract/text.ts"
import { readJson } from "../../contract/schema/validation.ts"
import type { Field, Form } from "./fields.ts"

// Splits a command line into its arguments, and joins them again.

const PART = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\]+|["'\\])|(\s+)/gs

/**
 * Splits a command into its arguments. A single line is split as a shell would; of several lines, each is one argument.
 */
export function partsOf(text: string): string[] {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  if (lines.length !== 1) return lines
  const parts: string[] = []
  let part: string | undefined
  for (const [, quoted, plain, escaped, bare, space] of (lines[0] ?? "").matchAll(PART)) {
    if (space === undefined)
      part = (part ?? "") + (quoted?.replace(/\\(["\\$`])/g, "$1") ?? plain ?? escaped ?? bare ?? "")
    else if (part !== undefined) {
      parts.push(part)
      part = undefined
    }
  }
  return part === undefined ? parts : [...parts, part]
}

/** Joins arguments into a command, with quotes where needed, so that `partsOf` returns the same arguments. */
export const commandOf = (parts: readonly string[]): string =>
  parts.map((part) => (/^[A-Za-z0-9_\-./:=@%+,]+$/.test(part) ? part : `'${part.replaceAll("'", `'"'"'`)}'`)).join(" ")

/** The text of each input by its name, and the number of rows of each list. */
export type Draft = URLSearchParams

/** The name of the input that holds the number of rows of a list. */
export const countName = (path: string): string => `#${path}`
/** The prefix of inputs within one case of a variant. Cases may have properties of the same name. */
export const casePath = (path: string, value: string): string => `${path}|${value}`
export const keyName = (path: string): string => `${path}/~key`

/** The number of rows that a form shows for a list: at most one more than the list may have. */
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

/** Reads the local time of a date input as UTC, as the input's hint says. */
const asTime = (text: string | undefined) =>
  text !== undefined && /^[0-9-]{10}T[0-9:]{5}(:[0-9]{2})?$/.test(text)
    ? `${text.length === 16 ? `${text}:00` : text}Z`
    : text

/** A field within another: its name in the body, and the name of its input. */
interface Inner {
  readonly name: string
  readonly inner: Field
  readonly at: string
}

/**
 * The fields that a draft has within a field: members of an object, rows of a list, and members of the chosen case of a
 * variant.
 */
export function inside(field: Field, path: string, draft: Draft): readonly Inner[] {
  const rows = (count: number) => Array.from({ length: count }, (_, index) => `${path}/${index}`)
  switch (field.form) {
    case "object":
      return field.fields.map((inner) => ({ name: inner.name, inner, at: `${path}/${inner.name}` }))
    case "list":
      return rows(itemCount(draft, path, field.least, field.most)).map((at, index) => ({
        name: String(index),
        inner: field.item,
        at,
      }))
    case "named":
      return rows(itemCount(draft, path, 1)).map((at) => ({
        name: typed(draft, keyName(at)) ?? "",
        inner: field.item,
        at,
      }))
    case "variant": {
      const chosen = field.cases.find(({ value }) => value === draft.get(`${path}/${field.tag}`))
      const fields = chosen?.fields ?? []
      return fields.map((inner) => ({
        name: inner.name,
        inner,
        at: `${casePath(path, chosen?.value ?? "")}/${inner.name}`,
      }))
    }
    default:
      return []
  }
}

/** Reads an object, and whether any of its inputs was filled in. */
function objectOf(field: Field, path: string, draft: Draft, issues: Issue[]) {
  const members: Record<string, unknown> = {}
  let isFilled = false
  for (const { name, inner, at } of inside(field, path, draft)) {
    const value = valueFrom(inner, at, draft, issues)
    if (value === undefined) continue
    members[name] = value
    // A fixed value was not typed by the user.
    if (inner.form !== "fixed" && !(Array.isArray(value) && value.length === 0)) isFilled = true
  }
  return { members, isFilled }
}

function json(path: string, text: string | undefined, issues: Issue[]): unknown {
  if (text === undefined) return {}
  const read = readJson(text)
  if (read.ok) return read.value
  // Text that is not JSON has no pointer of its own, so the issue belongs to the whole input.
  const notJson = 'This is not a JSON object. Names and texts stand in double quotes, as in {"rate": 0.1}.'
  issues.push(
    ...read.issues.map((issue) => ({
      path,
      message: issue.path === "" ? notJson : `at ${issue.path} ${issue.message}`,
    })),
  )
  return {}
}

/** Reads a number, true or false. Anything else is text, and so is a quoted number. */
function scalarOf(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true"
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))) return Number(text)
  return /^"(.*)"$/.exec(text)?.[1] ?? text
}

/** Reads a name and a value from each line. A line of another form is an issue, with the line that was meant. */
function pairs(path: string, text: string | undefined, scalars: boolean, issues: Issue[]) {
  const found = lines(text).flatMap((line) => {
    const pair = /^([^:=]+)[:=](.*)$/.exec(line)
    if (pair !== null) return [pair]
    const [name = "", ...value] = line.split(/\s+/)
    const meant =
      value.length === 0 ? `the name, a colon and the value, such as arm: ${name}` : `${name}: ${value.join(" ")}`
    issues.push({ path, message: `“${shortened(line, 60)}” has no colon. Write ${shortened(meant, 90)}.` })
    return []
  })
  const parse = (text: string) => (scalars ? scalarOf(text.trim()) : text.trim())
  return found.length === 0
    ? undefined
    : Object.fromEntries(found.map(([, name = "", value = ""]) => [name.trim(), parse(value)]))
}

/** Reads a number. Text that is not a number is returned as it is, for the schema to refuse. */
const numberOf = (text: string | undefined) =>
  text === undefined ? undefined : Number.isFinite(Number(text)) ? Number(text) : text

/** Finds the arXiv id in pasted text. Text without one is returned as it is, for the schema to refuse. */
const arxivIdIn = (text: string | undefined) => (text === undefined ? undefined : (mentionedArxivId(text) ?? text))

function valueFrom(field: Field, path: string, draft: Draft, issues: Issue[]): unknown {
  switch (field.form) {
    case "fixed":
      return field.value
    case "text":
      if (field.type === "time") return asTime(typed(draft, path))
      if (field.name === "arxivId") return arxivIdIn(typed(draft, path))
      return field.name === "value" && field.hint?.startsWith("A number")
        ? numberOf(typed(draft, path))
        : typed(draft, path)
    case "choice":
      return typed(draft, path)
    case "number":
      return numberOf(typed(draft, path))
    case "yes-no": {
      const text = draft.get(path)
      return text === "true" || (text === "false" ? false : undefined)
    }
    case "boxes":
      return draft.getAll(path)
    case "lines": {
      const all = draft
        .getAll(path)
        .flatMap((text) =>
          field.of === "id" ? text.split(/[\s,]+/).filter((id) => id !== "") : lines(text.replaceAll("\r\n", "\n")),
        )
      if (field.name === "argv") {
        const command = typed(draft, path)
        return command === undefined && !field.required ? undefined : partsOf(command ?? "")
      }
      if (field.name === "tags") return [...new Set(all.flatMap((line) => lines(line.replaceAll(",", "\n"))))]
      if (field.name === "identifiers") return all.length === 0 ? undefined : [...new Set(all)]
      return all.length === 0 && !field.required ? undefined : field.of === "id" ? [...new Set(all)] : all
    }
    case "object": {
      const { members, isFilled } = objectOf(field, path, draft, issues)
      return isFilled || field.required ? members : undefined
    }
    case "list": {
      const items = inside(field, path, draft).map(({ inner, at }) => valueFrom(inner, at, draft, issues) ?? {})
      return items.length === 0 && !field.required ? undefined : items
    }
    case "named":
      return Object.fromEntries(
        inside(field, path, draft).flatMap(({ name, inner, at }) => {
          const { members, isFilled } = objectOf(inner, at, draft, issues)
          return name !== "" || isFilled ? [[name, members]] : []
        }),
      )
    case "pairs":
      return pairs(path, typed(draft, path), field.scalars, issues) ?? (field.required ? {} : undefined)
    case "json":
      return typed(draft, path) === undefined && !field.required ? undefined : json(path, typed(draft, path), issues)
    case "variant": {
      const tag = typed(draft, `${path}/${field.tag}`)
      if (!field.cases.some(({ value }) => value === tag)) return field.required ? {} : undefined
      return { [field.tag]: tag, ...objectOf(field, path, draft, issues).members }
    }
  }
}

/** Makes the body from a draft, with an issue for each text that could not be parsed. */
export function bodyOf(form: Form, draft: Draft): { body: Record<string, unknown>; issues: Issue[] } {
  const issues: Issue[] = []
  return { body: objectOf(form, "", draft, issues).members, issues }
}

/** Fills inputs of a draft from a value, such as an object to amend. */
export function fill(draft: Draft, field: Field, path: string, value: unknown): void {
  if (value === undefined || value === null) return
  const members = isObject(value) ? value : {}
  const items: readonly unknown[] = Array.isArray(value) ? value : []
  switch (field.form) {
    case "object":
      break
    case "list":
      draft.set(countName(path), String(items.length))
      break
    case "named":
      draft.set(countName(path), String(Object.keys(members).length))
      for (const [index, key] of Object.keys(members).entries()) draft.set(keyName(`${path}/${index}`), key)
      break
    case "variant":
      if (!field.cases.some(({ value }) => value === members[field.tag])) return
      draft.set(`${path}/${field.tag}`, String(members[field.tag]))
      break
    case "lines":
    case "boxes":
      draft.delete(path)
      if (field.name === "argv") draft.set(path, commandOf(items.map(String)))
      else if (field.form === "lines" && field.of === "text") draft.set(path, items.join("\n"))
      else for (const one of items) draft.append(path, String(one))
      break
    case "pairs": {
      const isQuoted = (text: unknown) => field.scalars && typeof text === "string" && scalarOf(text) !== text
      const found = Object.entries(members).map(([name, text]) => `${name}: ${isQuoted(text) ? `"${text}"` : text}`)
      draft.set(path, found.join("\n"))
      break
    }
    case "json":
      draft.set(path, JSON.stringify(value, null, 2))
      break
    default:
      draft.set(path, String(value))
  }
  for (const { name, inner, at } of inside(field, path, draft)) fill(draft, inner, at, members[name])
}

const whole: readonly string[] = ["object", "list", "named", "variant"]

/**
 * Converts an issue's pointer into the name of its input. In the form, entries of a record are numbered and cases are
 * named.
 */
export function issueField(path: string, form: Form, draft: Draft): string {
  let field: Field = form
  let at = ""
  for (const step of path.split("/").slice(1)) {
    if (!whole.includes(field.form)) break
    const found = inside(field, at, draft).find(({ name }) => name === step.replaceAll("~1", "/"))
    field = found?.inner ?? field
    at = found?.at ?? `${at}/${step}`
  }
  return at
}

// The rows of a draft's lists.

/** Adds or removes a row of a list. The other rows keep their text. */
export function withItem(draft: Draft, { add, remove }: { add: string | null; remove: string | null }): Draft {
  const made = new URLSearchParams(draft)
  if (add !== null) made.set(countName(add), String(itemCount(draft, add, 1) + 1))
  if (remove === null) return made
  const at = remove.lastIndexOf("/")
  const list = remove.slice(0, at)
  return withRows(
    made,
    list,
    rowsOf(itemCount(made, list, 1)).filter((index) => index !== Number(remove.slice(at + 1))),
  )
}

const rowsOf = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

/** The number of steps in the name of the deepest row. */
const DEEPEST_ROW = 6

/** The names of all rows that have text in them, without the cases of variants. */
function writtenRows(draft: Draft): Set<string> {
  const rows = new Set<string>()
  for (const [name, value] of draft) {
    if (name.startsWith("#") || value.trim() === "") continue
    const steps = name.replace(/\|[^/]*/g, "").split("/", DEEPEST_ROW + 1)
    for (let length = 2; length <= steps.length; length += 1) rows.add(steps.slice(0, length).join("/"))
  }
  return rows
}

/** Keeps only these rows of a list, in their order. */
function withRows(draft: Draft, list: string, kept: readonly number[]): Draft {
  const places = new Map(kept.map((index, place) => [String(index), String(place)]))
  const made = new URLSearchParams()
  for (const [name, value] of draft) {
    const mark = name.startsWith("#") ? "#" : ""
    const at = name.slice(mark.length)
    if (!at.startsWith(`${list}/`)) made.append(name, value)
    else {
      const [index = "", ...inner] = at.slice(list.length + 1).split("/")
      const place = places.get(index.split("|", 1)[0] ?? "")
      if (place !== undefined) made.append([`${mark}${list}`, index.replace(/^\d+/, place), ...inner].join("/"), value)
    }
  }
  made.set(countName(list), String(kept.length))
  return made
}

/** Leaves out the empty rows of lists, but keeps as many rows as a list must have. */
export function withoutBlankRows(form: Field, draft: Draft): Draft {
  const written = writtenRows(draft)
  let made = draft
  const look = (field: Field, path: string): void => {
    if (field.form === "object") for (const inner of field.fields) look(inner, `${path}/${inner.name}`)
    if ((field.form !== "list" && field.form !== "named") || !draft.has(countName(path))) return
    const count = itemCount(draft, path, 0, field.form === "list" ? field.most : undefined)
    const all = rowsOf(count)
    const filled = all.filter((index) => written.has(`${path}/${index}`))
    const least = field.form === "list" ? field.least : 0
    const kept = filled.length >= least ? filled : all.filter((index) => filled.includes(index) || index < least)
    if (kept.length < count) made = withRows(made, path, kept)
  }
  look(form, "")
  return made
}
