/** Renders reproductions as lines of a picture of effects, by kind: who ran which code. */
import { writerName } from "../../contract/answers/index.ts"
import type { EffectAnswer } from "../../contract/answers/measurements.ts"
import type { EffectCell, EffectLine } from "../charts/effects.ts"
import { html } from "../html.ts"
import { stateMark } from "../parts/marks.ts"
import { fromOther, label, person } from "../parts/parts.ts"
import type { Visit } from "../visit.ts"
import { counted } from "../words.ts"

export type Repeat = EffectAnswer["reproductions"][number]

/** Which code a reproduction ran: the same harness, a changed one, an implementation of its own. */
export function codeInWords(visit: Visit, { by, independence: { code, commit } }: Repeat): string {
  const said = by.kind === "attempt" ? visit.tables.attempts.implementationOf(by.id) : undefined
  if (said === "own") return "own implementation"
  if (said === "changed") return "changed code"
  if (code === true) return "other code"
  if (commit === true) return "same code at another commit"
  return said === "same" || code === false ? "same code" : "code unknown"
}

/** Whether somebody else than the author of the effect, or another program of theirs, reports it. */
export const isOther = ({ independence: { person, agent } }: Repeat): boolean => person || agent === true

export const repeatCell = ({ estimate, se, low, high, n }: Repeat): EffectCell => ({
  ...{ estimate, se, low, high, n: estimate === null ? "" : `n ${n}`, isDistinct: false },
  text: "can't be worked out",
})

/** A reproduction as a line below the effect that it repeats. */
export const repeatLine = (visit: Visit, repeat: Repeat): Omit<EffectLine, "cells"> => ({
  head: html`${repeat.verdict && stateMark(repeat.verdict)}${label(repeat.by.kind, repeat.by.id, repeat.by.label)}\
${fromOther(repeat.by)} ${person(repeat.author)} <span class="quiet">· ${codeInWords(visit, repeat)}</span>`,
  name: `${repeat.by.label}, ${writerName(repeat.author)}`,
  look: "repeat",
})

type Pooled = Pick<NonNullable<EffectAnswer["pooled"]>, "k" | "estimate" | "se" | "low" | "high">
/** The pooled estimate of an effect and its reproductions as a cell. */
export const pooledCell = ({ k, ...pooled }: Pooled): EffectCell => ({
  ...pooled,
  n: counted(k, "estimate"),
  isDistinct: false,
})

const saying = {
  reproduces: "Reproduced by",
  partly_reproduces: "Reproduced in part by",
  inconclusive: "Inconclusive for",
  does_not_reproduce: "Not reproduced by",
} as const

/** Says in one sentence who repeated some effects, with which code, and what came of it. */
export function repeatsInWords(visit: Visit, all: readonly Repeat[]): string {
  const others = all.filter(isOther)
  const said = Object.entries(saying).flatMap(([verdict, words]) => {
    const same = others.filter((repeat) => repeat.verdict === verdict)
    const names = new Map(same.map((repeat) => [repeat.by.id, repeat]))
    const authors = [...names.values()].map((repeat) => `${writerName(repeat.author)} (${codeInWords(visit, repeat)})`)
    return authors.length === 0
      ? []
      : [`${words} ${authors.slice(0, 4).join(", ")}${authors.length > 4 ? " and others" : ""}.`]
  })
  const alone = all.length > others.length ? "Repeated by its author." : ""
  if (said.length > 0) return [...said, alone].join(" ").trim()
  return alone === "" ? "Not yet repeated by anyone." : "Repeated by its author alone."
}
