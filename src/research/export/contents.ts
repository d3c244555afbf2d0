/** The files of a Room's record, in order: the Room as it was accepted, byte for byte, and as it is served now. */
import { JsonText, stored } from "../../contract/json.ts"
import type { RoomEntry } from "../../ledger/journal/activity.ts"
import { accepted, type CrateFile, each, FORM, HISTORY, jsonFile, jsonLines, line, pathOf } from "./parts.ts"
import type { ExportedRoom, ExportedWrite } from "./room.ts"

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

/** A write of another Room, with its entry in that Room's feed. */
const citedWrite = ({ roomId, before, activity, ...written }: ExportedWrite) => ({
  roomId,
  before,
  activity: new JsonText(stored(activity)),
  write: writtenOut(written),
})

/** Yields every file of the record. */
export function* contents(room: ExportedRoom): Generator<CrateFile> {
  const { people } = room.record.mentioned
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
    "cited.jsonl",
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
  const { instanceId, baseUrl, softwareVersion, adopted } = room.source
  const where = { instanceId, baseUrl, softwareVersion, ...(adopted && { adopted }), cited: room.citedFrom() }
  yield jsonFile(
    "origin.json",
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

  const { records, links, checkpoints, experiments, plans, attempts, findingLinks, reviews, materials } = room.parts
  for (const part of [records, links, checkpoints]) yield* part.files()
  for (const { folder, row } of room.filed())
    yield accepted(pathOf.filed(folder, row.label), `${row.label}: ${row.title}`, row.content)
  for (const part of [experiments, plans, attempts, findingLinks, reviews, materials]) yield* part.files()

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
