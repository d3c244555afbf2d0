/** The attempts that a text is checked against: all of a Room, or of a larger one those that it is about. */
import { limits } from "../../contract/limits.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { Remembered } from "../measurements/remembered.ts"
import type { Measured, Values } from "../measurements/values.ts"
import { type Quantities, quantitiesOf } from "./quantities.ts"

export interface Reach {
  readonly attempts: number
  readonly values: number
  readonly numbers: number
  readonly findings: number
  /** Points of curves that are read, where texts name steps of them. */
  readonly points: number
}
/** Findings of a Room whose effects are known to a check that holds nobody up. */
const FINDINGS = 100_000
/** Points of curves that such a check reads. */
const POINTS = 100_000
/**
 * How far a check reaches: the attempts of a Room and the values whose quantities are worked out, the numbers that are
 * looked up, and the newest findings whose effects are known. Of a larger Room it reaches the attempts and findings
 * that the text is about. A write is checked while others wait.
 */
export const REACH = {
  write: { attempts: 200, values: 2_000, numbers: 50, findings: 200, points: 10_000 },
  read: {
    ...{ attempts: 200, values: limits.measuredValues },
    ...{ numbers: limits.checkedNumbers, findings: FINDINGS, points: POINTS },
  },
  all: {
    ...{ attempts: limits.measuredAttempts, values: limits.measuredValues },
    ...{ numbers: limits.checkedNumbers, findings: FINDINGS, points: POINTS },
  },
} satisfies Record<string, Reach>
/** Attempts that a text is about, at most. */
export const NEAR = 200
/** The Room of a text, and the attempts and experiments that it names or belongs to. */
interface About {
  readonly roomId: string
  readonly attempts: readonly string[]
  readonly experiments: readonly string[]
}

/** Quantities that were worked out, by what they depend on. */
export type Kept = Pick<Remembered<Quantities>, "get" | "set">

/** SQL for a number that grows with each report about an attempt, and with the opening of its sealed plan. */
const CHANGES = "coalesce(sum(revision + late_reports + coalesce(octet_length(plan_match), 0)), 0)"

export function reaching(db: Db, values: Values) {
  const size = db.prepare<{ attempts: number; revisions: number; newest: string | null }>(
    `SELECT count(*) AS attempts, ${CHANGES} AS revisions, max(attempt_id) AS newest
     FROM attempts WHERE room_id = +?`,
  )
  const beyond = db.prepare("SELECT 1 FROM attempts WHERE room_id = +? LIMIT 1 OFFSET +?")
  const changesOf = db.prepare<{ revisions: number }>(
    `SELECT ${CHANGES} AS revisions FROM json_each(+?) j JOIN attempts a ON a.attempt_id = j.value`,
  )
  const attemptsOfExperiment = db.prepare<{ attemptId: string }>(
    `SELECT attempt_id AS attemptId FROM attempts WHERE experiment_id = +? LIMIT ${NEAR + 1}`,
  )
  const experimentOf = db.prepare<{ experimentId: string }>(
    "SELECT experiment_id AS experimentId FROM attempts WHERE attempt_id = +?",
  )

  /** The quantities of some attempts, worked out once for each key. */
  function quantities(kept: Kept, key: string, roomId: string, attempts: () => Measured[]) {
    const known = kept.get(key)
    if (known !== undefined) return known
    const made = quantitiesOf(values, roomId, attempts())
    kept.set(key, made)
    return made
  }

  /** The quantities of all attempts of a Room; undefined of one that has too many attempts or values. */
  function whole(roomId: string, most: Reach, kept: Kept): Quantities | undefined {
    // All attempts are counted only where they are few: a write is checked while others wait.
    if (beyond.get(roomId, most.attempts) !== undefined) return undefined
    const { attempts, revisions, newest } = size.one(roomId)
    const state = `${roomId} ${attempts} ${revisions} ${newest}`
    const known = kept.get(state)
    if (known !== undefined || values.amountIn({ roomId }) > most.values) return known
    return quantities(kept, state, roomId, () => values.attempts({ roomId }))
  }

  /**
   * The quantities that a text is checked against; undefined if the attempts that it is about have too many values.
   * @param here the quantities of all of its Room
   */
  function reached(
    { roomId, attempts: named, experiments: about }: About,
    own: ReadonlySet<string>,
    most: Reach,
    kept: Kept,
    here: Quantities | undefined,
  ): Quantities | undefined {
    if (here !== undefined) {
      const elsewhere = [...own].filter((attemptId) => !here.attempts.some((each) => each.attemptId === attemptId))
      if (elsewhere.length === 0) return here
      if (values.amountIn({ attemptIds: elsewhere }) > most.values) return undefined
      return quantitiesOf(values, roomId, [...here.attempts, ...values.attempts({ attemptIds: elsewhere })])
    }
    const experiments = new Set([
      ...about,
      ...[...own, ...named].flatMap((attemptId) => experimentOf.get(attemptId)?.experimentId ?? []),
    ])
    const found = new Set([...own, ...named].slice(0, NEAR))
    let left = most.values - values.amountIn({ attemptIds: [...found] })
    if (left < 0) return undefined
    for (const experimentId of experiments) {
      const some = attemptsOfExperiment.all(experimentId).filter(({ attemptId }) => !found.has(attemptId))
      if (found.size + some.length > NEAR) continue
      const amount = values.amountIn({ attemptIds: some.map(({ attemptId }) => attemptId) })
      if (amount > left) continue
      left -= amount
      for (const { attemptId } of some) found.add(attemptId)
    }
    const attemptIds = [...found].sort()
    const { revisions: changes } = changesOf.one(JSON.stringify(attemptIds))
    const key = `${roomId} ${changes} ${attemptIds.join()}`
    return quantities(kept, key, roomId, () => values.attempts({ attemptIds }))
  }

  return { sizeOf: (roomId: string) => size.one(roomId), whole, quantities: reached }
}
