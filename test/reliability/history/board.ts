/** The shared knowledge of a Room's clients: each adds what it saw, and takes what it needs, sometimes an old value. */
import type { Chance } from "../support/chance.ts"
import type { Members, Receipt } from "./history.ts"

/** The state of an experiment or attempt as a client read it, to copy into its next write. */
export interface Known {
  readonly id: string
  readonly status: string
  readonly revision: number
  readonly assignee: string | null
}

/** Operations that leave more than a receipt, and some that do not. */
const answerable: ReadonlySet<string> = new Set([
  "post_message",
  "publish_hypothesis",
  "post_research_checkpoint",
  "take_experiment",
])

/** Objects by id with the states seen of each, newest last. */
export class Seen {
  readonly #things = new Map<string, Known[]>()

  see(known: Known): void {
    const before = this.#things.get(known.id)
    if (before === undefined) this.#things.set(known.id, [known])
    else if ((before.at(-1) as Known).revision < known.revision) before.push(known)
  }

  /** The latest seen state of an object; now and then an earlier one. */
  recall(id: string, chance: Chance): Known {
    const seen = this.#things.get(id) as Known[]
    return (chance.happens(0.15) ? chance.of(seen) : seen.at(-1)) as Known
  }

  all(): Known[] {
    return [...this.#things.values()].map((seen) => seen.at(-1) as Known)
  }
}

export class Board {
  readonly experiments = new Seen()
  readonly attempts = new Seen()
  readonly experimentOf = new Map<string, string>()
  readonly plans: { planId: string; experimentId: string }[] = []
  readonly records: string[] = []
  readonly findings: string[] = []
  readonly threads: string[]
  readonly entries: { entryId: string; threadId: string }[] = []
  readonly watermarks = new Map<string, number>()
  /** The proposer of an experiment or registrant of an attempt. */
  readonly makers = new Map<string, string>()

  constructor(openingThreadId: string) {
    this.threads = [openingThreadId]
  }

  /** What a receipt says, and to which client. */
  learn({ operation, target, result, threadId, entry }: Receipt, body: Members, person: string): void {
    if (threadId !== null && entry !== null) {
      this.watermarks.set(threadId, Math.max(entry.sequence, this.watermarks.get(threadId) ?? 0))
      if (answerable.has(operation)) this.entries.push({ entryId: entry.entryId, threadId })
    }
    if (typeof result.experimentId === "string")
      this.#saw({ ...result, assigneeId: result.assigneeId ?? this.#holder(result) })
    if (typeof result.attemptId === "string") this.saw(result)
    if (operation === "register_attempt" || operation === "propose_experiment") this.makers.set(target.id, person)
    if (operation === "register_attempt") this.experimentOf.set(target.id, String(body.experimentId))
    if (operation === "accept_plan")
      this.plans.push({ planId: String(result.planId), experimentId: String(body.experimentId) })
    if (operation === "create_thread") this.threads.push(target.id)
    if (operation === "publish_hypothesis" || operation === "publish_finding") this.records.push(target.id)
    if (operation === "publish_finding") this.findings.push(target.id)
  }

  /** The `current` of a refusal, or a read of one object. */
  saw(shown: Members | null): void {
    if (shown === null) return
    if (typeof shown.attemptId === "string" && typeof shown.status === "string" && typeof shown.revision === "number")
      this.attempts.see({ id: shown.attemptId, status: shown.status, revision: shown.revision, assignee: null })
    else if (typeof shown.experimentId === "string" && typeof shown.status === "string") this.#saw(shown)
    else if (typeof shown.timelineWatermark === "number" && typeof shown.threadId === "string")
      this.watermarks.set(shown.threadId, Math.max(shown.timelineWatermark, this.watermarks.get(shown.threadId) ?? 0))
  }

  #saw({ experimentId, status, revision, assigneeId }: Members): void {
    const assignee = (assigneeId as string | null | undefined) ?? null
    this.experiments.see({ id: String(experimentId), status: String(status), revision: Number(revision), assignee })
  }

  #holder({ experimentId, status }: Members): string | null {
    if (status === "open") return null
    return this.experiments.all().find(({ id }) => id === experimentId)?.assignee ?? null
  }
}
