/**
 * Which links were withdrawn, and what answered a dispute. A withdrawn link stays readable and no longer counts; an
 * answered dispute is no longer a doubt.
 */

/** Whether a link was not withdrawn. @param row the alias of the link */
export const STANDS = (row: string): string =>
  `NOT EXISTS (SELECT 1 FROM link_withdrawals g WHERE g.link_id = ${row}.link_id)`
/**
 * The author's answer to a dispute or an objection, as JSON: a later correction or supersession by the author, or a
 * reply.
 * @param row the alias of the dispute or objection @param target SQL for the id of the object it is about
 */
export const answerTo = (row: string, target: string): string => `coalesce(
    (SELECT json_object('by', iif(a.kind = 'corrects', 'correction', 'supersession'), 'at', a.at, 'linkId', a.link_id)
      FROM research_links a
      WHERE a.target_version_id = ${target} AND a.kind IN ('corrects', 'supersedes')
        AND a.author_id = ${row}.target_author_id
        AND a.history_position > ${row}.history_position AND ${STANDS("a")} LIMIT 1),
    (SELECT json_object('by', 'reply', 'at', q.at, 'entryId', q.entry_id)
      FROM dispute_replies q
      WHERE q.link_id = ${row}.link_id))`
/** The answer to the dispute `l`; null for other links. */
export const ANSWER = `CASE l.kind WHEN 'disputes' THEN ${answerTo("l", "l.target_version_id")} END`

/**
 * The position in the journal of what makes a link `l` a reason for doubt, or null. A dispute that was answered by a
 * link withdrawn since is a reason again from that withdrawal on.
 */
export const WORRIES_AT = `CASE WHEN NOT ${STANDS("l")} OR l.changes IS 'wording' THEN NULL
    WHEN l.kind <> 'disputes' THEN l.history_position
    WHEN ${ANSWER} IS NULL THEN max(l.history_position, coalesce((
      SELECT max(g.history_position) FROM research_links a JOIN link_withdrawals g ON g.link_id = a.link_id
      WHERE a.target_version_id = l.target_version_id AND a.kind IN ('corrects', 'supersedes')
        AND a.author_id = l.target_author_id AND a.history_position > l.history_position), 0)) END`

/** The columns of a withdrawal beside a link `l`; use with `WITHDRAWAL_OF_LINK`. */
export const WITHDRAWAL = "g.at AS withdrawnAt, g.explanation AS withdrawnBecause"
export const WITHDRAWAL_OF_LINK = "LEFT JOIN link_withdrawals g ON g.link_id = l.link_id"

export interface WithdrawalRow {
  readonly withdrawnAt: string | null
  readonly withdrawnBecause: string | null
}
/** Returns the withdrawal of a link; null if it was not withdrawn. */
export const withdrawal = ({ withdrawnAt, withdrawnBecause }: WithdrawalRow) =>
  withdrawnAt === null ? null : { at: withdrawnAt, explanation: withdrawnBecause ?? "" }
