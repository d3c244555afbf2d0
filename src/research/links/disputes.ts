/** The disputes of a brief: those of records, and objections in reviews, that nothing has answered; newest first. */
import { writerName } from "../../contract/answers/parts.ts"
import { partInWords, words } from "../../contract/definitions/sentence.ts"
import { limits } from "../../contract/limits.ts"
import { pathTo } from "../../contract/reads/index.ts"
import { oneLine, shortened } from "../../contract/text.ts"
import {
  type BriefItem,
  type BriefSources,
  inPlace,
  itemsOf,
  type Place,
  quoted,
  type Step,
} from "../../ledger/domains/brief.ts"
import { AGENT } from "../../ledger/journal/actor.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { OBJECTION } from "../reviews/reviews.ts"

/** A dispute of a record, or an objection in a review. */
interface Dispute extends Omit<BriefItem<"disputes">, "part"> {
  readonly part: string | null
  /** The entry to reply to, for an objection to an object that cannot be corrected. */
  readonly replyTo: string | null
  readonly threadId: string
}

const SIGHT = limits.briefSight

function stepOf({ source, kind, id, label, why, by, threadId, replyTo }: Dispute): Step {
  const reason = `${by} ${source === "dispute" ? "disputes" : "objects to"} it: ${quoted(why)}`
  const step = { what: "answer_dispute", id, label, why: reason, kind } as const
  return replyTo === null
    ? { ...step, operation: "assert_correction", body: { targetVersionId: id } }
    : { ...step, operation: "post_message", body: { threadId, replyToEntryId: replyTo } }
}

export function disputesInBrief({ db }: { readonly db: Db }) {
  // Ordered by the newest dispute that stands, not by the record, because an old record may be disputed today.
  const disputed = inPlace<Dispute>(
    db,
    "d",
    (
      place,
    ) => `SELECT 'dispute' AS source, r.kind, r.version_id AS id, r.label, r.wording AS says, r.thread_id AS threadId,
        NULL AS replyTo, l.explanation AS why, l.link_id AS linkId, p.username AS by, ${AGENT("l")} AS agent,
       ${contentOf("l")} ->> '$.part' AS part
     FROM (SELECT version_id, link_id FROM disputed_records d WHERE ${place} ORDER BY link_id DESC LIMIT ${SIGHT}) d
     JOIN research_links l ON l.link_id = d.link_id
      JOIN records r ON r.version_id = d.version_id
      JOIN people p ON p.user_id = l.author_id
      ORDER BY d.link_id DESC`,
  )
  const objected = inPlace<Dispute>(
    db,
    "v",
    (place) => `${OBJECTION} WHERE v.is_open = 1 AND ${place} ORDER BY v.link_id DESC LIMIT ${SIGHT}`,
  )
  const unanswered = (place: Place): Dispute[] =>
    [...disputed(place), ...objected(place)].sort((one, other) => (one.linkId < other.linkId ? 1 : -1)).slice(0, SIGHT)

  return {
    disputes: {
      title: "Unanswered disputes and objections",
      line: ({ source, kind, label, says, why, by, agent, part }) =>
        `${label ?? words(kind)}: ` +
        `${says === null ? "" : `${oneLine(says)} `}${source === "dispute" ? "Disputed" : "Objected to"} by ` +
        `${writerName({ username: by, agent })}` +
        `${part === undefined ? "" : ` in ${oneLine(partInWords(part))}`}: ${oneLine(why)}`,
      link: ({ roomId }) => pathTo("room_links", { roomId }, { kind: "disputes" }),
      read(place) {
        const rows = unanswered(place)
        return {
          steps: () => rows.map(stepOf),
          items: () =>
            itemsOf(rows, ({ threadId: _thread, replyTo: _reply, part, says, ...dispute }, most) => ({
              ...dispute,
              ...(part !== null && { part: shortened(part, most) }),
              says: says === null ? null : shortened(says, most),
              why: shortened(dispute.why, most),
            })),
        }
      },
    },
  } satisfies Partial<BriefSources>
}
