/**
 * The feeds of a service from outside: the activity of each Room and the timeline of each Thread. Each entry must
 * belong to exactly one stored write, each stored write must have its entries, and no number may be missing.
 */
import type { ActivityEntry } from "../../../src/contract/reads/activity.ts"
import type { Entry } from "../../../src/contract/nouns/threads.ts"
import { Chain, type ActivityMark } from "../../../src/client/activity.ts"
import { pathTo } from "../../../src/contract/reads/index.ts"
import { nameOf, type Receipt, type Sent } from "./journal.ts"
import { each, type Line } from "./line.ts"

type Tell = (problem: string) => void

interface Page<T> {
  readonly items: readonly T[]
  readonly nextCursor: number | string | null
  readonly hasMore: boolean
}

/** Every item of a list after a cursor. */
export async function list<T>(
  line: Line,
  path: (query: Record<string, string>) => string,
  after?: number | string,
): Promise<T[]> {
  const items: T[] = []
  for (let cursor = after; ; ) {
    const answer = await line.get(path(cursor === undefined ? {} : { after: String(cursor) }))
    if (answer?.status !== 200) throw new Error(`a list was answered ${answer?.status}: ${answer?.text}`)
    const page = JSON.parse(answer.text) as Page<T>
    items.push(...page.items)
    if (!page.hasMore || page.nextCursor === null) return items
    cursor = page.nextCursor
  }
}

const activity = (roomId: string) => (query: Record<string, string>) => pathTo("room_activity", { roomId }, query)
const timeline = (threadId: string) => (query: Record<string, string>) => pathTo("thread_timeline", { threadId }, query)

/** The ends of the feeds before any writes. */
export interface Baseline {
  readonly marks: ReadonlyMap<string, ActivityMark>
  readonly threads: ReadonlyMap<string, number>
}

export class Feeds {
  readonly baseline: Baseline
  /** How far each feed has been read. */
  readonly #marks: Map<string, ActivityMark>
  readonly #sequences: Map<string, number>

  private constructor(baseline: Baseline) {
    this.baseline = baseline
    this.#marks = new Map(baseline.marks)
    this.#sequences = new Map(baseline.threads)
  }

  static async open(rooms: readonly string[], line: Line, given?: Baseline): Promise<Feeds> {
    if (given !== undefined) return new Feeds(given)
    const marks = new Map<string, ActivityMark>()
    const threads = new Map<string, number>()
    for (const roomId of rooms) {
      const chain = new Chain(roomId, 0)
      for (const entry of await list<ActivityEntry>(line, activity(roomId))) chain.take(entry)
      marks.set(roomId, { sequence: chain.sequence, digest: chain.digest as string })
      for (const { threadId } of await list<{ threadId: string }>(line, (query) =>
        pathTo("room_threads", { roomId }, query),
      ))
        threads.set(threadId, (await list<Entry>(line, timeline(threadId), 0)).length)
    }
    return new Feeds({ marks, threads })
  }

  /**
   * Checks the entries added since the last look.
   * @param fresh the writes stored since
   * @param sent everything sent since; writes that are not among `fresh` must have left nothing
   */
  async take(fresh: readonly Sent[], sent: readonly Sent[], line: Line, tell: Tell): Promise<void> {
    const inRooms = fresh.filter(({ operation }) => operation.family === "research")
    const byDigest = new Map(inRooms.map((write) => [write.contentDigest, write]))
    const others = new Map(sent.map((write) => [write.contentDigest, write]))
    const seen = new Set<Sent>()
    for (const roomId of this.#marks.keys()) {
      for (const entry of await this.#newActivity(roomId, line, tell)) {
        const write = byDigest.get(entry.contentDigest)
        if (write === undefined) {
          const other = others.get(entry.contentDigest)
          tell(
            `Activity ${entry.sequence} of Room ${roomId} is of ` +
              `${other === undefined ? "a write that nobody sent" : `${nameOf(other)}, which is not stored`}.`,
          )
        } else {
          if (seen.has(write)) tell(`${nameOf(write)} stands in the activity twice.`)
          seen.add(write)
          holdEntry(write, entry, roomId, tell)
        }
      }
    }
    for (const write of inRooms)
      if (!seen.has(write)) tell(`Half there: ${nameOf(write)} has a receipt and no activity entry.`)
    await this.#timelines(inRooms, sent, line, tell)
  }

  /** The new entries of a Room's activity, with its chain of digests verified from the last one seen. */
  async #newActivity(roomId: string, line: Line, tell: Tell): Promise<ActivityEntry[]> {
    const mark = this.#marks.get(roomId) as ActivityMark
    const chain = new Chain(roomId, mark)
    const entries = await list<ActivityEntry>(line, activity(roomId), chain.sequence)
    try {
      const isNew = entries.map((entry) => chain.take(entry))
      chain.mustHoldMark()
      this.#marks.set(roomId, { sequence: chain.sequence, digest: chain.digest as string })
      return entries.filter((_, index) => isNew[index])
    } catch (error) {
      tell(String(error))
      return []
    }
  }

  /** The timelines of every Thread with writes. */
  async #timelines(fresh: readonly Sent[], sent: readonly Sent[], line: Line, tell: Tell): Promise<void> {
    const due = new Map(
      fresh.flatMap((write) => entriesOf(write.receipt as Receipt).map((entryId) => [entryId, write] as const)),
    )
    const threads = new Set(fresh.flatMap(({ receipt }) => receipt?.threadId ?? []))
    // A write that was not stored must have left nothing in its Thread.
    for (const { body, path } of sent) {
      const named = (body.threadId as string | undefined) ?? /threads\/([0-9a-f-]{36})/.exec(path)?.[1]
      if (named !== undefined) threads.add(named)
    }
    await each([...threads], 4, async (threadId) => {
      const after = this.#sequences.get(threadId) ?? 0
      const entries = await list<Entry>(line, timeline(threadId), after)
      for (const [index, entry] of entries.entries()) {
        if (entry.sequence !== after + index + 1)
          tell(`The timeline of Thread ${threadId} has no entry ${after + index + 1}.`)
        const write = due.get(entry.entryId)
        due.delete(entry.entryId)
        if (write === undefined)
          tell(`Entry ${entry.sequence} (${entry.kind}) of Thread ${threadId} is of no stored write.`)
        else holdTimelineEntry(write, entry, threadId, tell)
      }
      this.#sequences.set(threadId, after + entries.length)
    })
    for (const write of due.values()) tell(`Half there: ${nameOf(write)} has a receipt and no timeline entry.`)
  }
}

/** The entries that a write leaves in a timeline: its own, and the opening message of a new Thread. */
function entriesOf({ entry, result }: Receipt): string[] {
  const opening = typeof result.messageEntryId === "string" ? [result.messageEntryId] : []
  return [...(entry === null ? [] : [entry.entryId]), ...opening]
}

function holdEntry(write: Sent, entry: ActivityEntry, roomId: string, tell: Tell): void {
  const { receipt, operation, agent } = write
  const same =
    receipt !== null &&
    receipt.roomId === roomId &&
    entry.operation === operation.name &&
    entry.actor.userId === agent.userId &&
    entry.at === receipt.acceptedAt &&
    entry.target.id === receipt.target.id &&
    entry.target.label === receipt.target.label &&
    entry.entryId === (receipt.entry?.entryId ?? null) &&
    entry.sequence === receipt.activity?.sequence &&
    entry.digest === receipt.activity.digest
  if (!same)
    tell(
      `The activity entry of ${nameOf(write)} does not say what its receipt says:\n  ` +
        `${JSON.stringify(entry)}\n  ${write.receiptText}`,
    )
}

function holdTimelineEntry(write: Sent, entry: Entry, threadId: string, tell: Tell): void {
  const { receipt, body, operation } = write
  const own = receipt?.entry?.entryId === entry.entryId
  const text = operation.name === "post_message" ? body.text : body.message
  const same =
    receipt?.threadId === threadId &&
    (!own ||
      (receipt.entry?.sequence === entry.sequence && entry.kind === (operation.entry?.kind ?? operation.name))) &&
    (entry.kind !== "message" || entry.message?.text === text) &&
    entry.author.userId === write.agent.userId
  if (!same)
    tell(
      `The timeline entry of ${nameOf(write)} does not say what its receipt says:\n  ` +
        `${JSON.stringify(entry)}\n  ${write.receiptText}`,
    )
}
