/** What an entry of the feed tells, in one sentence: who did what, in their own words. Each operation has its own (`sentence` in its definition). */
import { writerName } from "../contract/answers/parts.ts"
import type { ActivityEntry } from "../contract/answers/index.ts"
import { words } from "../contract/definitions/sentence.ts"
import { recordedOperation } from "../contract/operations/index.ts"
import type { Activity } from "../ledger/journal/activity.ts"
import type { People } from "../people/people.ts"

/**
 * One sentence on what happened.
 * @param content the accepted content as JSON text; null where it is not known
 */
export function activitySentence(
  { operation, actor, target }: Pick<ActivityEntry, "operation" | "actor" | "target">,
  content: string | null,
): string {
  const label = target.label ?? words(target.kind)
  const known = recordedOperation(operation)
  const done = content === null ? undefined : known?.sentence?.(JSON.parse(content), label)
  const told = done ?? `${words(operation)} ${label}`
  return `${writerName(actor)} ${told}${/[.!?…]$/u.test(told) ? "" : "."}`
}

/** The same of an entry of a Room, with its actor as they are called here: names of another instance mean others. */
export const summarizing =
  (people: Pick<People, "withId">, activity: Pick<Activity, "localActor">) =>
  (roomId: string, entry: ActivityEntry, content: string): string => {
    const { userId, username } = people.withId(activity.localActor(roomId, entry)) ?? entry.actor
    return activitySentence({ ...entry, actor: { ...entry.actor, userId, username } }, content)
  }
