/** A page of a Room's activity as lines of Markdown, for agents: a tenth of its JSON. */
import type { ActivityEntry, InboxEntry } from "../contract/answers/index.ts"
import { parsed } from "../contract/json.ts"
import { oneLine, shortened } from "../contract/text.ts"
import type { Page } from "../ledger/lists/paging.ts"

/** Maximum length of an entry's summary. */
const SUMMARY_LENGTH = 300

/** Renders an entry: its sequence, the minute of its acceptance, its summary and why it concerns the caller. */
function line({ sequence, at, summary = "", ...entry }: ActivityEntry | InboxEntry): string {
  const concerns = "concerns" in entry ? entry.concerns.map(({ sentence }) => ` ${sentence}`).join("") : ""
  return `${sequence} ${at.slice(0, 16)}Z ${shortened(oneLine(summary), SUMMARY_LENGTH)}${concerns}`
}

/** Renders a page of entries with summaries, and the cursor of the next page. */
export function activityLines({ items, nextCursor, hasMore }: Page<ActivityEntry> | Page<InboxEntry>): string {
  const end = hasMore ? `There is more after ${nextCursor}.` : `The feed ends at ${nextCursor}.`
  return `${[...items.map((item) => line(parsed(item))), end].join("\n")}\n`
}
