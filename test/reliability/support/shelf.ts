/** What the writers know of each other's work: the newest that receipts contained. */
import type { Agent } from "./ground.ts"
import type { Receipt, Sent } from "./journal.ts"

export interface KnownExperiment {
  readonly experimentId: string
  readonly threadId: string
  readonly proposerId: string
  revision: number
  status: string
  assigneeId: string | null
  planId: string | null
}

export interface KnownAttempt {
  readonly attemptId: string
  readonly experimentId: string
  readonly threadId: string
  readonly registrantId: string
  revision: number
  status: string
}

/** How many of each are remembered: few, so that writers meet at the same ones. */
const REMEMBERED = 24

/** A list that drops its oldest item. */
class Newest<T> {
  readonly all: T[] = []
  add(item: T): void {
    this.all.push(item)
    if (this.all.length > REMEMBERED) this.all.shift()
  }
}

/** What is known of one Room. */
export class Shelf {
  readonly #threads = new Newest<string>()
  readonly openingThreadId: string
  /** The newest sequence seen in each Thread. */
  readonly watermarks = new Map<string, number>()
  readonly #entries = new Newest<{ threadId: string; entryId: string }>()
  readonly #records = new Newest<{ versionId: string; threadId: string; kind: string }>()
  readonly #experiments = new Newest<KnownExperiment>()
  readonly #attempts = new Newest<KnownAttempt>()
  readonly #materials = new Newest<{ materialId: string; threadId: string | null }>()

  constructor(openingThreadId: string) {
    this.openingThreadId = openingThreadId
  }

  threads(): readonly string[] {
    return [this.openingThreadId, ...this.#threads.all]
  }
  entries(threadId: string): readonly string[] {
    return this.#entries.all.flatMap((entry) => (entry.threadId === threadId ? [entry.entryId] : []))
  }
  records(kind?: string): readonly { versionId: string; threadId: string; kind: string }[] {
    return this.#records.all.filter((record) => kind === undefined || record.kind === kind)
  }
  get experiments(): readonly KnownExperiment[] {
    return this.#experiments.all
  }
  get attempts(): readonly KnownAttempt[] {
    return this.#attempts.all
  }
  get materials(): readonly { materialId: string; threadId: string | null }[] {
    return this.#materials.all
  }

  /** Adds what a receipt contains. */
  learn({ agent, body, operation }: Sent, { threadId, entry, target, result }: Receipt): void {
    if (threadId !== null && entry !== null) {
      this.watermarks.set(threadId, Math.max(entry.sequence, this.watermarks.get(threadId) ?? 0))
      if (operation.entry?.form !== "receipt") this.#entries.add({ threadId, entryId: entry.entryId })
    }
    if (operation.name === "create_thread") this.#threads.add(target.id)
    if (threadId !== null && operation.name.startsWith("publish_"))
      this.#records.add({ versionId: target.id, threadId, kind: target.kind })
    if (operation.name === "register_material") this.#materials.add({ materialId: target.id, threadId })
    if (threadId !== null && typeof result.experimentId === "string")
      this.#experiment(agent, threadId, operation.name, result)
    if (threadId !== null && typeof result.attemptId === "string")
      this.#attempt(agent, threadId, body.experimentId as string, result)
  }

  #experiment({ userId }: Agent, threadId: string, operation: string, result: Receipt["result"]): void {
    const { experimentId, revision, status, planId } = result as {
      experimentId: string
      revision: number
      status: string
      planId?: string
    }
    const known = this.#experiments.all.find((experiment) => experiment.experimentId === experimentId)
    if (known === undefined) {
      if (operation !== "propose_experiment") return
      this.#experiments.add({
        experimentId,
        threadId,
        proposerId: userId,
        revision,
        status,
        assigneeId: null,
        planId: null,
      })
    } else if (revision > known.revision) {
      Object.assign(known, { revision, status })
      if (planId !== undefined) known.planId = planId
      if (operation === "take_experiment") known.assigneeId = userId
      if (operation === "release_experiment") known.assigneeId = null
    }
  }

  #attempt({ userId }: Agent, threadId: string, experimentId: string, result: Receipt["result"]): void {
    const { attemptId, revision, status } = result as { attemptId: string; revision: number; status: string }
    const known = this.#attempts.all.find((attempt) => attempt.attemptId === attemptId)
    if (known !== undefined) Object.assign(known, revision > known.revision ? { revision, status } : {})
    else if (revision === 1)
      this.#attempts.add({ attemptId, experimentId, threadId, registrantId: userId, revision, status })
  }
}
