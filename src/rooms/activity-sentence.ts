/**
 * Describes entries of the activity in words: who did what. The definition of each operation has a `sentence` for this.
 */
import { writerName } from "../contract/answers/parts.ts"
import type { ActivityEntry, InboxEntry } from "../contract/answers/index.ts"
import type { Naming } from "../contract/definitions/operation.ts"
import { words } from "../contract/definitions/sentence.ts"
import { aOrAn } from "../contract/objects/objects.ts"
import { recordedOperation } from "../contract/operations/index.ts"
import { parsed } from "../contract/json.ts"
import { oneLine, shortened } from "../contract/text.ts"
import type { Page } from "../ledger/lists/paging.ts"
import type { Activity } from "../ledger/journal/activity.ts"
import type { People } from "../people/people.ts"

/** The actor, and the rest of the sentence, which follows the actor's name. */
export interface EntryDescription {
  readonly actor: ActivityEntry["actor"]
  readonly text: string
}

/** @param content the accepted content as JSON text; null if it is not known */
type Of<T> = (roomId: string, entry: ActivityEntry, content: string | null) => T
export type DescribeEntry = Of<EntryDescription>
/** Describes an entry in one sentence. */
export type Summary = Of<string>

/**
 * Describes entries of Rooms. Actors have their names on this instance, where a name of another instance may belong to
 * someone else.
 */
export function entryDescriptions(
  people: Pick<People, "withId">,
  activity: Pick<Activity, "localActor">,
  labelOf: (id: string) => string | undefined,
): { readonly describe: DescribeEntry; readonly summary: Summary } {
  const named: Naming = (id) => labelOf(id) ?? "a record"
  const describe: DescribeEntry = (roomId, entry, content) => {
    const { operation, target } = entry
    const { userId, username } = people.withId(activity.localActor(roomId, entry)) ?? entry.actor
    const label = target.label ?? aOrAn(words(target.kind))
    const sentence =
      content === null ? undefined : recordedOperation(operation)?.sentence?.(JSON.parse(content), label, named)
    const text = sentence ?? `${words(operation)} ${label}`
    return { actor: { ...entry.actor, userId, username }, text: `${text}${/[.!?…]$/u.test(text) ? "" : "."}` }
  }
  return {
    describe,
    summary(...entry) {
      const { actor, text } = describe(...entry)
      return `${writerName(actor)} ${text}`
    },
  }
}

const SUMMARY_LENGTH = 300

/** Renders an entry: its sequence, the minute of its acceptance, its summary and why it concerns the caller. */
function line({ sequence, at, summary = "", ...entry }: ActivityEntry | InboxEntry): string {
  const concerns = "concerns" in entry ? entry.concerns.map(({ sentence }) => ` ${sentence}`).join("") : ""
  return `${sequence} ${at.slice(0, 16)}Z ${shortened(oneLine(summary), SUMMARY_LENGTH)}${concerns}`
}

/** A page of entries with summaries as lines of Markdown, for agents: a tenth of its JSON. */
export function activityLines({ items, nextCursor, hasMore }: Page<ActivityEntry> | Page<InboxEntry>): string {
  const end = hasMore ? `There is more after ${nextCursor}.` : `The feed ends at ${nextCursor}.`
  return `${[...items.map((item) => line(parsed(item))), end].join("\n")}\n`
}
