/** Which links stand, and what answered a dispute: a dispute that its record's author answered is no doubt any more. */

/** A link `l` that nobody took back. */
export const STANDS = (row: string): string => `NOT EXISTS (SELECT 1 FROM link_withdrawals g WHERE g.link_id = ${row}.link_id)`
/**
 * What the author of something answered a dispute of it or an objection to it by: a correction or supersession of theirs that came later, or a reply.
 * @param row the alias of the dispute or objection @param target SQL for the id of what it speaks of
 */
export const answerTo = (row: string, target: string): string => `coalesce(
    (SELECT json_object('by', iif(a.kind = 'corrects', 'correction', 'supersession'), 'at', a.at, 'linkId', a.link_id) FROM research_links a
      WHERE a.target_version_id = ${target} AND a.kind IN ('corrects', 'supersedes') AND a.author_id = ${row}.target_author_id
        AND a.history_position > ${row}.history_position AND ${STANDS("a")} LIMIT 1),
    (SELECT json_object('by', 'reply', 'at', q.at, 'entryId', q.entry_id) FROM dispute_replies q WHERE q.link_id = ${row}.link_id))`
/** What answered the dispute `l`; null of other links. */
export const ANSWER = `CASE l.kind WHEN 'disputes' THEN ${answerTo("l", "l.target_version_id")} END`
