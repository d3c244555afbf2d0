/** The author of a write and the agent that sent it, read from the write's row in the journal. */
import type { Author } from "../../contract/answers/index.ts"
import type { Actor } from "./actor.ts"
import { placeOf } from "./columns.ts"

/**
 * SQL for the agent that sent a write: empty for a person in the browser, null if not recorded. @param position SQL for
 * its position in the journal
 */
export const AGENT_OR_NONE_AT = (position: string): string =>
  `(SELECT aw.agent FROM journal aj JOIN writers aw ON aw.writer = aj.writer WHERE aj.position = ${position})`

/**
 * SQL for the name of the agent that sent a write; null for a person in the browser. @param position SQL for its
 * position in the journal
 */
export const AGENT_AT = (position: string): string => `nullif(${AGENT_OR_NONE_AT(position)}, '')`

/** The same for the write that made a row. @param row the alias of a table with the column `history_position` */
export const AGENT = (row: string): string => AGENT_AT(`${row}.history_position`)
/** The same for the write that made a timeline entry. @param entryId SQL for its id */
export const AGENT_OF_ENTRY = (entryId: string): string =>
  AGENT_AT(`(SELECT ae.history_position FROM timeline_entries ae WHERE ae.entry_id = ${entryId})`)

/** The same for the write that opened a Thread, which made its first entry. @param threadId SQL for its id */
export const AGENT_OF_THREAD = (threadId: string): string => `(SELECT nullif(tw.agent, '')
    FROM timeline_entries te
    JOIN journal tj ON tj.position = te.history_position
    JOIN writers tw ON tw.writer = tj.writer
    WHERE te.thread = ${placeOf(threadId)} AND te.sequence = 1 AND tj.operation = 'create_thread')`

const person = (agent: string): string => `p.user_id AS userId, p.username, ${agent} AS agent`
/** SQL for the author of a row, who is the person `p`. @param row the alias of a table with `history_position` */
export const AUTHOR = (row: string): string => person(AGENT(row))
/** The same for a timeline entry. @param entryId SQL for its id */
export const AUTHOR_OF_ENTRY = (entryId: string): string => person(AGENT_OF_ENTRY(entryId))

/** Gathers the author of a row with more columns. */
export const authored = <Row extends Author>({ userId, username, agent, ...row }: Row) => ({
  ...row,
  author: { userId, username, agent },
})

/** Picks the author out of a row with more columns. */
export const authorIn = ({ userId, username, agent }: Author): Author => ({ userId, username, agent })

/** Returns an actor as an author. */
export const authorFrom = ({ userId, username, agent }: Actor): Author => ({ userId, username, agent: agent || null })
