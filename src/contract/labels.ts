import * as v from "valibot"

/** The kinds of object that carry a Room-scoped label, and the letter each label starts with. */
export const labelPrefixes = {
  hypothesis: "H",
  experiment: "E",
  plan: "P",
  attempt: "A",
  material: "M",
  link: "L",
  finding: "F",
  cited_claim: "C",
} as const

export type LabelledKind = keyof typeof labelPrefixes

/** A filter that takes labels of one kind. */
export const labelPattern = (kind: LabelledKind) =>
  v.pipe(v.string(), v.regex(new RegExp(`^${labelPrefixes[kind]}[1-9][0-9]{0,8}$`, "u"), `must be a label such as ${labelPrefixes[kind]}1`))

/** `label("hypothesis", 3)` is `H3`. */
export const label = (kind: LabelledKind, ordinal: number): string => `${labelPrefixes[kind]}${ordinal}`
