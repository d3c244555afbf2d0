/** What an entry of the feed tells, in one sentence: who did what, in their own words. Each operation has its own (`sentence` in its definition). */
import { writerName } from "../contract/answers/parts.ts"
import type { ActivityEntry } from "../contract/answers/index.ts"
import { words } from "../contract/definitions/sentence.ts"
import { recordedOperation } from "../contract/operations/index.ts"

/**
 * One sentence on what happened.
 * @param content the accepted content as JSON text; null where it is not known
 */
export function happened(
  { operation, actor, target }: Pick<ActivityEntry, "operation" | "actor" | "target">,
  content: string | null,
): string {
  const label = target.label ?? words(target.kind)
  const known = recordedOperation(operation)
  const done = content === null ? undefined : known?.sentence?.(JSON.parse(content), label)
  const told = done ?? `${words(operation)} ${label}`
  return `${writerName(actor)} ${told}${/[.!?…]$/u.test(told) ? "" : "."}`
}
