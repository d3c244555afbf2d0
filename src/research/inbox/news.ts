/** Describes a Room's activity in sentences. Consecutive entries of one kind by one writer share a sentence. */
import type { ActivityEntry } from "../../contract/reads/activity.ts"
import { parse, trusted } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import { words } from "../../contract/definitions/sentence.ts"
import { states } from "../../contract/states.ts"
import type { Activity, DescribeEntry, EntryDescription, FullRow } from "../../ledger/journal/activity.ts"

export interface DescribedEntry extends EntryDescription {
  readonly entry: ActivityEntry
  /** The outcome of an attempt that ended; otherwise null. */
  readonly outcome: string | null
  /** The target of a correction, supersession, dispute or retraction. */
  readonly bearsOn: string | null
}

/** One or several entries of one writer. */
export interface NewsItem extends EntryDescription {
  /** The entries that share the sentence, in order. */
  readonly entries: readonly DescribedEntry[]
}

/** Entries read at a time, and the most characters of contents read from a Room. */
const STEP = 5
const CHARACTERS = 200_000

export interface Newest {
  readonly row: FullRow
  readonly entry: ActivityEntry
}

/**
 * Yields the entries after one sequence and through another, newest first, until their contents reach the limit of a
 * page, because a content may have a million characters.
 */
export function* newest(
  activity: Pick<Activity, "fullAfter">,
  roomId: string,
  after: number,
  through: number,
): Generator<Newest> {
  let left = CHARACTERS
  for (let end = through; end > after; end -= STEP) {
    const from = Math.max(after, end - STEP)
    for (const row of activity.fullAfter(roomId, from, undefined, end - from).toReversed()) {
      left -= row.content.length
      if (left < 0) return
      yield { row, entry: parse(row.body) }
    }
  }
}

/** The operations whose consecutive entries by one writer share a sentence, with a name for each group. */
const runs: Readonly<Record<string, string>> = {
  register_attempt: "attempts",
  report_attempt_event: "attempts",
  post_message: "messages",
  register_material: "materials",
}
const AND = new Intl.ListFormat("en")

/** "A13 to A16", or "A13, A15 and A16". */
function range(labels: readonly string[]): string {
  const numbers = labels.map((label) => Number(label.slice(1)))
  const [first = 0] = numbers
  const isUnbroken = labels.length > 2 && numbers.every((number, index) => number === first + index)
  return isUnbroken ? `${labels[0]} to ${labels.at(-1)}` : AND.format(labels)
}

/** "finished A13 to A16, all succeeded", "finished A1 to A3: 2 succeeded, 1 failed". */
function attemptsInWords(entries: readonly DescribedEntry[]): string {
  const outcomes = new Map<string, string | null>()
  for (const { entry, outcome } of entries) {
    const label = entry.target.label ?? "an attempt"
    outcomes.set(label, outcome ?? outcomes.get(label) ?? null)
  }
  const labels = range([...outcomes.keys()])
  const counts = Map.groupBy(outcomes.values(), (outcome) => outcome)
  const open = counts.get(null)?.length ?? 0
  if (open === outcomes.size)
    return entries.every(({ entry }) => entry.operation === "register_attempt")
      ? `registered ${labels}.`
      : `is running ${labels}.`
  const [[only] = []] = counts.keys().map((outcome) => [outcome])
  if (counts.size === 1)
    return `finished ${labels}, ${outcomes.size === 1 ? "which" : outcomes.size === 2 ? "both" : "all"} ${only}.`
  const parts = [...counts].map(([outcome, of]) => `${of.length} ${outcome ?? "not ended yet"}`)
  return `finished ${labels}: ${parts.join(", ")}.`
}

function sentenceOf(entries: readonly DescribedEntry[]): string {
  const last = entries.at(-1)
  if (last === undefined || entries.length === 1) return last?.text ?? ""
  const run = runs[last.entry.operation]
  if (run === "attempts") return attemptsInWords(entries)
  if (run === "materials") return `registered ${range(entries.flatMap(({ entry }) => entry.target.label ?? []))}.`
  return `wrote ${entries.length} messages, the newest${last.text.slice(Math.max(0, last.text.indexOf(":")))}`
}

function isSameRun({ entry, actor }: DescribedEntry, before: DescribedEntry): boolean {
  const run = runs[entry.operation]
  return (
    run !== undefined &&
    run === runs[before.entry.operation] &&
    actor.userId === before.actor.userId &&
    actor.agent === before.actor.agent &&
    (run !== "messages" || entry.threadId === before.entry.threadId)
  )
}

const ended: ReadonlySet<string> = new Set(states.attempt.terminal)

/** Returns the outcome and the target that an accepted content states. */
function statedIn(
  { operation, target }: ActivityEntry,
  content: string | null,
): Pick<DescribedEntry, "outcome" | "bearsOn"> {
  const isEvent = operation === "report_attempt_event"
  if (content === null || (!isEvent && target.kind !== "link")) return { outcome: null, bearsOn: null }
  const { event, targetVersionId } =
    trusted<Partial<BodyOf<"report_attempt_event"> & BodyOf<"assert_retraction">>>(content)
  return { outcome: event !== undefined && ended.has(event) ? words(event) : null, bearsOn: targetVersionId ?? null }
}

export type News = ReturnType<typeof news>

/** Entries searched for the last one that a person wrote. */
const SIGHT = 50

export function news({ activity, describe }: { readonly activity: Activity; readonly describe: DescribeEntry }) {
  const isOwn = ({ actor }: ActivityEntry, userId: string) => actor.userId === userId && actor.agent == null

  function* withContents(
    roomId: string,
    after: number,
    through: number,
  ): Generator<{ entry: ActivityEntry; content: string | null }> {
    let before = through + 1
    for (const { row, entry } of newest(activity, roomId, after, through)) {
      before = entry.sequence
      yield { entry, content: row.content }
    }
    for (const { body } of activity.after(roomId, after, undefined, before - after - 1).toReversed())
      yield { entry: parse(body), content: null }
  }

  return {
    /**
     * Returns the last entry that a person has certainly read: the last one they wrote in the browser, among the newest
     * entries.
     */
    writtenThrough(roomId: string, userId: string): number {
      const before = Math.max(0, activity.watermark(roomId) - SIGHT)
      const rows = activity.after(roomId, before, undefined, SIGHT)
      return rows.findLast(({ body }) => isOwn(parse(body), userId))?.sequence ?? before
    },

    /**
     * Describes the entries after one sequence and through another, newest first. Contents beyond the limit of a page
     * are left out.
     */
    between(
      roomId: string,
      after: number,
      through: number,
      isIncluded: (entry: ActivityEntry) => boolean = () => true,
    ): NewsItem[] {
      const groups: DescribedEntry[][] = []
      for (const { entry, content } of withContents(roomId, after, through)) {
        if (!isIncluded(entry)) continue
        const one = { ...describe(roomId, entry, content), entry, ...statedIn(entry, content) }
        const group = groups.at(-1)
        if (group?.[0] !== undefined && isSameRun(group[0], one)) group.unshift(one)
        else groups.push([one])
      }
      return groups.flatMap((entries) => {
        const [one] = entries
        return one === undefined ? [] : [{ actor: one.actor, text: sentenceOf(entries), entries }]
      })
    },

    /**
     * Returns the sequences of the newest entries after one by the kind of their target, without those that a person
     * wrote in the browser. @param most entries to read
     */
    counted(roomId: string, after: number, most: number, userId: string): ReadonlyMap<string, number[]> {
      const watermark = activity.watermark(roomId)
      const found = new Map<string, number[]>()
      for (const { body } of activity.after(roomId, Math.max(after, watermark - most), undefined, most)) {
        const entry = parse(body)
        if (!isOwn(entry, userId)) found.getOrInsertComputed(entry.target.kind, () => []).push(entry.sequence)
      }
      return found
    },
  }
}
