import * as v from "valibot"
import { each } from "../typed.ts"
import { limits } from "../limits.ts"
import { type LabelledKind, labelledKinds, objects } from "./objects.ts"

export { type LabelledKind, labelledKinds }

/** The first letter of the labels of each kind that has Room-scoped labels. */
export const labelPrefixes = each(labelledKinds, (kind) => objects[kind].label)

/** A filter by labels of one kind. */
export const labelPattern = (kind: LabelledKind) =>
  v.pipe(
    v.string(),
    v.regex(
      new RegExp(`^${labelPrefixes[kind]}[1-9][0-9]{0,8}$`, "u"),
      `must be a label such as ${labelPrefixes[kind]}1`,
    ),
  )

/** `label("hypothesis", 3)` is `H3`. */
export const label = (kind: LabelledKind, ordinal: number): string => `${labelPrefixes[kind]}${ordinal}`

/** The first letters of all labels. */
export const LETTERS = labelledKinds.map((kind) => labelPrefixes[kind]).join("")
/** A label on its own: not part of a name, a number or an address. */
export const LABEL = new RegExp(
  `(?<![\\p{L}\\p{N}_./:@#-])[${LETTERS}][1-9][0-9]{0,5}(?![\\p{L}\\p{N}_]|[./:@-][\\p{L}\\p{N}])`,
  "gu",
)

/** The distinct labels in some texts, at most as many as a page links. */
export function labelsIn(texts: Iterable<string>): string[] {
  const found = new Set<string>()
  let length = 0
  for (const text of texts) {
    length += text.length
    for (const [label] of text.matchAll(LABEL)) found.add(label)
    if (found.size > limits.linkedLabels || length > limits.pageTextBytes) break
  }
  return [...found].slice(0, limits.linkedLabels)
}
