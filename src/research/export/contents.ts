/**
 * The files of a Room's record: their paths, and the accepted content byte for byte, and the Room as it is served now,
 * as lines of JSON and CSV.
 */
import { parse, JsonText, stored, type Writable, writeJson } from "../../contract/json.ts"
import { FORM } from "../import/writes.ts"
import type { RoomSource } from "../../rooms/imported.ts"
import { recordSummary } from "../records/records.ts"
import type { Person } from "../../contract/answers/index.ts"
import type { ExportedRoom, ExportedWrite } from "./room.ts"
import type { TextFile } from "./zip.ts"
import type { RoomEntry } from "../../ledger/journal/activity.ts"
import { csvLine } from "../attempts/table.ts"
import type { AttemptRow, ExperimentRow, MaterialRow, PlanRow } from "./rows.ts"
import { type ExportedKind, type FiledKind, filedKinds } from "../../contract/objects/objects.ts"
import { figureTypes, type FigureType } from "../../contract/definitions/attachments.ts"

// The rows of a Room as lines of JSON and CSV.

// An accepted write in the form that a replay on another instance needs.

/**
 * An accepted write as another instance replays it. Of the values that the write was given it has only the ids, because
 * a replay computes the rest. Digests of tokens and the sender's credential stay here.
 */
const writtenOut = ({ sequence, entry }: Pick<RoomEntry, "sequence" | "entry">) => ({
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

function* metricLines(room: ExportedRoom): Generator<string> {
  yield "attempt,attemptId,ordinal,metric,split,dimensions,unit,step,value,reportedAt\r\n"
  for (const { label, attemptId, ordinal, name, split, dimensions, unit, step, value, reportedAt } of room.metrics()) {
    yield csvLine([label, attemptId, ordinal, name, split, dimensions, unit, step, parse(value), reportedAt])
  }
}
/** A write of another Room, with its entry in that Room's feed. */
const citedWrite = ({ roomId, before, activity, ...written }: ExportedWrite) => ({
  roomId,
  before,
  activity: new JsonText(stored(activity)),
  write: writtenOut(written),
})

// The paths of the files in a crate.

/** The journal of the Room, the writes of other Rooms that it cites, and the instance that the Room comes from. */
export const HISTORY = "history.jsonl"
const CITED = "cited.jsonl"
const ORIGIN = "origin.json"
/** The folder of the pictures that something in the Room names. */
export const FIGURES = "figures"
/** The folder of the logs that attempts reported. */
export const LOGS = "logs"

/** The id of a pinned commit in the metadata, in the format of package tools. */
export const softwareId = ({ url, commit }: { url: string; commit: string }): string => `git+${url}@${commit}`

/** Folders of accepted content with one file for each object. Other content is a line of a shared file. */
const folders = {
  record: "records",
  plan: "plans",
  link: "links",
  checkpoint: "checkpoints",
  material: "materials",
} as const
const places = {
  hypothesis: folders.record,
  experiment: "experiments.jsonl",
  plan: folders.plan,
  attempt: "attempts.jsonl",
  finding: folders.record,
  cited_claim: folders.record,
  link: folders.link,
  checkpoint: folders.checkpoint,
  message: "timelines",
} as const satisfies Readonly<Record<Exclude<ExportedKind, FiledKind>, string>>
/** A folder, as a prefix of the paths of its files. */
export type Folder = `${(typeof folders)[keyof typeof folders] | typeof places.message | typeof FIGURES | typeof LOGS}/`
/** The folders with one file for each accepted content. */
export const acceptedFolders: readonly string[] = [...Object.values(folders), ...filedKinds.map(({ folder }) => folder)]

/** Paths of the files that exist once for each object. */
export const pathOf = {
  record: (label: string) => `${folders.record}/${label}.json`,
  plan: (label: string) => `${folders.plan}/${label}.json`,
  filed: (folder: string, label: string) => `${folder}/${label}.json`,
  link: (label: string) => `${folders.link}/${label}.json`,
  checkpoint: (checkpointId: string) => `${folders.checkpoint}/${checkpointId}.json`,
  /** A material has the label of the Room that registered it first. */
  material: (roomId: string, { materialOriginRoom, label }: { materialOriginRoom: string; label: string }) =>
    `${folders.material}/${materialOriginRoom === roomId ? label : `${materialOriginRoom}-${label}`}.json`,
  figure: (digest: string, mediaType: FigureType) =>
    `${FIGURES}/${digest.slice("sha256:".length)}.${figureTypes[mediaType]}`,
  log: (digest: string) => `${LOGS}/${digest.slice("sha256:".length)}.txt`,
  timeline: (sequence: number, threadId: string) =>
    `${places.message}/${String(sequence).padStart(3, "0")}-${threadId}.jsonl`,
} as const

/** A file name of characters that every system accepts. */
export function plainName(title: string): string {
  const words =
    title
      .normalize("NFD")
      .replace(/\p{M}/gu, "")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  return words.join("-").slice(0, 60) || "room"
}

export interface CrateFile extends TextFile {
  readonly name: string
  readonly mediaType: string
  readonly description: string
}

/** People and software found in the contents. The metadata, which is written last, describes them. */
export interface Mentioned {
  readonly people: Map<string, Person>
  /** Pinned repositories, by their id in the metadata. */
  readonly software: Map<string, { readonly url: string; readonly commit: string }>
}

const jsonFile = (path: string, name: string, description: string, text: string): CrateFile => ({
  path,
  name,
  mediaType: "application/json",
  description,
  text: [text],
})

/** A file of accepted content. Its bytes have the content digest. */
const accepted = (path: string, name: string, content: string): CrateFile =>
  jsonFile(path, name, "As it was accepted: canonical JSON (RFC 8785). The content digest covers these bytes.", content)

const jsonLines = (path: string, name: string, description: string, text: Iterable<string>): CrateFile => ({
  path,
  name,
  mediaType: "application/jsonl",
  description: `${description} One JSON object per line.`,
  text,
})

/** Yields the attempts line by line, and notes the repositories that they pin. */
function* attemptLines(room: ExportedRoom, { software }: Mentioned): Generator<string> {
  for (const row of room.attempts()) {
    const { repository } = parse(row.content)
    software.set(softwareId(repository), repository)
    yield line(attempt(row))
  }
}

/** Yields every file of the record. */
export function* contents(room: ExportedRoom, mentioned: Mentioned, here: RoomSource): Generator<CrateFile> {
  const { people, software } = mentioned
  const note = ({ userId, username }: Person) => void people.set(userId, { userId, username })
  for (const member of room.members) people.set(member.userId, member)

  yield jsonLines(
    "activity.jsonl",
    "The change feed",
    "Every accepted write in order, as it is served. Each entry has the digest of the one before it.",
    room.activity().map((text) => `${text}\n`),
  )
  yield jsonLines(
    HISTORY,
    "The history",
    "Every accepted write in order, as it is stored: the operation, its author and time, its body, and the ids it " +
      "was given. The feed has the digest of each body.",
    each(room.history().map(writtenOut)),
  )
  yield jsonLines(
    CITED,
    "Cited writes",
    "Accepted writes of other Rooms on which this Room's writes rest. Each has its entry in that Room's feed, " +
      "and the number of this Room's entry that it precedes.",
    each(room.cited().map(citedWrite)),
  )
  yield jsonLines(
    "people.jsonl",
    "People",
    "Everyone whom the history names, with their names on the instance where it was written.",
    each(room.named().map((person) => ({ ...person }))),
  )
  const { roomId, activityWatermark } = room.summary
  const { instanceId, baseUrl, softwareVersion, adopted } = room.from(here)
  const where = { instanceId, baseUrl, softwareVersion, ...(adopted && { adopted }), cited: room.citedFrom(here) }
  yield jsonFile(
    ORIGIN,
    "The origin",
    "The instance that this Room belongs to, and the number of entries in its activity.",
    line({ form: FORM, roomId, entries: activityWatermark, ...where }),
  )
  // The origin depends on the instance that shows the Room, so it is not part of the record.
  const { origin: _origin, ...summary } = room.summary
  yield jsonFile(
    "room.json",
    "The Room",
    "The Room as it is served, with its members.",
    line({ ...summary, members: room.members }),
  )
  yield jsonLines("threads.jsonl", "Threads", "Every Thread as it is served.", each(room.threads))
  for (const { threadId, sequence, title } of room.threads) {
    yield jsonLines(
      pathOf.timeline(sequence, threadId),
      title,
      "The timeline of a Thread as it is served: messages, cards and receipts in order.",
      room.timeline(threadId).map((text) => `${text}\n`),
    )
    for (const author of room.authorsOf(threadId)) people.set(author.userId, author)
  }

  for (const row of room.records()) yield accepted(pathOf.record(row.label), row.label, row.content)
  yield jsonLines(
    "records.jsonl",
    "The standing of each record",
    "Every record with its standing, its notices and its provenance.",
    each(room.records().map(recordSummary)).map(room.atHome),
  )
  for (const row of room.links())
    yield accepted(pathOf.link(row.label), `${row.label}: ${row.kind} ${row.target.label}`, row.content.text)
  for (const row of room.checkpoints())
    yield accepted(pathOf.checkpoint(row.checkpointId), `Checkpoint of ${row.at}`, row.content)

  for (const { folder, row } of room.filed())
    yield accepted(pathOf.filed(folder, row.label), `${row.label}: ${row.title}`, row.content)

  yield jsonLines(
    places.experiment,
    "Experiments",
    "The current state of every experiment, with the content of each revision.",
    each(room.experiments().map(experiment)).map(room.atHome),
  )
  for (const row of room.plans()) {
    const { repository } = parse(row.content)
    software.set(softwareId(repository), repository)
    yield accepted(pathOf.plan(row.label), `${row.label}, a plan for ${row.experimentLabel}`, row.content)
  }
  yield jsonLines(
    places.attempt,
    "Attempts",
    "Every attempt: its registration as it was accepted, its events with both times, and its outputs.",
    attemptLines(room, mentioned),
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
    "Findings on experiments",
    "The links from findings to experiments, with verdicts, replies and reviewers.",
    each(room.findingLinks()).map(room.atHome),
  )
  yield jsonLines(
    "reviews.jsonl",
    "Reviews",
    "Reviews of findings, checkpoints and plans by other people.",
    each(room.reviews()).map(room.atHome),
  )
  for (const row of room.materials()) {
    note(row)
    yield accepted(pathOf.material(room.summary.roomId, row), `${row.label}: ${row.name}`, row.content)
  }
  yield jsonLines(
    "materials.jsonl",
    "Materials",
    "Every material by its reference, with the reports on its locations.",
    each(room.materials().map(material)),
  )
  for (const { digest, mediaType, width, height } of room.figures())
    yield {
      path: pathOf.figure(digest, mediaType),
      name: `A picture of ${width} x ${height} pixels`,
      mediaType,
      description: "A picture that something in the Room names by the digest of these bytes.",
      text: room.figureBytes(digest),
    }
  for (const digest of room.logs())
    yield {
      path: pathOf.log(digest),
      name: "A log",
      mediaType: "text/plain",
      description: "What an attempt printed, or the session of its agent, under the digest of these bytes.",
      text: room.logBytes(digest),
    }
}
