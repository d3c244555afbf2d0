/** The activity of a Room, in pages and as an event stream. */
import { type ActivityEntry, type InboxEntry, type RoomEvent, activityKindsOf } from "../contract/reads/activity.ts"
import { parse, parsed, extendJson, JsonText, stored, textsIn } from "../contract/json.ts"
import { limits } from "../contract/limits.ts"
import { activityPage, aOrAn } from "../contract/objects/objects.ts"
import type { Activity, DescribeEntry, EntryDescription, FullRow, Watch } from "../ledger/journal/activity.ts"
import { mentionOf, readerNamed, quotingWhole } from "../ledger/journal/actor.ts"
import { writerName } from "../contract/answers/parts.ts"
import type { Naming } from "../contract/definitions/operation.ts"
import { afterName, words } from "../contract/definitions/sentence.ts"
import { recordedOperation } from "../contract/operations/index.ts"
import { oneLine, shortened } from "../contract/text.ts"
import { type Page, feedOf, mustNotBeAhead, pageSize } from "../ledger/lists/paging.ts"
import type { People } from "../people/people.ts"
import type { Readers } from "../ledger/reads/reading.ts"
import type { Rooms } from "./rooms.ts"

// Server-sent events about new entries in a Room. They contain no text of the entries.

/** Entries to read and send at a time. */
const BATCH = 100
/** Milliseconds after which a browser reconnects. */
const RETRY = 2_000

/** Returns the event for an entry. @param baseUrl the address of the service, without a slash at the end */
export function roomEvent(roomId: string, entry: ActivityEntry, baseUrl: string): RoomEvent {
  const { sequence, kind, target } = entry
  return { roomId, sequence, kind, label: target.label, url: `${baseUrl}${activityPage(roomId, entry)}` }
}

interface Sources {
  readonly activity: Activity
  readonly watch: Watch
  readonly snapshot: <T>(work: () => T) => T
  readonly isHere: (roomId: string) => boolean
}

/**
 * Yields the text of an event stream, with each entry after a sequence as it is accepted. In quiet times a regular
 * comment keeps proxies from closing the connection.
 * @param signal aborted when the listener has disconnected
 * @param seconds the interval of the comments
 */
export async function* eventLines(
  { activity, watch, snapshot, isHere }: Sources,
  roomId: string,
  after: number,
  baseUrl: string,
  signal?: AbortSignal,
  seconds: number = limits.eventCommentSeconds,
): AsyncGenerator<string> {
  yield `retry: ${RETRY}\n\n`
  for (let last = after; ; ) {
    const rows = snapshot(() => (isHere(roomId) ? activity.after(roomId, last, undefined, BATCH) : null))
    if (rows === null) return
    last = rows.at(-1)?.sequence ?? last
    if (rows.length > 0)
      yield rows
        .map(
          ({ sequence, body }) =>
            `id: ${sequence}\ndata: ${JSON.stringify(roomEvent(roomId, parse(body), baseUrl))}\n\n`,
        )
        .join("")
    else {
      const until = performance.now() + seconds * 1000
      if (!(await watch.next(roomId, until, signal))) return
      if (performance.now() >= until - 1) yield ": nothing new\n\n"
    }
  }
}

/** Returns the event stream as bytes. It reads entries only as fast as the listener takes them. */
function eventStream(...parameters: Parameters<typeof eventLines>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  async function* bytes() {
    for await (const line of eventLines(...parameters)) yield encoder.encode(line)
  }
  return ReadableStream.from(bytes())
}

// Describes entries of the activity in words: who did what. The definition of each operation has a `sentence` for this.

/** Says what a write did, without its writer. */
export type SayWrite = (
  write: Pick<ActivityEntry, "operation" | "target">,
  content: string | null,
) => EntryDescription["text"]

/**
 * Describes entries of Rooms. Actors have their names on this instance, where a name of another instance may belong to
 * someone else.
 */
export function entryDescriptions(
  people: Pick<People, "withId">,
  activity: Pick<Activity, "localActor">,
  labelOf: (id: string) => string | undefined,
) {
  const named: Naming = (id) => labelOf(id) ?? "a record"
  const say: SayWrite = ({ operation, target }, content) => {
    const label = target.label ?? aOrAn(words(target.kind))
    const sentence =
      content === null ? undefined : recordedOperation(operation)?.sentence?.(JSON.parse(content), label, named)
    const text = sentence ?? `${words(operation)} ${label}`
    return `${text}${/[.!?…]$/u.test(text) ? "" : "."}`
  }
  const describe: DescribeEntry = (roomId, entry, content) => {
    const { userId, username } = people.withId(activity.localActor(roomId, entry)) ?? entry.actor
    return { actor: { ...entry.actor, userId, username }, text: say(entry, content) }
  }
  return {
    describe,
    say,
    activityLines,
    summary(...entry: Parameters<DescribeEntry>): string {
      const { actor, text } = describe(...entry)
      return `${writerName(actor)}${afterName(text)} ${text}`
    },
  }
}

const SUMMARY_LENGTH = 300

/**
 * Renders an entry: its sequence, the minute of its acceptance, its summary, why it concerns the caller, and what a
 * reply to a message names.
 */
function line({ sequence, at, summary = "", operation, entryId, threadId, ...entry }: ActivityEntry | InboxEntry) {
  const concerns = "concerns" in entry ? entry.concerns.map(({ sentence }) => ` ${sentence}`).join("") : ""
  const reply = "concerns" in entry && operation === "post_message" ? ` Entry ${entryId} of Thread ${threadId}.` : ""
  const isNaming = !("concerns" in entry) || entry.concerns.some(({ because }) => because === "named")
  const most = SUMMARY_LENGTH + (isNaming ? limits.namingText : 0)
  return `${sequence} ${at.slice(0, 16)}Z ${shortened(oneLine(summary), most)}${concerns}${reply}`
}

/** A page of entries with summaries as lines of Markdown, for agents: a tenth of its JSON. */
export function activityLines({ items, nextCursor, hasMore }: Page<ActivityEntry> | Page<InboxEntry>): string {
  const end = hasMore ? `There is more after ${nextCursor}.` : `The feed ends at ${nextCursor}.`
  return `${[...items.map((item) => line(parsed(item))), end].join("\n")}\n`
}

interface FeedSources {
  readonly rooms: Rooms
  readonly activity: Activity
  readonly watch: Watch
  /** Runs several reads in one transaction. A feed that waited needs its own, as that of its request has ended. */
  readonly snapshot: <T>(work: () => T) => T
  /** Describes an entry in one sentence. */
  readonly summary: (...entry: Parameters<DescribeEntry>) => string
}

export function feedReads({ rooms, activity, watch, summary, snapshot }: FeedSources) {
  return {
    room_activity({ actor, params, query, signal }) {
      const roomId = params.roomId
      rooms.mustExist(roomId)
      const after = query.after ?? 0
      const kinds = query.kinds && activityKindsOf(query.kinds)
      const without =
        query.exclude === undefined || actor === null
          ? undefined
          : { userId: actor.userId, credentialId: actor.grant?.credentialId ?? null }
      const inLines = query.format === "lines"
      const include = inLines ? ["summary"] : query.include
      /** A sentence, in which a text that names the asking agent is whole. */
      const toAsker = (sentence: string, content: string): string => {
        const named = actor?.grant ? mentionOf(readerNamed(actor), textsIn(JSON.parse(content))) : undefined
        const short = inLines ? shortened(oneLine(sentence), SUMMARY_LENGTH) : sentence
        return named === undefined ? short : quotingWhole(oneLine(sentence), named.text)
      }
      const withIncluded = ({ body, content, sequence }: FullRow, included: readonly string[]) => ({
        sequence,
        body: stored<ActivityEntry>(
          extendJson(body, {
            ...(included.includes("summary")
              ? { summary: toAsker(summary(roomId, parse(body), content), content) }
              : {}),
            ...(included.includes("content") ? { content: new JsonText(stored(content)) } : {}),
          }),
        ),
      })
      // In one snapshot: an entry accepted between the two reads would be skipped.
      const readPage = () =>
        snapshot(() => ({
          rows: include
            ? activity
                .fullAfter(roomId, after, kinds, pageSize(query) + 1, without)
                .map((row) => withIncluded(row, include))
            : activity.after(roomId, after, kinds, pageSize(query) + 1, without),
          watermark: activity.watermark(roomId),
        }))
      mustNotBeAhead(after, activity.watermark(roomId))
      const page = ({ rows, watermark }: ReturnType<typeof readPage>) =>
        feedOf(rows, query, ({ body }) => new JsonText(body), watermark)
      /** Waits until a new entry matches the query. */
      async function waited(until: number): Promise<Page<ActivityEntry>> {
        let current = readPage()
        while (current.rows.length === 0 && (await watch.next(roomId, until, signal))) current = readPage()
        return page(current)
      }
      const found = query.wait ? waited(performance.now() + query.wait * 1000) : page(readPage())
      if (!inLines) return found
      return found instanceof Promise ? found.then(activityLines) : activityLines(found)
    },

    room_events({ params: { roomId }, query, baseUrl = "", signal }) {
      rooms.mustExist(roomId)
      const isHere = (id: string) => rooms.openingThread(id) !== undefined
      const watermark = activity.watermark(roomId)
      const after = query.after ?? watermark
      mustNotBeAhead(after, watermark)
      return { name: null, bytes: eventStream({ activity, watch, snapshot, isHere }, roomId, after, baseUrl, signal) }
    },
  } satisfies Partial<Readers>
}
