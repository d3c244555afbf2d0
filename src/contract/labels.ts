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

export const isLabelled = (kind: string): kind is LabelledKind => Object.hasOwn(labelPrefixes, kind)

/** `label("hypothesis", 3)` is `H3`. */
export const label = (kind: LabelledKind, ordinal: number): string => `${labelPrefixes[kind]}${ordinal}`
