/** The rows of a Room as lines of JSON and CSV. */
import { JsonText, parse, stored, type Stored, type Writable, writeJson } from "../../contract/json.ts"
import { csvLine } from "../attempts/rows.ts"
import { writtenOut } from "./written.ts"
import type { ExportedRoom, ExportedWrite } from "./room.ts"
import type { AttemptRow, ExperimentRow, MaterialRow } from "./rows.ts"

export const line = (value: Writable): string => `${writeJson(value)}\n`
export const json = <T>(text: Stored<T> | null) => text && new JsonText(text)
export function* lines(texts: Iterable<string>): Generator<string> {
  for (const text of texts) yield `${text}\n`
}
export function each<Row extends Writable>(rows: Iterable<Row>): Generator<string>
export function each<Row>(rows: Iterable<Row>, shown: (row: Row) => Writable): Generator<string>
export function* each<Row extends Writable>(rows: Iterable<Row>, shown = (row: Row): Writable => row): Generator<string> {
  for (const row of rows) yield line(shown(row))
}
export function* map(texts: Iterable<string>, changed: (text: string) => string): Generator<string> {
  for (const text of texts) yield changed(text)
}
export const person = (row: { author_id: string; username: string }) => ({ userId: row.author_id, username: row.username })
export const experiment = (row: ExperimentRow) => ({
  experimentId: row.experiment_id,
  label: row.label,
  threadId: row.thread_id,
  proposer: person(row),
  createdAt: row.at,
  status: row.status,
  question: row.question,
  scope: row.scope,
  hypotheses: new JsonText(row.hypotheses),
  handoff: json(row.handoff),
  conclusion: json(row.conclusion),
  revisions: new JsonText(row.revisions),
})

export const attempt = (row: AttemptRow) => ({
  attemptId: row.attempt_id,
  label: row.label,
  experimentId: row.experiment_id,
  experimentLabel: row.experiment_label,
  planLabel: row.plan_label,
  threadId: row.thread_id,
  registrant: person(row),
  registeredAt: row.at,
  intent: row.intent,
  status: row.status,
  rerunOf: row.rerun_of,
  reproduces: row.reproduces_attempt_id ?? row.reproduces_version_id,
  reproduction: json(row.reproduction),
  planMatch: json(row.plan_match),
  contentDigest: row.content_digest,
  content: new JsonText(row.content),
  events: new JsonText(row.events),
  outputs: new JsonText(row.outputs),
})

export const material = (row: MaterialRow) => ({
  materialId: row.material_id,
  label: row.label,
  materialOriginRoom: row.origin_room_id,
  reference: row.reference,
  name: row.name,
  description: row.description,
  mediaType: row.media_type,
  sizeBytes: row.size_bytes,
  valuesDigest: row.values_digest,
  registeredBy: person(row),
  registeredAt: row.at,
  contentDigest: row.content_digest,
  locations: new JsonText(row.locations),
})

export function* metricLines(room: ExportedRoom): Generator<string> {
  yield "attempt,attemptId,ordinal,metric,split,dimensions,unit,step,value,reportedAt\r\n"
  for (const { label, attempt_id, ordinal, name, split, dimensions, unit, step, value, reported_at } of room.metrics()) {
    yield csvLine([label, attempt_id, ordinal, name, split, dimensions, unit, step, parse(value), reported_at])
  }
}
/** A write of another Room, with its entry of that Room's feed. */
export const citedWrite = ({ roomId, before, activity, ...written }: ExportedWrite) => ({
  roomId,
  before,
  activity: new JsonText(stored(activity)),
  write: writtenOut(written),
})
