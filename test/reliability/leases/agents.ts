/**
 * Fifty agents that take from one list of work, on a clock that the simulation moves: experiments on leases, and
 * reviews under claims. Now and then one is killed in the middle of its work, or suspended for an hour or more, and
 * continues as if no time had passed. Their actions are recorded as they saw them, and judged afterwards (judge.ts).
 */
import type { Actor } from "../../../src/ledger/journal/actor.ts"
import { Refusal } from "../../../src/contract/refusals.ts"
import type { Receipt } from "../../../src/contract/answers/receipts.ts"
import type { OperationName } from "../../../src/contract/operations/index.ts"
import { action, type Body, freshId, hypothesis, launch, message } from "../../support/bodies.ts"
import { type Ending, type Ledger, openLedger } from "../../support/lab.ts"
import type { Chance } from "../support/chance.ts"

export interface Size {
  readonly agents: number
  readonly experiments: number
  readonly reviews: number
}

/** One agent's work on one object. */
export interface Stint {
  readonly agent: number
  readonly on: string
  readonly what: "run" | "review"
  readonly began: number
  /**
   * The times of its writes about it, until it learns that the work is another's: each write renews its lease or claim.
   */
  readonly signs: number[]
  isFinished: boolean
}

/** An answered write, as its sender knows it. */
export interface Known {
  readonly sequence: number
  readonly digest: string
  readonly targetId: string
}

export interface Told {
  readonly lab: Ledger
  readonly stints: readonly Stint[]
  readonly known: readonly Known[]
  /** Experiments that were reported to an agent as completed; attempts that were reported as succeeded. */
  readonly completed: ReadonlySet<string>
  readonly succeeded: ReadonlySet<string>
  readonly killed: number
  readonly suspended: number
  readonly lateReports: number
  readonly takeovers: number
}

interface Agent {
  readonly agent: number
  readonly actor: Actor
  readonly chance: Chance
}

export const MINUTES = { lease: 30, claim: 20 } as const
const MINUTE = 60_000
/** Minutes after which an idle agent looks again. */
const IDLE = 7
/** Minutes of the whole simulation. */
const END = 48 * 60

/** An agent's actions between two waits; it yields minutes. */
type Course = AsyncGenerator<number, void, void>

export async function simulate(t: Ending, chance: Chance, { agents, experiments, reviews }: Size): Promise<Told> {
  const lab = await openLedger(t)
  const { instance, clock, roomId, threadId, ada } = lab
  const { tables } = instance
  const stints: Stint[] = []
  const known: Known[] = []
  const [completed, succeeded] = [new Set<string>(), new Set<string>()]
  const counts = { killed: 0, suspended: 0, lateReports: 0, takeovers: 0 }

  /** Sends a write. @returns its receipt; null if the state of things did not allow it */
  async function send(actor: Actor, name: OperationName, body: Body, params = {}): Promise<Receipt | null> {
    try {
      const receipt = await lab.admit({
        actor,
        name,
        params,
        body: { schemaVersion: 3, ...(name === "post_message" ? {} : { requestId: freshId() }), ...body },
      })
      if (receipt.activity !== null) known.push({ ...receipt.activity, targetId: receipt.targetId })
      return receipt
    } catch (error) {
      if (error instanceof Refusal && error.status === 409) return null
      throw error
    }
  }
  const isWarned = (receipt: Receipt, ...codes: string[]) => receipt.warnings.some(({ code }) => codes.includes(code))

  const cards = new Map<string, string>()
  for (let number = 0; number < experiments; number += 1)
    await send(ada, "propose_experiment", {
      roomId,
      threadId,
      question: `Does run ${number} hold?`,
      scope: "Here.",
      hypotheses: [],
    })
  for (let number = 0; number < reviews; number += 1) {
    const receipt = await send(ada, "publish_hypothesis", {
      ...action(hypothesis({ roomId, threadId })),
      scope: `Case ${number}.`,
    })
    if (receipt?.entry != null) cards.set(receipt.targetId, receipt.entry.entryId)
  }

  /** Runs an experiment from start to end. */
  async function* run({ agent, actor, chance }: Agent, experimentId: string): Course {
    const summary = () =>
      tables.experiments.page({ roomId }, undefined, experiments).find((each) => each.experimentId === experimentId)
    const before = summary()
    const taken = await send(actor, "take_experiment", {
      experimentId,
      ...before?.affordances.expected,
      leaseMinutes: MINUTES.lease,
    })
    if (taken === null) return
    if (before?.status !== "open") counts.takeovers += 1
    // From here on it relies on its answers, and reads nothing again.
    const expected = { expectedRevision: Number(taken.result.revision), expectedStatus: "claimed" }
    const attemptId = freshId()
    const stint: Stint = {
      agent,
      on: experimentId,
      what: "run",
      began: clock.read(),
      signs: [clock.read()],
      isFinished: false,
    }
    stints.push(stint)
    yield chance.between(0, 20)
    const registered = await send(actor, "register_attempt", {
      attemptId,
      experimentId,
      ...expected,
      intent: "exploratory",
      ...launch,
    })
    if (registered === null) return
    stint.signs.push(clock.read())
    if (isWarned(registered, "held_by_other_agent")) return
    const steps = ["started", ...Array.from({ length: chance.between(1, 4) }, () => "progress"), "succeeded"]
    let at = { expectedRevision: 1, expectedStatus: "registered" }
    for (const event of steps) {
      yield chance.between(5, MINUTES.lease - 2)
      const reportedAt = new Date(clock.read()).toISOString()
      const receipt = await send(actor, "report_attempt_event", { attemptId, event, ...at, reportedAt })
      if (receipt === null) throw new Error("the report of a registrant was refused")
      at = { expectedRevision: Number(receipt.result.revision), expectedStatus: String(receipt.result.status) }
      if (event === "succeeded") succeeded.add(attemptId)
      // It still reports how its run ended, and leaves the rest to the new holder.
      if (isWarned(receipt, "taken_over")) counts.lateReports += 1
      else stint.signs.push(clock.read())
      if (event === "succeeded" && isWarned(receipt, "taken_over")) return
    }
    stint.isFinished = true
    yield chance.between(0, 10)
    const done = await send(actor, "report_experiment_status", {
      experimentId,
      ...expected,
      status: "completed",
      summary: "It held.",
    })
    if (done !== null) completed.add(experimentId)
  }

  /** Reviews a hypothesis under a claim, and says so in a reply to its card. */
  async function* review({ agent, actor, chance }: Agent, versionId: string): Course {
    const claim = await send(actor, "claim_work", { object: versionId, what: "review", minutes: MINUTES.claim })
    if (claim === null) return
    if (isWarned(claim, "claimed_by")) {
      await send(actor, "release_claim", { claimId: claim.targetId })
      return
    }
    const stint: Stint = {
      agent,
      on: versionId,
      what: "review",
      began: clock.read(),
      signs: [clock.read()],
      isFinished: false,
    }
    stints.push(stint)
    for (let part = chance.between(1, 3); part > 0; part -= 1) {
      yield chance.between(3, MINUTES.claim - 2)
      const text = part === 1 ? `Reviewed: it holds.` : "Still at it."
      const receipt = await send(actor, "post_message", message(text, { replyToEntryId: cards.get(versionId) }), {
        threadId,
      })
      if (receipt === null) throw new Error("a message was refused")
      stint.signs.push(clock.read())
    }
    stint.isFinished = true
  }

  const isReviewed = (versionId: string) =>
    stints.some(({ on, what, isFinished }) => on === versionId && what === "review" && isFinished)

  /** Looks for work, does it, and looks again. */
  async function* live(self: Agent): Course {
    const { chance } = self
    while (true) {
      const at = new Date(clock.read()).toISOString()
      const free = tables.experiments
        .page({ roomId }, undefined, experiments)
        .filter(({ affordances }) => affordances.operations.some(({ operation }) => operation === "take_experiment"))
        .map(
          ({ experimentId }) =>
            () =>
              run(self, experimentId),
        )
      const open = [...cards.keys()].filter((versionId) => !isReviewed(versionId))
      const claimed = new Set(tables.claims.among(open, at).map(({ objectId }) => objectId))
      const unclaimed = open
        .filter((versionId) => !claimed.has(versionId))
        .map((versionId) => () => review(self, versionId))
      const next = chance.of([...free, ...unclaimed])
      if (next === undefined) yield IDLE
      else yield* next()
      yield chance.between(0, 3)
    }
  }

  // Each person has half of the agents. Agents due at the same moment write at the same moment.
  const courses: Course[] = []
  for (let agent = 0; agent < agents; agent += 1)
    courses.push(
      live({
        agent,
        actor: await lab.agent(agent % 2 === 0 ? "ada" : "grace", { label: `lab-${agent}` }),
        chance: chance.part(agent),
      }),
    )
  const due = courses.map((course) => ({ course, at: 0 }))
  const isAllDone = () => completed.size === experiments && [...cards.keys()].every(isReviewed)
  for (let now = 0; now <= END && due.length > 0 && !isAllDone(); ) {
    const next = Math.min(...due.map(({ at }) => at))
    clock.pass(next - now)
    now = next
    const turn = due.filter(({ at }) => at === now)
    await Promise.all(
      turn.map(async (one) => {
        const { value, done } = await one.course.next()
        if (done === true) throw new Error("an agent's life ended by itself")
        one.at = now + value
      }),
    )
    for (const one of turn) {
      // A sixth of the agents is never killed: some have to finish.
      if (due.length > agents / 6 && chance.oneIn(60)) {
        counts.killed += 1
        due.splice(due.indexOf(one), 1)
      } else if (chance.oneIn(25)) {
        counts.suspended += 1
        one.at += chance.between(60, 180)
      }
    }
  }
  for (const { course } of due) await course.return()
  return { lab, stints, known, completed, succeeded, ...counts }
}

/** The time in minutes, for messages about faults. */
export const minuteOf = (moment: number): number => Math.round(moment / MINUTE)
