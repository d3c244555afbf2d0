/** Lets evidence name an output by its attempt and name, so that nobody has to copy a digest. */
import { orNull, type Visit } from "../visit.ts"
import { casePath, countName, type Draft, itemCount } from "./draft.ts"
import type { Choice } from "./choices.ts"

export const OUTPUT_CASE = "attempt_output"
/** The name of the input that replaces those for the attempt, the output's label and its digest. */
export const outputName = (path: string): string => `${casePath(path, OUTPUT_CASE)}/output`
const OF_OUTPUT = new RegExp(`\\|${OUTPUT_CASE}/(?:attemptId|outputLabel|digest)$`)
export const isOfOutput = (path: string): boolean => OF_OUTPUT.test(path)

/** How many attempts have their outputs listed: the newest ones. */
const LOOKED_INTO = 20
/** How many outputs of an attempt are listed. */
const MOST = 20

export const outputsOf = (visit: Visit, attempts: readonly Choice[]) =>
  attempts
    .slice(-LOOKED_INTO)
    .flatMap(({ id }) => orNull(() => visit.ask("attempt", { attemptId: id })) ?? [])
    .flatMap(({ attemptId, label, outputs }) =>
      outputs.slice(0, MOST).map(({ outputLabel, digest }) => ({ text: `${label}: ${outputLabel}`, attemptId, outputLabel, digest })),
    )

/** Replaces each chosen output with the inputs that the body needs. */
export function withOutputs(draft: Draft, outputs: ReturnType<typeof outputsOf>): Draft {
  if (!draft.has(countName("/evidence"))) return draft
  const made = new URLSearchParams(draft)
  for (let index = 0; index < itemCount(draft, "/evidence", 0, 50); index += 1) {
    const at = `/evidence/${index}`
    const chosen = outputs.find(({ text }) => text === draft.get(outputName(at))?.trim())
    for (const name of ["attemptId", "outputLabel", "digest"] as const)
      if (chosen !== undefined) made.set(`${casePath(at, OUTPUT_CASE)}/${name}`, chosen[name])
  }
  return made
}
