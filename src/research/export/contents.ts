/** The files that hold a Room's record: what was accepted byte for byte, and what is served of it now. */
import { parse } from "../../contract/json.ts"
import { FORM } from "../import/origin.ts"
import type { RoomSource } from "../../rooms/imported.ts"
import { writtenOut } from "./written.ts"
import { recordSummary } from "../records/shown.ts"
import type { ExportedRoom, Person } from "./room.ts"
import type { TextFile } from "./zip.ts"
import { CITED, HISTORY, ORIGIN, pathOf, places, softwareId } from "./paths.ts"
import { line, lines, each, map, experiment, attempt, material, metricLines, citedWrite } from "./json-lines.ts"

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

const jsonFile = (path: string, name: string, description: string, text: string): CrateFile => ({
  ...{ path, name, mediaType: "application/json", description },
  text: [text],
})

/** Accepted content: its bytes are what its digest is over. */
const accepted = (path: string, name: string, content: string): CrateFile =>
  jsonFile(path, name, "As it was accepted: canonical JSON (RFC 8785). Its bytes are what its content digest is over.", content)

const jsonLines = (path: string, name: string, description: string, text: Iterable<string>): CrateFile => ({
  path,
  name,
  mediaType: "application/jsonl",
  description: `${description} One JSON object a line.`,
  text,
})

/** Attempts, line by line; the repositories that they pin are noted. */
function* attemptLines(room: ExportedRoom, { software }: Mentioned): Generator<string> {
  for (const row of room.attempts()) {
    const { repository } = parse(row.content)
    software.set(softwareId(repository), repository)
    yield line(attempt(row))
  }
}

/** Every file of the record, one after the other. */
export function* contents(room: ExportedRoom, met: Mentioned, here: RoomSource): Generator<CrateFile> {
  const { people, software } = met
  const noted = ({ userId, username }: Person) => void people.set(userId, { userId, username })
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
  const where = { instanceId, baseUrl, softwareVersion, ...(adopted && { adopted }), cited: room.citedFrom(here) }
  yield jsonFile(
    ORIGIN,
    "Where it comes from",
    "The instance whose Room this is, and how many entries its activity has.",
    line({ form: FORM, roomId, entries: activityWatermark, ...where }),
  )
  // Where it is shown is no part of what it is.
  const { origin: _origin, ...summary } = room.summary
  yield jsonFile("room.json", "The Room", "The Room as it is served, with its members.", line({ ...summary, members: room.members }))
  yield jsonLines("threads.jsonl", "Threads", "Every Thread as it is served.", each(room.threads))
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
  for (const row of room.links()) yield accepted(pathOf.link(row.label), `${row.label}: ${row.kind} ${row.target.label}`, row.content.text)
  for (const row of room.checkpoints()) yield accepted(pathOf.checkpoint(row.checkpointId), `Checkpoint of ${row.at}`, row.content)

  for (const row of room.boards()) yield accepted(pathOf.board(row.label), `${row.label}: ${row.title}`, row.content)

  yield jsonLines(
    places.experiment,
    "Experiments",
    "Every experiment as it stands, with the content of each of its revisions.",
    map(each(room.experiments(), experiment), room.atHome),
  )
  for (const row of room.plans()) {
    const { repository } = parse(row.content)
    software.set(softwareId(repository), repository)
    yield accepted(pathOf.plan(row.label), `${row.label}, a plan for ${row.experimentLabel}`, row.content)
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
    map(each(room.findingLinks()), room.atHome),
  )
  yield jsonLines(
    "reviews.jsonl",
    "Reviews",
    "What others say of findings, checkpoints and plans after checking them.",
    map(each(room.reviews()), room.atHome),
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
  for (const { digest, mediaType, width, height } of room.figures())
    yield {
      path: pathOf.figure(digest, mediaType),
      name: `A picture of ${width} x ${height} pixels`,
      mediaType,
      description: "A picture that something in the Room names by the digest of these bytes.",
      text: room.figureBytes(digest),
    }
}
