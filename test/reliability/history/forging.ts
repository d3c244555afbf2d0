/** Shared by the tests of the check: a real history, and forgeries of it that must be detected. */
import assert from "node:assert/strict"
import fc from "fast-check"
import tap, { test } from "tap"
import { checkHistory } from "./check.ts"
import type { FaultKind } from "./faults.ts"
import { Forger } from "./forge.ts"
import { deliveryOf, type History, parsed, type Write } from "./history.ts"
import { openInside } from "./inside.ts"
import { playRound } from "./round.ts"

/** Records a real history of clients against a service. */
export async function lived(): Promise<History> {
  const company = await openInside(tap, 4)
  const round = { seed: "to be forged", clients: 8, steps: 12, rooms: 1, inStep: true }
  return (await playRound(company, round))[0] as History
}

const kindsOf = (forged: Forger): FaultKind[] => [
  ...new Set(checkHistory(forged.history).faults.map(({ kind }) => kind)),
]

/**
 * A test that tries some of the forgeries that `choices` allows, drawn at random, and expects that kind of fault each
 * time.
 */
export function forgeries<T>(
  history: History,
  name: string,
  kind: FaultKind,
  choices: (forger: Forger) => readonly T[],
  forge: (forger: Forger, choice: T) => void,
): void {
  test(name, async () => {
    const count = choices(new Forger(history)).length
    assert.ok(count > 0, "the history has something to forge")
    fc.assert(
      fc.property(fc.nat(count - 1), (index) => {
        const forger = new Forger(history)
        forge(forger, choices(forger)[index] as T)
        assert.ok(kindsOf(forger).includes(kind), `it is detected as ${kind}`)
      }),
      { numRuns: 8 },
    )
  })
}
export const deliveryIn = (write: unknown): string => deliveryOf(write as Write)
export const json = <T>(text: string, change: (value: T) => void): string => {
  const value = parsed<T>(text)
  change(value)
  return JSON.stringify(value)
}
