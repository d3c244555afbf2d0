/** The files that hold a Room's record: what was accepted byte for byte, and what is served of it now. */
import { JsonText, parse, stored, type Stored, type Writable, writeJson } from "../../contract/json.ts"
import { csvLine } from "../attempts/rows.ts"
import { FORM } from "../import/origin.ts"
import type { RoomSource } from "../../rooms/imported.ts"
import { writtenOut } from "./written.ts"
import { recordSummary } from "../records/shown.ts"
import type { ExportedRoom, ExportedWrite, Person } from "./room.ts"
import type { AttemptRow, ExperimentRow, MaterialRow } from "./rows.ts"
import type { TextFile } from "./zip.ts"
import { CITED, HISTORY, ORIGIN, pathOf, places, softwareId } from "./paths.ts"

export interface CrateFile extends TextFile {
  readonly name: string
  readonly mediaType: string
  readonly description: string
}

/** What is met on the way through the contents and described in the metadata, which come last. */
export interface Mentioned {
  readonly people: Map<string, Person>
  /** Pinned repositories, by where they stand in the metadata. */
  readonly software: Map<string, { readonly url: string; readonly commit: string }>
}

const line = (value: Writable): string => `${writeJson(value)}\n`
const json = <T>(text: Stored<T> | null) => text && new JsonText(text)
function* lines(texts: Iterable<string>): Generator<string> {
  for (const text of texts) yield `${text}\n`
}
function* each<Row>(rows: Iterable<Row>, shown: (row: Row) => Writable): Generator<string> {
  for (const row of rows) yield line(shown(row))
}
function* map(texts: Iterable<string>, changed: (text: string) => string): Generator<string> {
  for (const text of texts) yield changed(text)
}
const person = (row: { author_id: string; username: string }) => ({ userId: row.author_id, username: row.username })

/** Accepted content: its bytes are what its digest is over. */
const accepted = (path: string, name: string, content: string): CrateFile => ({
  path,
  name,
  mediaType: "application/json",
  description: "As it was accepted: canonical JSON (RFC 8785). Its bytes are what its content digest is over.",
  text: [content],
})

const jsonLines = (path: string, name: string, description: string, text: Iterable<string>): CrateFile => ({
  path,
  name,
  mediaType: "application/jsonl",
  description: `${description} One JSON object a line.`,
  text,
})

const experiment = (row: ExperimentRow) => ({
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

const attempt = (row: AttemptRow) => ({
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

const material = (row: MaterialRow) => ({
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

function* metricLines(room: ExportedRoom): Generator<string> {
  yield "attempt,attemptId,ordinal,metric,split,dimensions,unit,step,value,reportedAt\r\n"
  for (const { label, attempt_id, ordinal, name, split, dimensions, unit, step, value, reported_at } of room.metrics()) {
    yield csvLine([label, attempt_id, ordinal, name, split, dimensions, unit, step, parse(value), reported_at])
  }
}

/** Attempts, line by line; the repositories that they pin are noted. */
function* attemptLines(room: ExportedRoom, { software }: Mentioned): Generator<string> {
  for (const row of room.attempts()) {
    const { repository } = parse(row.content)
    software.set(softwareId(repository), repository)
    yield line(attempt(row))
  }
}

/** A write of another Room, with its entry of that Room's feed. */
const citedWrite = ({ roomId, before, activity, ...written }: ExportedWrite) => ({
  roomId,
  before,
  activity: new JsonText(stored(activity)),
  write: writtenOut(written),
})
/** Every file of the record, one after the other. */
export function* contents(room: ExportedRoom, met: Mentioned, here: RoomSource): Generator<CrateFile> {
  const { people, software } = met
  const noted = (row: { author_id: string; username: string }) => void people.set(row.author_id, person(row))
  for (const member of room.members) people.set(member.userId, member)

  yield jsonLines(
    "activity.jsonl",
    "The change feed",
    "Every accepted write in order, each entry chained to the one before it by digest, as it is served.",
    lines(room.activity()),
  )
  yield jsonLines(
    HISTORY,
    "The history",
    "Every accepted write in order, as it was kept: what was done, by whom, when, with which body, and the ids it was given. The feed names the digest of each body.",
    each(room.history(), writtenOut),
  )
  yield jsonLines(
    CITED,
    "What is cited",
    "Accepted writes of other Rooms, as far as this Room's rest on them: each with its entry of that Room's feed, and the entry of this Room before which it was accepted.",
    each(room.cited(), citedWrite),
  )
  yield jsonLines(
    "people.jsonl",
    "People",
    "Everybody whom the history names, with what they are called where it was written.",
    each(room.named(), (person) => ({ ...person })),
  )
  const { roomId, activityWatermark } = room.summary
  const { instanceId, baseUrl, softwareVersion, adopted } = room.from(here)
  yield {
    path: ORIGIN,
    name: "Where it comes from",
    mediaType: "application/json",
    description: "The instance whose Room this is, and how many entries its activity has.",
    text: [
      line({
        form: FORM,
        roomId,
        entries: activityWatermark,
        instanceId,
        baseUrl,
        softwareVersion,
        ...(adopted && { adopted }),
        cited: room.citedFrom(here),
      }),
    ],
  }
  // Where it is shown is no part of what it is.
  const { origin: _origin, ...summary } = room.summary
  yield {
    path: "room.json",
    name: "The Room",
    mediaType: "application/json",
    description: "The Room as it is served, with its members.",
    text: [line({ ...summary, members: room.members })],
  }
  yield jsonLines(
    "threads.jsonl",
    "Threads",
    "Every Thread as it is served.",
    each(room.threads, (thread) => thread),
  )
  for (const { threadId, sequence, title } of room.threads) {
    yield jsonLines(
      pathOf.timeline(sequence, threadId),
      title,
      "The timeline of a Thread as it is served: messages, cards and receipts in order.",
      lines(room.timeline(threadId)),
    )
    for (const author of room.authorsOf(threadId)) people.set(author.userId, author)
  }

  for (const row of room.records()) yield accepted(pathOf.record(row.label), row.label, row.content)
  yield jsonLines(
    "records.jsonl",
    "Where each record stands",
    "Every record with its standing, its notices and where it comes from.",
    map(each(room.records(), recordSummary), room.atHome),
  )
  for (const row of room.links()) yield accepted(pathOf.link(row.label), `${row.label}: ${row.kind} ${row.target_label}`, row.content)
  for (const row of room.checkpoints()) yield accepted(pathOf.checkpoint(row.checkpoint_id), `Checkpoint of ${row.at}`, row.content)

  yield jsonLines(
    places.experiment,
    "Experiments",
    "Every experiment as it stands, with the content of each of its revisions.",
    map(each(room.experiments(), experiment), room.atHome),
  )
  for (const row of room.plans()) {
    const { repository } = parse(row.content)
    software.set(softwareId(repository), repository)
    yield accepted(pathOf.plan(row.label), `${row.label}, a plan for ${row.experiment_label}`, row.content)
  }
  yield jsonLines(
    places.attempt,
    "Attempts",
    "Every attempt: its registration as it was accepted, its events with both clocks, its outputs.",
    attemptLines(room, met),
  )
  yield {
    path: "metrics.csv",
    name: "Metrics",
    mediaType: "text/csv",
    description: "Every point of every metric series, in the order reported.",
    text: metricLines(room),
  }
  yield jsonLines(
    "finding-links.jsonl",
    "Findings toward experiments",
    "How findings were related to experiments, with their verdicts, replies and reviewers.",
    map(
      each(room.findingLinks(), (link) => link),
      room.atHome,
    ),
  )
  for (const row of room.materials()) {
    noted(row)
    yield accepted(pathOf.material(room.summary.roomId, row), `${row.label}: ${row.name}`, row.content)
  }
  yield jsonLines(
    "materials.jsonl",
    "Materials",
    "Every material by its reference, with what is reported of its locations.",
    each(room.materials(), material),
  )
}
