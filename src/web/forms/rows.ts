/** Adds, removes and leaves out rows of a draft's lists. */
import { countName, type Draft, itemCount } from "./draft.ts"
import type { Field } from "./fields.ts"

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
