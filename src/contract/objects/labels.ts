import * as v from "valibot"
import { each } from "../each.ts"
import { type LabelledKind, labelledKinds, objects } from "./objects.ts"

export { type LabelledKind, labelledKinds }

/** The kinds of object that carry a Room-scoped label, and the letter each label starts with. */
export const labelPrefixes = each(labelledKinds, (kind) => objects[kind].label)

/** A filter that takes labels of one kind. */
export const labelPattern = (kind: LabelledKind) =>
  v.pipe(v.string(), v.regex(new RegExp(`^${labelPrefixes[kind]}[1-9][0-9]{0,8}$`, "u"), `must be a label such as ${labelPrefixes[kind]}1`))

/** `label("hypothesis", 3)` is `H3`. */
export const label = (kind: LabelledKind, ordinal: number): string => `${labelPrefixes[kind]}${ordinal}`
