/** Renders reproductions as lines of a picture of effects, by kind: who ran which code. */
import { writerName } from "../../contract/answers/index.ts"
import type { Repeat } from "../../research/measurements/sources.ts"
import type { Figures } from "../../research/measurements/working-out.ts"
import type { EffectCell, EffectLine } from "../charts/effects.ts"
import { html } from "../html.ts"
import { stateMark } from "../parts/marks.ts"
import { label, person } from "../parts/parts.ts"

/** The estimate of an effect as a cell; null if it can no longer be worked out. */
export const spotOf = (figures: Figures | null): EffectCell | null =>
  figures && {
    ...{ estimate: figures.estimate, se: figures.se, low: figures.low, high: figures.high },
    n: `n ${figures.pairs ?? Math.min(figures.ofCount, figures.againstCount)}`,
    isDistinct: false,
  }

/** Which code a reproduction ran: the same harness, a changed one, an implementation of its own. */
export const codeInWords = ({
  implementation,
  otherCode,
  otherCommit,
}: Pick<Repeat, "implementation" | "otherCode" | "otherCommit">): string => {
  if (implementation === "own") return "own implementation"
  if (implementation === "changed") return "changed code"
  if (otherCode === true) return "other code"
  if (otherCommit === true) return "same code at another commit"
  return implementation === "same" || otherCode === false ? "same code" : "code unknown"
}

/** A reproduction as a line below the effect that it repeats. */
export const repeatLine = (repeat: Repeat, cells: readonly (EffectCell | null)[]): EffectLine => ({
  head: html`${repeat.verdict && stateMark(repeat.verdict)}${label(
    repeat.kind,
    repeat.id,
    repeat.label,
  )} ${person(repeat.author)} <span class="quiet">${codeInWords(repeat)}</span>`,
  name: `${repeat.label}, ${writerName(repeat.author)}`,
  look: "repeat",
  cells,
})
