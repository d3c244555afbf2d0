/** A page of a Room's activity as lines of Markdown, for agents: a tenth of its JSON. */
import type { ActivityEntry, InboxEntry } from "../contract/answers/index.ts"
import { parsed } from "../contract/json.ts"
import { oneLine, shortened } from "../contract/text.ts"
import type { Page } from "../ledger/lists/paging.ts"

/** Characters of what an entry tells. */
const TOLD = 300

/** An entry that has its sentence: its sequence, the minute it was accepted in, what happened, and why it concerns who asks. */
function line({ sequence, at, summary = "", ...entry }: ActivityEntry | InboxEntry): string {
  const concerns = "concerns" in entry ? entry.concerns.map(({ sentence }) => ` ${sentence}`).join("") : ""
  return `${sequence} ${at.slice(0, 16)}Z ${shortened(oneLine(summary), TOLD)}${concerns}`
}

/** The lines of a page whose entries have their sentences, and where the feed goes on. */
export function activityLines({ items, nextCursor, hasMore }: Page<ActivityEntry> | Page<InboxEntry>): string {
  const end = hasMore ? `There is more after ${nextCursor}.` : `The feed ends at ${nextCursor}.`
  return `${[...items.map((item) => line(parsed(item))), end].join("\n")}\n`
}
