/**
 * A Room as the protocol describes it, written from its pages without the service's code: its state after each accepted
 * write. It applies writes in the order of the activity feed; `judge.ts` judges whether each was legal.
 */
import type { Members, Receipt, Truth, Write } from "./history.ts"
import {
  type Accepted,
  type Attempt,
  assertionOf,
  cards,
  type Entry,
  type Experiment,
  type Plan,
  prefixes,
  publications,
  type Published,
  relationOf,
  type Revision,
  type Said,
  standings,
  stepOf,
  type Thread,
} from "./state.ts"
import { Grown, Shelf, Versioned } from "./versions.ts"

export class Model {
  readonly truth: Truth
  readonly experiments = new Shelf<Experiment>()
  readonly revisions = new Map<string, Grown<Revision>>()
  readonly attempts = new Shelf<Attempt>()
  readonly threads = new Shelf<Thread>()
  readonly entries = new Shelf<Entry>()
  readonly replies = new Map<string, Grown<string>>()
  readonly records = new Shelf<Published>()
  readonly findingLinks = new Shelf<{ linkId: string; entryId: string }>()
  readonly said = new Map<string, Grown<Said>>()
  /** The replacement of each record. */
  readonly replacements = new Map<string, Grown<string>>()
  /** Finding links with the same content, by their author. */
  readonly related = new Map<string, Grown<{ linkId: string; at: string }>>()
  readonly plans = new Shelf<Plan>()
  readonly accepted = new Shelf<Accepted>()
  readonly archive = new Versioned<Members | null>()
  readonly labels = new Map<string, Grown<string>>()
  readonly timelines = new Map<string, Grown<string>>()
  /** When each entry of a timeline was accepted. */
  readonly entryTimes = new Map<string, string>()
  #now = 0

  constructor(truth: Truth) {
    this.truth = truth
    this.archive.set(0, null)
    this.#open(truth.openingThreadId, null)
  }

  /** The write accepted at a place of the feed. */
  apply(position: number, delivery: string, accepted: Accepted): void {
    this.#now = position
    const { write, receipt } = accepted
    this.accepted.set(position, delivery, accepted)
    const prefix = prefixes[write.operation]
    if (prefix !== undefined) this.#grow(this.labels, prefix, receipt.target.label ?? "")
    this.#effect(write, receipt)
    if (receipt.entry !== null && receipt.threadId !== null)
      this.#enter(write, receipt, receipt.threadId, receipt.entry.entryId)
  }

  #effect(write: Write, receipt: Receipt): void {
    const { operation, person, body } = write
    const { id, label } = receipt.target
    if (operation === "create_thread") this.#open(id, (body.replyToEntryId as string | undefined) ?? null)
    else if (operation === "archive_room")
      this.archive.set(this.#now, {
        id: receipt.roomId,
        state: "archived",
        archivedAt: receipt.acceptedAt,
        reason: body.reason,
      })
    else if (operation === "restore_room") this.archive.set(this.#now, null)
    else if (operation === "publish_hypothesis" || operation === "publish_finding")
      this.records.set(this.#now, id, {
        id,
        label: label ?? "",
        kind: String(body.kind),
        threadId: String(body.threadId),
        author: person,
        status: "current",
        notices: 0,
      })
    else if (operation === "link_experiment_finding") this.#relate(write, receipt)
    else if (assertionOf(operation) !== undefined) this.#assert(write, receipt)
    else if (operation === "register_attempt") this.#register(write, receipt)
    else if (operation === "report_attempt_event") this.#report(write)
    else if (operation.includes("experiment") || operation === "accept_plan") this.#advance(write, receipt)
  }

  #relate({ person, body }: Write, { target: { id }, entry, acceptedAt: at }: Receipt): void {
    this.findingLinks.set(this.#now, id, { linkId: id, entryId: entry?.entryId ?? "" })
    this.#grow(this.related, relationOf(person, body), { linkId: id, at })
  }

  #assert({ operation, person, body }: Write, { target, acceptedAt }: Receipt): void {
    const { kind, status } = assertionOf(operation) as { kind: string; status: string }
    const targetVersionId = String(body.targetVersionId)
    const record = this.records.at(this.#now, targetVersionId)
    if (record === undefined) return
    const stronger = standings.indexOf(status) > standings.indexOf(record.status) ? status : record.status
    this.records.set(this.#now, targetVersionId, { ...record, status: stronger, notices: record.notices + 1 })
    if (kind === "supersedes") this.#grow(this.replacements, targetVersionId, String(body.replacementVersionId))
    const explanation = String(body.explanation)
    const one = {
      linkId: target.id,
      label: target.label,
      kind,
      targetVersionId,
      author: person,
      explanation,
      at: acceptedAt,
    }
    this.#grow(this.said, `${person} ${kind} ${targetVersionId}`, one)
  }

  #register({ person, body }: Write, { target, threadId }: Receipt): void {
    const experiment = this.experiments.at(this.#now, body.experimentId)
    if (experiment === undefined) return
    this.attempts.set(this.#now, target.id, {
      id: target.id,
      label: target.label ?? "",
      threadId: threadId ?? "",
      experimentId: experiment.id,
      status: "registered",
      revision: 1,
      registrant: person,
      events: ["registered"],
      outputs: [],
    })
    this.#count(experiment, { registered: 1 })
  }

  #report({ body }: Write): void {
    const attempt = this.attempts.at(this.#now, body.attemptId)
    const experiment = this.experiments.at(this.#now, attempt?.experimentId)
    if (attempt === undefined || experiment === undefined) return
    const event = String(body.event)
    const status = event === "progress" ? attempt.status : event
    const outputs = ((body.outputs as { outputLabel: string }[] | undefined) ?? []).map(
      ({ outputLabel }) => outputLabel,
    )
    this.attempts.set(this.#now, attempt.id, {
      ...attempt,
      status,
      revision: attempt.revision + 1,
      events: [...attempt.events, event],
      outputs: [...attempt.outputs, ...outputs],
    })
    if (status !== attempt.status) this.#count(experiment, { [attempt.status]: -1, [status]: 1 })
  }

  #count(experiment: Experiment, change: Readonly<Record<string, number>>): void {
    const attempts = { ...experiment.attempts }
    for (const [status, by] of Object.entries(change)) attempts[status] = (attempts[status] ?? 0) + by
    this.experiments.set(this.#now, experiment.id, { ...experiment, attempts })
  }

  #advance({ operation, person, body }: Write, { target, result, threadId }: Receipt): void {
    const id = operation === "propose_experiment" ? target.id : String(body.experimentId)
    const before: Experiment = this.experiments.at(this.#now, id) ?? {
      id,
      label: target.label ?? "",
      threadId: threadId ?? "",
      status: "open",
      revision: 0,
      proposer: person,
      assignee: null,
      question: String(body.question),
      plans: [],
      attempts: {},
    }
    const planId = operation === "accept_plan" ? String(result.planId) : null
    const after: Experiment = {
      ...before,
      ...stepOf(operation, person, body),
      revision: before.revision + 1,
      plans: planId === null ? before.plans : [...before.plans, planId],
    }
    if (planId !== null) this.plans.set(this.#now, planId, { experimentId: id, acceptedBy: person })
    this.experiments.set(this.#now, id, after)
    const { revision, status, assignee: assigneeId } = after
    this.#grow(this.revisions, id, { revision, operation, author: person, status, assigneeId, planId })
  }

  #open(id: string, follows: string | null): void {
    this.threads.set(this.#now, id, { id, watermark: 0, follows, selected: null, concludedAt: null, stale: false })
  }

  /** The entry of a write in its Thread, followed by the opening message if it opened a Thread. */
  #enter({ operation, person, body }: Write, receipt: Receipt, threadId: string, entryId: string): void {
    const record = operation === "link_experiment_finding" ? String(body.findingVersionId) : receipt.target.id
    this.#append(threadId, receipt.acceptedAt, {
      entryId,
      kind: publications.has(operation) ? "publication" : operation === "post_message" ? "message" : operation,
      author: person,
      replyTo: operation === "post_message" ? ((body.replyToEntryId as string | undefined) ?? null) : null,
      isReceipt: !cards.has(operation),
      standingOf: publications.has(operation) || operation === "link_experiment_finding" ? record : null,
    })
    const thread = this.threads.at(this.#now, threadId) as Thread
    if (operation === "post_research_checkpoint")
      this.threads.set(this.#now, threadId, {
        ...thread,
        selected: receipt.target.id,
        concludedAt: body.state === "concluded" ? thread.watermark : null,
        stale: false,
      })
    else if (publications.has(operation) && thread.concludedAt !== null)
      this.threads.set(this.#now, threadId, { ...thread, stale: true })
    if (typeof receipt.result.messageEntryId === "string")
      this.#append(threadId, receipt.acceptedAt, {
        entryId: receipt.result.messageEntryId,
        kind: "message",
        author: person,
        replyTo: null,
        isReceipt: false,
        standingOf: null,
      })
  }

  #append(threadId: string, at: string, entry: Omit<Entry, "threadId" | "sequence">): void {
    const thread = this.threads.at(this.#now, threadId)
    if (thread === undefined) return
    const sequence = thread.watermark + 1
    this.threads.set(this.#now, threadId, { ...thread, watermark: sequence })
    this.entries.set(this.#now, entry.entryId, { ...entry, threadId, sequence })
    this.#grow(this.timelines, threadId, entry.entryId)
    this.entryTimes.set(entry.entryId, at)
    if (entry.replyTo !== null) this.#grow(this.replies, entry.replyTo, entry.entryId)
  }

  #grow<T>(into: Map<string, Grown<T>>, key: string, value: T): void {
    let list = into.get(key)
    if (list === undefined) {
      list = new Grown<T>()
      into.set(key, list)
    }
    list.add(this.#now, value)
  }
}
