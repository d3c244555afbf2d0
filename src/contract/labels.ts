import * as v from "valibot"
import { type LabelledKind, labelledKinds, objects } from "./objects.ts"

export type { LabelledKind }

/** The kinds of object that carry a Room-scoped label, and the letter each label starts with. */
export const labelPrefixes = Object.fromEntries(labelledKinds.map((kind) => [kind, objects[kind].label])) as Readonly<
  Record<LabelledKind, string>
>

/** A filter that takes labels of one kind. */
export const labelPattern = (kind: LabelledKind) =>
  v.pipe(v.string(), v.regex(new RegExp(`^${labelPrefixes[kind]}[1-9][0-9]{0,8}$`, "u"), `must be a label such as ${labelPrefixes[kind]}1`))

/** `label("hypothesis", 3)` is `H3`. */
export const label = (kind: LabelledKind, ordinal: number): string => `${labelPrefixes[kind]}${ordinal}`
