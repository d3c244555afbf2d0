/** What must hold for the work of many agents, whatever happened to them. */
import { checkData } from "../../../src/check/check.ts"
import { minuteOf, MINUTES, type Stint, type Told } from "./agents.ts"

const MINUTE = 60_000
const lasts = { run: MINUTES.lease, review: MINUTES.claim } as const

/**
 * The writes that renewed a lease or claim. A claim that lapsed while its agent was suspended is over: a later write
 * does not renew it.
 */
function renewing({ what, signs }: Stint): number[] {
  const lapsed = signs.findIndex(
    (sign, index) => index > 0 && sign >= (signs[index - 1] ?? sign) + lasts[what] * MINUTE,
  )
  return what === "run" || lapsed === -1 ? signs : signs.slice(0, lapsed)
}

/** Begun while another agent's lease or claim on the same object lasted, counted from its last write before. */
function doneTwice(stints: readonly Stint[]): string[] {
  const found: string[] = []
  for (const { agent, on, what, began } of stints)
    for (const other of stints) {
      if (other.on !== on || other.what !== what || other.agent === agent || other.began > began) continue
      const covering = renewing(other).find((sign) => sign <= began && began < sign + lasts[what] * MINUTE)
      if (covering === undefined) continue
      found.push(
        `${what} of ${on}: agent ${agent} began at minute ${minuteOf(began)}; ` +
          `agent ${other.agent} had written at ${minuteOf(covering)}`,
      )
    }
  return found
}

/** @returns violations; empty if there are none */
export function faultsOf({ lab, stints, known, completed, succeeded }: Told): string[] {
  const { instance, roomId, db } = lab
  const { tables, ledger } = instance
  const entries = new Map<number, string>()
  for (let after = 0; ; ) {
    const page = ledger.activity.after(roomId, after, undefined, 500)
    for (const { sequence, body } of page) entries.set(sequence, JSON.parse(body).digest as string)
    const last = page.at(-1)
    if (last === undefined) break
    after = last.sequence
  }
  const experiments = tables.experiments.page({ roomId }, undefined, 1_000)
  const reverted = [
    ...experiments
      .filter(({ experimentId, status }) => completed.has(experimentId) && status !== "completed")
      .map(({ label, status }) => `${label} was completed and is ${status}`),
    ...[...succeeded]
      .filter((attemptId) => tables.attempts.find(attemptId)?.status !== "succeeded")
      .map((attemptId) => `the attempt ${attemptId} had succeeded`),
  ]
  const undone = experiments
    .filter(({ status }) => status !== "completed")
    .map(({ label, status }) => `${label} is ${status} in the end`)
  const lost = known
    .filter(({ sequence, digest }) => entries.get(sequence) !== digest)
    .map(({ sequence }) => `entry ${sequence} is not what its sender was told`)
  return [...doneTwice(stints), ...reverted, ...undone, ...lost, ...checkData(db).problems.map(String)]
}
