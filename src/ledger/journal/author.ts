/** Who wrote something, and with which agent: the row of the write in the journal alone tells it. */
import type { Author } from "../../contract/answers/index.ts"
import type { Actor } from "./actor.ts"

/** SQL for the agent that sent a write: empty for a person in the browser, null where nothing was said of it. @param position SQL for its place in the journal */
export const AGENT_OR_NONE_AT = (position: string): string =>
  `(SELECT aw.agent FROM journal aj JOIN writers aw ON aw.writer = aj.writer WHERE aj.position = ${position})`

/** SQL for the name of the agent that sent a write; null for a person in the browser. @param position SQL for its place in the journal */
export const AGENT_AT = (position: string): string =>
  `(SELECT nullif(aw.agent, '') FROM journal aj JOIN writers aw ON aw.writer = aj.writer WHERE aj.position = ${position})`

/** The same of the write that made a row of a table. @param row the alias of a table that keeps the position */
export const AGENT = (row: string): string => AGENT_AT(`${row}.history_position`)
/** The same of the write that made an entry. @param entryId SQL for its id */
export const AGENT_OF_ENTRY = (entryId: string): string =>
  AGENT_AT(`(SELECT ae.history_position FROM timeline_entries ae WHERE ae.entry_id = ${entryId})`)

/** The author out of a row that has more. */
export const authorIn = ({ userId, username, agent }: Author): Author => ({ userId, username, agent })

/** Whoever sends a write, as its author. */
export const authorFrom = ({ userId, username, agent }: Actor): Author => ({ userId, username, agent: agent || null })
