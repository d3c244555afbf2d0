/**
 * The protocol's answer to a write at one place of a Room's sequence: its order of checks, its state tables and its
 * refusals, written from protocol.md, without the service's own tables.
 */
import { limits } from "../../../src/contract/limits.ts"
import { deliveryOf, type Members, type Receipt, type Write } from "./history.ts"
import type { Model } from "./model.ts"
import { type Accepted, type Attempt, assertionOf, type Experiment, relationOf } from "./state.ts"
import type { Shelf } from "./versions.ts"

export type Verdict =
  | { readonly kind: "accepted" }
  | { readonly kind: "replayed"; readonly accepted: Accepted; readonly current: Members | undefined }
  /** `current` is undefined if the protocol does not say what it shows. */
  | { readonly kind: "refused"; readonly code: string; readonly current?: Members | null }

const ACCEPTED: Verdict = { kind: "accepted" }
const refused = (code: string, current: Members | null = null): Verdict => ({ kind: "refused", code, current })

/** Section 2: permissions. An operation that is not listed needs `post_thread`. */
const work = ["manage_own_experiments"]
const needs: Readonly<Record<string, readonly string[]>> = {
  publish_hypothesis: ["publish_records"],
  publish_finding: ["publish_records"],
  assert_retraction: ["publish_records"],
  propose_experiment: work,
  amend_experiment: work,
  cancel_experiment: work,
  take_experiment: work,
  release_experiment: work,
  report_experiment_status: work,
  accept_plan: work,
  register_attempt: work,
  report_attempt_event: work,
  archive_room: [],
  restore_room: [],
}
/** Thread, message and publication routes say `room_archived`; the research routes say `room_unavailable`. */
const threadRoutes: ReadonlySet<string> = new Set([
  "create_thread",
  "post_message",
  "reuse_record",
  "publish_finding",
  "archive_room",
])

/** The table of attempts: the allowed transitions. */
const follows: Readonly<Record<string, readonly string[]>> = {
  registered: ["started", "preflight_failed", "cancelled"],
  started: ["progress", "succeeded", "failed", "cancelled"],
}

export const currentExperiment = ({ id, label, status, revision, assignee }: Experiment): Members => ({
  experimentId: id,
  label,
  status,
  revision,
  assigneeId: assignee,
  expected: { expectedRevision: revision, expectedStatus: status },
})
export const currentAttempt = ({ id, label, experimentId, status, revision }: Attempt): Members => ({
  attemptId: id,
  label,
  experimentId,
  status,
  revision,
  expected: { expectedRevision: revision, expectedStatus: status },
})

/** A Room at one place of its sequence. */
export class Judge {
  readonly #model: Model
  readonly #at: number

  constructor(model: Model, position: number) {
    this.#model = model
    this.#at = position
  }

  #find<T>(shelf: Shelf<T>, id: unknown): T | undefined {
    return shelf.at(this.#at, id)
  }

  judge(write: Write, digest: string): Verdict {
    const before = this.#find(this.#model.accepted, deliveryOf(write))
    if (before !== undefined) return before.digest === digest ? this.#replay(before) : conflict(before)
    return (
      this.#grant(write) ??
      this.#subject(write) ??
      this.#archived(write) ??
      this.#references(write) ??
      this.#state(write)
    )
  }

  #replay(accepted: Accepted): Verdict {
    const { operation, targetId, result } = accepted.receipt
    const attempt = operation === "register_attempt" || operation === "report_attempt_event"
    const subject = attempt ? this.#find(this.#model.attempts, targetId) : this.#find(this.#model.experiments, targetId)
    if (subject === undefined || subject.revision === result.revision)
      return { kind: "replayed", accepted, current: undefined }
    return {
      kind: "replayed",
      accepted,
      current: attempt ? currentAttempt(subject as Attempt) : currentExperiment(subject as Experiment),
    }
  }

  #grant({ operation, credential }: Write): Verdict | undefined {
    if (credential === null) return undefined
    const needed = needs[operation] ?? ["post_thread"]
    const missing = needed.filter((permission) => !credential.permissions.includes(permission))
    return missing.length === 0 ? undefined : refused("permission_missing", { needed, missing })
  }

  /** Step 10, its first half: the subject must exist. */
  #subject({ operation, params, body }: Write): Verdict | undefined {
    const { experiments, attempts, records, threads } = this.#model
    const threadId = params.threadId ?? body.threadId
    if (operation === "report_attempt_event")
      return this.#find(attempts, body.attemptId) === undefined ? refused("unknown_attempt") : undefined
    if (assertionOf(operation) !== undefined)
      return this.#find(records, body.targetVersionId) === undefined ? refused("unknown_record") : undefined
    if (operation !== "publish_finding" && body.experimentId !== undefined)
      return this.#find(experiments, body.experimentId) === undefined ? refused("unknown_experiment") : undefined
    if (threadId !== undefined && this.#find(threads, threadId) === undefined) return refused("room_unavailable")
    return undefined
  }

  #archived({ operation }: Write): Verdict | undefined {
    const room = this.#model.archive.at(this.#at) ?? null
    if (room === null || operation === "restore_room") return undefined
    return refused(threadRoutes.has(operation) ? "room_archived" : "room_unavailable", { room })
  }

  /** Step 10, its second half, and step 11: everything else that is named must exist, including the commit. */
  #references({ operation, params, body }: Write): Verdict | undefined {
    const { attempts, records, plans, entries } = this.#model
    const isOfExperiment = (id: unknown) =>
      id === undefined || this.#find(attempts, id)?.experimentId === body.experimentId
    const isRecord = (id: unknown, kind?: string) => {
      const record = this.#find(records, id)
      return record !== undefined && (kind === undefined || record.kind === kind)
    }
    const canBeAnswered = (id: unknown, threadId?: unknown) => {
      const entry = this.#find(entries, id)
      return (
        id === undefined ||
        (entry !== undefined && !entry.isReceipt && (threadId === undefined || entry.threadId === threadId))
      )
    }
    const replacement = body.replacementVersionId
    const known =
      operation === "register_attempt"
        ? (body.planId === undefined || this.#find(plans, body.planId)?.experimentId === body.experimentId) &&
          !this.#isAnothersPlan(body) &&
          isOfExperiment(body.rerunOf) &&
          (body.reproduces === undefined ||
            this.#find(attempts, (body.reproduces as { attemptId: string }).attemptId) !== undefined)
        : operation === "link_experiment_finding"
          ? isRecord(body.findingVersionId, "finding") && isOfExperiment(body.attemptId)
          : operation === "reuse_record"
            ? isRecord(body.versionId)
            : operation === "create_thread"
              ? canBeAnswered(body.replyToEntryId)
              : operation === "post_message"
                ? canBeAnswered(body.replyToEntryId, params.threadId)
                : operation === "post_research_checkpoint"
                  ? (body.citations as unknown[]).every((id) => isRecord(id))
                  : replacement === undefined ||
                    (isRecord(replacement) &&
                      replacement !== body.targetVersionId &&
                      !this.#closesCircle(operation, body))
    if (!known) return refused("unknown_reference")
    const repository = body.repository as { url: string } | undefined
    return repository?.url.endsWith("/unpublished") ? refused("repository_unavailable") : undefined
  }

  /** A planned attempt follows a plan that the experiment's holder accepted; if nobody holds it, step 12 says so. */
  #isAnothersPlan({ intent, planId, experimentId }: Write["body"]): boolean {
    const holder = this.#find(this.#model.experiments, experimentId)?.assignee ?? null
    return intent === "planned" && holder !== null && this.#find(this.#model.plans, planId)?.acceptedBy !== holder
  }

  /** Step 12. */
  #state(write: Write): Verdict {
    const { operation, body, person } = write
    if (operation === "register_attempt") {
      const existing = this.#find(this.#model.attempts, body.attemptId)
      if (existing !== undefined) return refused("attempt_exists", currentAttempt(existing))
      return this.#experiment(write, body.intent === "reproduction" ? "anybody" : "assignee")
    }
    if (operation === "report_attempt_event") return this.#event(write)
    if (operation === "amend_experiment" || operation === "cancel_experiment")
      return this.#experiment(write, "proposer")
    if (operation === "take_experiment") return this.#experiment(write, "taker")
    if (["release_experiment", "report_experiment_status", "accept_plan"].includes(operation))
      return this.#experiment(write, "assignee")
    if (operation === "post_research_checkpoint") return this.#checkpoint(write)
    if (operation === "link_experiment_finding") return this.#link(write)
    if (operation === "create_thread") return this.#thread(write)
    if (operation === "restore_room" && (this.#model.archive.at(this.#at) ?? null) === null)
      return refused("state_conflict", { room: { id: this.#model.truth.roomId, state: "active" } })
    if (operation === "assert_retraction") {
      const author = this.#find(this.#model.records, body.targetVersionId)?.author
      if (author !== person && this.#model.truth.ownerId !== person)
        return refused("role_required", { needed: ["author", "owner"] })
    }
    return assertionOf(operation) === undefined ? ACCEPTED : this.#assertion(write)
  }

  #experiment({ operation, person, body }: Write, by: "anybody" | "assignee" | "proposer" | "taker"): Verdict {
    const experiment = this.#find(this.#model.experiments, body.experimentId) as Experiment
    const { status, assignee, revision, proposer } = experiment
    const current = currentExperiment(experiment)
    const isHeld = status === "claimed" || status === "in_progress"
    const isOver = status === "completed" || status === "cancelled"
    if (by === "proposer" && proposer !== person) return refused("role_required", { ...current, needed: ["proposer"] })
    if (by !== "anybody") {
      if (isOver) return refused("experiment_not_open", current)
      if (by === "assignee" ? assignee !== person : isHeld && assignee !== person)
        return refused("assignment_conflict", current)
    }
    const isStale =
      (body.expectedRevision !== undefined && body.expectedRevision !== revision) ||
      (body.expectedStatus !== undefined && body.expectedStatus !== status)
    if (isStale) return refused("state_conflict", current)
    if ((by === "taker" || by === "proposer") && status !== "open") return refused("experiment_not_open", current)
    if (operation === "report_experiment_status" && body.status === "in_progress" && status === "in_progress")
      return refused("state_conflict", current)
    return ACCEPTED
  }

  #event({ person, body }: Write): Verdict {
    const attempt = this.#find(this.#model.attempts, body.attemptId) as Attempt
    const current = currentAttempt(attempt)
    if (attempt.registrant !== person) return refused("role_required", { ...current, needed: ["registrant"] })
    const isStale = body.expectedRevision !== attempt.revision || body.expectedStatus !== attempt.status
    if (isStale || !follows[attempt.status]?.includes(String(body.event))) return refused("state_conflict", current)
    const labels = ((body.outputs as { outputLabel: string }[] | undefined) ?? []).map(({ outputLabel }) => outputLabel)
    return labels.some((label) => attempt.outputs.includes(label)) ? refused("invalid_schema") : ACCEPTED
  }

  #checkpoint({ body }: Write): Verdict {
    const thread = this.#find(this.#model.threads, body.threadId)
    const watermark = thread?.watermark ?? 0
    const read = Number(body.expectedWatermark)
    const missed = Math.max(0, watermark - read)
    const listed = Math.min(missed, limits.entriesBetween)
    if (read !== watermark)
      return refused("state_conflict", {
        threadId: body.threadId,
        timelineWatermark: watermark,
        selectedCheckpointId: thread?.selected ?? null,
        expected: { expectedWatermark: watermark },
        between: Array.from({ length: listed }, (_, index) => read + 1 + index),
        moreBetween: missed - listed,
      })
    return Number(body.coversThrough) > watermark ? refused("invalid_schema") : ACCEPTED
  }

  #thread({ body }: Write): Verdict {
    if (body.replyToEntryId === undefined || body.allowDuplicate === true) return ACCEPTED
    const existing = this.#model.threads.all(this.#at).find(({ follows: entryId }) => entryId === body.replyToEntryId)
    if (existing === undefined) return ACCEPTED
    return refused("thread_exists", {
      threadId: existing.id,
      timelineWatermark: existing.watermark,
      selectedCheckpointId: existing.selected,
    })
  }

  /** Whether the replacement was itself replaced by this record, directly or through others. */
  #closesCircle(operation: string, body: Write["body"]): boolean {
    if (operation !== "assert_supersession") return false
    const later = new Set([String(body.replacementVersionId)])
    for (const id of later) for (const next of this.#model.replacements.get(id)?.at(this.#at) ?? []) later.add(next)
    return later.has(String(body.targetVersionId))
  }

  #link({ person, body }: Write): Verdict {
    const { experimentId, findingVersionId } = body
    const [same] = this.#model.related.get(relationOf(person, body))?.at(this.#at).slice(-1) ?? []
    return same === undefined
      ? ACCEPTED
      : refused("link_exists", { ...same, kind: "finding_link", experimentId, findingVersionId })
  }

  #assertion({ operation, person, body }: Write): Verdict {
    const { kind } = assertionOf(operation) as { kind: string }
    const before = this.#model.said.get(`${person} ${kind} ${body.targetVersionId}`)?.at(this.#at) ?? []
    const mayRepeat = kind === "corrects" || kind === "disputes"
    const same = mayRepeat ? before.find(({ explanation }) => explanation === body.explanation) : before[0]
    if (same === undefined) return ACCEPTED
    const { author: _author, ...shown } = same
    return refused("link_exists", shown)
  }
}

const conflict = ({ receipt }: { readonly receipt: Receipt }): Verdict =>
  refused("request_conflict", { operation: receipt.operation, acceptedAt: receipt.acceptedAt, target: receipt.target })
