/** What an entry of the feed tells, in one sentence: who did what, in their own words. Each operation has its own (`sentence` in its definition). */
import { writerName } from "../contract/answers/parts.ts"
import type { ActivityEntry } from "../contract/answers/index.ts"
import type { Naming } from "../contract/definitions/operation.ts"
import { words } from "../contract/definitions/sentence.ts"
import { aOrAn } from "../contract/objects/objects.ts"
import { recordedOperation } from "../contract/operations/index.ts"
import type { Activity } from "../ledger/journal/activity.ts"
import type { People } from "../people/people.ts"

/** What happened, in words that follow who did it. */
export interface Told {
  readonly actor: ActivityEntry["actor"]
  readonly told: string
}

/** @param content the accepted content as JSON text; null where it is not known */
type Of<T> = (roomId: string, entry: ActivityEntry, content: string | null) => T
export type Telling = Of<Told>
/** One sentence on what an entry tells. */
export type Summary = Of<string>

/** Tells entries of Rooms, with their actors as they are called here: names of another instance mean others. */
export function telling(
  people: Pick<People, "withId">,
  activity: Pick<Activity, "localActor">,
  labelOf: (id: string) => string | undefined,
): { readonly told: Telling; readonly summary: Summary } {
  const named: Naming = (id) => labelOf(id) ?? "a record"
  const told: Telling = (roomId, entry, content) => {
    const { operation, target } = entry
    const { userId, username } = people.withId(activity.localActor(roomId, entry)) ?? entry.actor
    const label = target.label ?? aOrAn(words(target.kind))
    const done = content === null ? undefined : recordedOperation(operation)?.sentence?.(JSON.parse(content), label, named)
    const told = done ?? `${words(operation)} ${label}`
    return { actor: { ...entry.actor, userId, username }, told: `${told}${/[.!?…]$/u.test(told) ? "" : "."}` }
  }
  return {
    told,
    summary(...entry) {
      const { actor, told: done } = told(...entry)
      return `${writerName(actor)} ${done}`
    },
  }
}
