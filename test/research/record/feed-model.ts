/**
 * A Room's context as a client maintains it: read once, then updated only by entries of the feed, each applied once.
 */
import { type ActivityEntry, type AnswerOf, type ResearchRoomClient, textOf } from "research-room/client"

type Context = AnswerOf<"room_context">
type Status = Context["publications"][number]["status"]

/** The model's state in a comparable form. Every member changes through entries of the feed and in no other way. */
export interface View {
  readonly watermark: number
  readonly counts: Record<string, number>
  /** Each Thread's watermark and selected checkpoint. */
  readonly threads: Record<string, { timelineWatermark: number; selectedCheckpointId: string | null }>
  readonly experiments: Record<string, { status: string; revision: number; attempts: number }>
  readonly records: Record<string, { kind: string; status: Status; notices: string[] }>
  readonly findingLinks: string[]
  readonly openQuestions: Record<string, string[]>
  concluded: boolean
}

/** The part of a context that the model maintains. */
export function viewOf(context: Context): View {
  const openQuestions: Record<string, string[]> = {}
  for (const { threadId, question } of context.openQuestions)
    openQuestions[threadId] = [...(openQuestions[threadId] ?? []), textOf(question)]
  return {
    watermark: context.activityWatermark,
    counts: { ...context.counts },
    threads: Object.fromEntries(
      context.threads.map(({ threadId, timelineWatermark, selectedCheckpointId }) => [
        threadId,
        { timelineWatermark, selectedCheckpointId },
      ]),
    ),
    experiments: Object.fromEntries(
      context.experiments.map(({ experimentId, status, revision, attempts }) => [
        experimentId,
        { status, revision, attempts: attempts.total },
      ]),
    ),
    records: Object.fromEntries(
      [...context.hypotheses, ...context.publications].map(({ versionId, kind, status, notices }) => [
        versionId,
        { kind, status, notices: notices.map(({ linkId }) => linkId) },
      ]),
    ),
    findingLinks: context.findingLinks.map(({ linkId }) => linkId),
    openQuestions,
    concluded: context.concluded,
  }
}

const statusAfter: Readonly<Record<string, string>> = {
  take_experiment: "claimed",
  release_experiment: "open",
  cancel_experiment: "cancelled",
}
const rank: readonly Status[] = ["current", "disputed", "corrected", "superseded", "retracted"]
const brings: Readonly<Record<string, Status>> = {
  corrects: "corrected",
  disputes: "disputed",
  supersedes: "superseded",
  retracts: "retracted",
}

export class FeedModel {
  readonly #reader: ResearchRoomClient
  readonly #openingThreadId: string
  readonly view: View & { watermark: number }

  constructor(reader: ResearchRoomClient, context: Context) {
    this.#reader = reader
    this.#openingThreadId = context.room.openingThreadId
    this.view = structuredClone(viewOf(context))
  }

  /** Applies an entry. @throws Error if an entry was missed or comes twice */
  async apply(entry: ActivityEntry): Promise<void> {
    const { view } = this
    if (entry.sequence !== view.watermark + 1)
      throw new Error(`entry ${entry.sequence} follows entry ${view.watermark}`)
    view.watermark = entry.sequence
    const { operation, target, threadId, entryId } = entry
    if (operation === "create_thread") view.threads[target.id] = { timelineWatermark: 0, selectedCheckpointId: null }
    const thread = view.threads[threadId ?? ""]
    if (thread !== undefined && entryId !== null) thread.timelineWatermark += 1
    this.#count(entry)
    if (target.kind === "experiment") this.#experiment(operation, target.id)
    if (target.kind === "link") await this.#link(target.id)
    if (operation === "register_attempt") await this.#attempt(target.id)
    if (operation === "link_experiment_finding") view.findingLinks.push(target.id)
    if (operation === "post_research_checkpoint") await this.#checkpoint(target.id)
  }

  #count({ operation, target }: ActivityEntry): void {
    const { counts, records } = this.view
    if (operation === "create_thread") counts.threads = (counts.threads ?? 0) + 1
    if (operation === "add_member") counts.members = (counts.members ?? 0) + 1
    const made =
      operation.startsWith("publish_") ||
      operation.startsWith("assert_") ||
      ["propose_experiment", "register_attempt"].includes(operation)
    if (made) counts[target.kind] = (counts[target.kind] ?? 0) + 1
    if (operation.startsWith("publish_")) records[target.id] = { kind: target.kind, status: "current", notices: [] }
  }

  #experiment(operation: string, id: string): void {
    const before = this.view.experiments[id] ?? { status: "open", revision: 0, attempts: 0 }
    this.view.experiments[id] = {
      ...before,
      status: statusAfter[operation] ?? before.status,
      revision: before.revision + 1,
    }
  }

  /** A link's target never changes, so reading it now gives the same as reading it then. */
  async #link(linkId: string): Promise<void> {
    const link = await this.#reader.read("link", { linkId })
    const record =
      this.view.records[link.kind === "finding_link" || link.kind === "review" ? "" : link.target.versionId]
    const status = brings[link.kind]
    if (record === undefined || status === undefined)
      throw new Error(`${linkId} has a target that the model does not know`)
    record.notices.push(linkId)
    if (rank.indexOf(status) > rank.indexOf(record.status)) record.status = status
  }

  async #attempt(attemptId: string): Promise<void> {
    const { experimentId } = await this.#reader.read("attempt", { attemptId })
    const experiment = this.view.experiments[experimentId]
    if (experiment !== undefined) experiment.attempts += 1
  }

  async #checkpoint(checkpointId: string): Promise<void> {
    const { threadId, state, openQuestions } = await this.#reader.read("checkpoint", { checkpointId })
    const thread = this.view.threads[threadId]
    if (thread !== undefined) thread.selectedCheckpointId = checkpointId
    if (openQuestions.length > 0) this.view.openQuestions[threadId] = openQuestions.map((each) => textOf(each))
    else delete this.view.openQuestions[threadId]
    if (threadId === this.#openingThreadId) this.view.concluded = state === "concluded"
  }
}
