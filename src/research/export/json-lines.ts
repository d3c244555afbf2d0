/** The rows of a Room as lines of JSON and CSV. */
import { JsonText, stored, parse, type Writable, writeJson } from "../../contract/json.ts"
import type { RoomEntry } from "../../ledger/journal/activity.ts"
import { csvLine } from "../attempts/table.ts"
import type { ExportedRoom, ExportedWrite } from "./room.ts"
import type { AttemptRow, ExperimentRow, MaterialRow, PlanRow } from "./rows.ts"

// An accepted write in the form that a replay on another instance needs.

/**
 * An accepted write as another instance replays it. Of the values that the write was given it has only the ids, because
 * a replay computes the rest. Digests of tokens and the sender's credential stay here.
 */
export const writtenOut = ({ sequence, entry }: Pick<RoomEntry, "sequence" | "entry">) => ({
  sequence,
  operation: entry.operation,
  at: entry.at,
  actor: {
    userId: entry.userId,
    username: entry.username,
    ...(entry.agent !== undefined && { agent: entry.agent === "" ? null : entry.agent }),
  },
  path: entry.params,
  body: new JsonText(stored(entry.content)),
  client: entry.client,
  given: { ...(entry.given.ids && { ids: entry.given.ids }) },
})

export const line = (value: Writable): string => `${writeJson(value)}\n`
export const each = <Row extends Writable>(rows: Iterable<Row>): IteratorObject<string> => Iterator.from(rows).map(line)
/** A row with its columns in order. The columns named in `json` hold JSON. */
const withJson = (row: Readonly<Record<string, string | number | null>>, json: readonly string[]): Writable =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "string" && json.includes(name) ? new JsonText(stored(value)) : value,
    ]),
  )
export const experiment = ({ attempts: _attempts, userId: _id, username: _name, ...row }: ExperimentRow) =>
  withJson(row, ["proposer", "hypotheses", "handoff", "conclusion", "revisions"])
export const plan = ({ userId: _id, username: _name, ...row }: PlanRow) => withJson(row, ["content"])
export const attempt = ({ userId: _id, username: _name, ...row }: AttemptRow) =>
  withJson(row, ["registrant", "reproduction", "planMatch", "content", "events", "outputs"])
export const material = ({ content: _content, userId: _id, username: _name, ...row }: MaterialRow) =>
  withJson(row, ["registeredBy", "locations"])

export function* metricLines(room: ExportedRoom): Generator<string> {
  yield "attempt,attemptId,ordinal,metric,split,dimensions,unit,step,value,reportedAt\r\n"
  for (const { label, attemptId, ordinal, name, split, dimensions, unit, step, value, reportedAt } of room.metrics()) {
    yield csvLine([label, attemptId, ordinal, name, split, dimensions, unit, step, parse(value), reportedAt])
  }
}
/** A write of another Room, with its entry in that Room's feed. */
export const citedWrite = ({ roomId, before, activity, ...written }: ExportedWrite) => ({
  roomId,
  before,
  activity: new JsonText(stored(activity)),
  write: writtenOut(written),
})
