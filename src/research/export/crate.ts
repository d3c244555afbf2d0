/** Exports a Room as an RO-Crate: a zip that is made from one snapshot while it is read. */
import { orcidAddress } from "../../contract/nouns/people.ts"
import { present } from "../../contract/typed.ts"
import { filedKinds, pageOf } from "../../contract/objects/objects.ts"
import { serviceName } from "../../contract/service.ts"
import { type JsonObject, JsonText, stored } from "../../contract/json.ts"
import { inAnswers, withWords } from "../../contract/nouns/withholding.ts"
import type { RoomEntry } from "../../ledger/journal/activity.ts"
import type { Withheld } from "../../ledger/journal/withheld.ts"
import { packaged } from "../../packaged.ts"
import {
  authorship,
  type Entity,
  ids,
  licenceElsewhere,
  to,
  licenceOf,
  personEntity,
  softwareEntity,
} from "./entities.ts"
import type { CrateFile, Folder } from "./parts.ts"
import { accepted, linesOf, FORM, HISTORY, jsonFile, jsonLines, line, pathOf } from "./parts.ts"
import { previewText, readmeText } from "./preview.ts"
import type { ExportedRoom, ExportedWrite } from "./room.ts"
import { type TextFile, zipped, type Written } from "./zip.ts"

// The files of a Room's record, in order: the Room as it was accepted, byte for byte, and as it is served now.

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

/** Yields the lines of a timeline, and notes who wrote them. */
function* timelineText(room: ExportedRoom, threadId: string): Generator<string> {
  yield* room.timeline(threadId).map((text) => `${text}\n`)
  for (const author of room.authorsOf(threadId)) room.record.mentioned.people.set(author.userId, author)
}

const timelines = (room: ExportedRoom): CrateFile[] =>
  room.threads.map(({ threadId, sequence, title, author, createdAt }) => ({
    ...jsonLines(
      pathOf.timeline(sequence, threadId),
      title,
      "The timeline of a Thread as it is served: messages, cards and receipts in order.",
      timelineText(room, threadId),
    ),
    describe: () => ({ members: authorship("thread", threadId, author.userId, createdAt, room.source.baseUrl) }),
  }))

/** The objects of which the export has no more than their files. */
const filed = (room: ExportedRoom) =>
  room.filed().map(({ kind, folder, row: { id, label, title, content, userId, at } }) =>
    accepted(pathOf.filed(folder, label), `${label}: ${title}`, content, () => ({
      members: { additionalType: kind, ...authorship(kind, id, userId, at, room.source.baseUrl) },
    })),
  )

/** Yields every file of the record. */
function* contents(room: ExportedRoom): Generator<CrateFile> {
  for (const member of room.members) room.record.mentioned.people.set(member.userId, member)
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
    linesOf(room.history().map(writtenOut)),
  )
  yield jsonLines(
    "cited.jsonl",
    "Cited writes",
    "Accepted writes of other Rooms on which this Room's writes rest. Each has its entry in that Room's feed, " +
      "and the number of this Room's entry that it precedes.",
    linesOf(room.cited().map(citedWrite)),
  )
  yield jsonLines(
    "people.jsonl",
    "People",
    "Everyone whom the history names, with their names on the instance where it was written.",
    linesOf(room.named().map((person) => ({ ...person }))),
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
  yield jsonLines("threads.jsonl", "Threads", "Every Thread as it is served.", linesOf(room.threads))
  yield* timelines(room)

  const { records, links, checkpoints, experiments, plans, attempts, findingLinks, reviews, materials } = room.parts
  for (const part of [records, links, checkpoints]) yield* part.files()
  yield* filed(room)
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

// Describes the files of a crate in its metadata: their kind, author and page.

/** A file that has been written. */
type Kept = Omit<CrateFile, "text" | "describe"> & Written

/** Describes a file with its size and digest. */
const fileEntity = ({ path, name, mediaType, description, bytes, sha256 }: Kept, more: JsonObject = {}): Entity => ({
  "@id": path,
  "@type": "File",
  name,
  description,
  encodingFormat: mediaType,
  contentSize: String(bytes),
  sha256,
  ...more,
})

/** Describes each file, those that are objects of the Room first, and what objects of other Rooms these name. */
function* fileEntities(room: ExportedRoom, kept: readonly Kept[]): Generator<Entity> {
  const { records, plans, links, checkpoints, materials } = room.parts
  const left = new Map(kept.map((file) => [file.path, file]))
  const named = new Set<string>()
  const objects = [records, plans, links, checkpoints].map((part) => part.files())
  for (const files of [...objects, filed(room), materials.files(), timelines(room)])
    for (const { path, describe } of files) {
      const file = left.get(path)
      if (describe === undefined || file === undefined) continue
      const { members, others = [] } = describe()
      left.delete(path)
      yield fileEntity(file, members)
      for (const other of others) if (named.size < named.add(other["@id"]).size) yield other
    }
  for (const file of left.values()) yield fileEntity(file)
}

// Writes ro-crate-metadata.json entity by entity.

const CONTEXT = "https://w3id.org/ro/crate/1.2/context"
const profiles = {
  crate: "https://w3id.org/ro/crate/1.2",
  process: "https://w3id.org/ro/wfrun/process/0.5",
}

const folders = {
  "records/": "Hypotheses, findings and cited claims as they were accepted.",
  "plans/": "Plans as they were accepted.",
  "links/": "Corrections, supersessions, disputes and retractions as they were accepted.",
  "checkpoints/": "Checkpoints as they were accepted.",
  "materials/": "Registrations of materials as they were accepted; the materials themselves are elsewhere.",
  ...Object.fromEntries(filedKinds.map(({ folder, holds }) => [`${folder}/`, holds])),
  "timelines/": "The messages and events of each Thread, in order.",
  "figures/": "Pictures, each named by the digest of its bytes.",
  "logs/": "What attempts printed, and sessions of agents, each named by the digest of its bytes.",
} satisfies Readonly<Record<Folder, string>>
const folderOf = (path: string): string | undefined =>
  path.includes("/") ? path.slice(0, path.indexOf("/") + 1) : undefined

/** Serializes a part of the document, with the ids of people replaced by their ORCID addresses. */
type Text = (part: unknown) => string

/** People are identified by their ORCID. If two people give the same one, only the first gets it. */
function textOf(room: ExportedRoom): Text {
  const addresses = new Map<unknown, string>()
  const taken = new Set<string>()
  for (const userId of room.record.mentioned.people.keys()) {
    const { orcid } = room.described(userId)
    if (orcid !== null && taken.size < taken.add(orcid).size) addresses.set(ids.person(userId), orcidAddress(orcid))
  }
  return (part) =>
    JSON.stringify(part, (name, value: unknown) => (name === "@id" ? (addresses.get(value) ?? value) : value))
}

/** Writes a member that refers to other entities. A single one is not written as a list. */
function* listText(text: Text, name: string, ids: Iterable<string>): Generator<string> {
  let first: string | undefined
  let written = 0
  for (const id of ids) {
    if (written === 1) yield `,${JSON.stringify(name)}:[${text(to(present(first)))}`
    if (written > 0) yield `,${text(to(id))}`
    first ??= id
    written += 1
  }
  if (written > 1) yield "]"
  else if (first !== undefined) yield `,${JSON.stringify(name)}:${text(to(first))}`
}

/** Writes an object whose lists may be too long for memory. */
function* objectText(
  text: Text,
  members: JsonObject,
  lists: Readonly<Record<string, () => Iterable<string>>>,
): Generator<string> {
  yield text(members).slice(0, -1)
  for (const [name, items] of Object.entries(lists)) yield* listText(text, name, items())
  yield "}"
}

/** The id of the entity that has the Room's id. */
const ROOM_ID = "#room-id"

function* root(room: ExportedRoom, kept: readonly Kept[], text: Text): Generator<string> {
  const { baseUrl } = room.source
  const { people, software } = room.record.mentioned
  const { experiments, materials } = room.parts
  const { roomId, title, question, owner, state, concluded, lastActivityAt, activityWatermark, createdAt } =
    room.summary
  const members: JsonObject = {
    "@id": "./",
    "@type": "Dataset",
    name: title,
    description:
      `${question ?? "A Room of public research."} (The Room as it stood after ${activityWatermark} ` +
      `accepted writes: ${state}, ${concluded ? "concluded" : "not concluded"}.)`,
    identifier: to(ROOM_ID),
    url: `${baseUrl}${pageOf("room", roomId)}`,
    dateCreated: createdAt,
    datePublished: lastActivityAt,
    dateModified: lastActivityAt,
    creativeWorkStatus: concluded ? "concluded" : state,
    version: String(activityWatermark),
    license: to(licenceOf(room.summary.license)["@id"]),
    creator: to(ids.person(owner.userId)),
    publisher: to(baseUrl),
    conformsTo: to(profiles.process),
  }
  const used = new Set(kept.flatMap(({ path }) => folderOf(path) ?? []))
  yield* objectText(text, members, {
    contributor: () => [...people.keys()].map(ids.person),
    hasPart: () => [
      ...kept.filter(({ path }) => folderOf(path) === undefined).map(({ path }) => path),
      ...used,
      ...software.keys(),
    ],
    mentions: function* () {
      for (const part of [experiments, materials]) for (const entity of part.entities()) yield entity["@id"]
      for (const attemptId of experiments.attemptIds()) yield ids.attempt(attemptId)
    },
  })
}

function* folderTexts(kept: readonly Kept[], text: Text): Generator<string> {
  for (const [folder, description] of Object.entries(folders)) {
    const inside = kept.filter(({ path }) => folderOf(path) === folder)
    if (inside.length === 0) continue
    yield ",\n"
    yield* objectText(
      text,
      { "@id": folder, "@type": "Dataset", name: folder.slice(0, -1), description },
      { hasPart: () => inside.map(({ path }) => path) },
    )
  }
}

/** Yields every entity except the root and the folders. */
function* entities(room: ExportedRoom, kept: readonly Kept[]): Generator<Entity> {
  const { baseUrl, instanceId, softwareVersion } = room.source
  const { people, software } = room.record.mentioned
  const { experiments, attempts, materials } = room.parts
  const { roomId } = room.summary
  yield {
    "@id": "ro-crate-metadata.json",
    "@type": "CreativeWork",
    name: "The contents of the crate",
    about: to("./"),
    conformsTo: to(profiles.crate),
  }
  yield {
    "@id": ROOM_ID,
    "@type": "PropertyValue",
    name: "The Room's id",
    propertyID: `${serviceName} Room id`,
    value: roomId,
    url: `${baseUrl}${pageOf("room", roomId)}`,
  }
  yield {
    "@id": "ro-crate-preview.html",
    "@type": "CreativeWork",
    about: to("./"),
    name: "The Room as a web page",
    encodingFormat: "text/html",
  }
  yield { "@id": profiles.process, "@type": ["CreativeWork", "Profile"], name: "Process Run Crate", version: "0.5" }
  yield {
    "@id": baseUrl,
    "@type": "Organization",
    name: `The ${serviceName} instance ${instanceId}`,
    description: `It runs ${serviceName} ${softwareVersion}.`,
    url: baseUrl,
  }
  yield licenceOf(room.summary.license)
  yield licenceElsewhere
  yield* attempts.statusEntities
  const agents = room.agents()
  yield* [...people.keys()].map((userId) => {
    const names = (agents.get(userId) ?? []).map(({ agent }) => agent)
    return personEntity(room.described(userId), names)
  })
  yield* [...software.values()].map(softwareEntity)

  yield* fileEntities(room, kept)
  for (const part of [experiments, attempts, materials]) yield* part.entities()
}

/** Writes the whole document. @param kept every file written before it */
function* metadataText(room: ExportedRoom, kept: readonly Kept[]): Generator<string> {
  yield `{"@context":${JSON.stringify(CONTEXT)},"@graph":[\n`
  const text = textOf(room)
  yield* root(room, kept, text)
  yield* folderTexts(kept, text)
  for (const entity of entities(room, kept)) yield `,\n${text(entity)}`
  yield "\n]}\n"
}

/** Yields the record, then the README and the programs, then the preview and the metadata. */
function* files(room: ExportedRoom): Generator<TextFile> {
  const kept: Kept[] = []
  const guides: readonly CrateFile[] = [
    {
      path: "README.md",
      name: "Read me",
      mediaType: "text/markdown",
      description: "How to read and verify the crate.",
      text: [readmeText(room)],
    },
    {
      path: "verify.py",
      name: "Verify",
      mediaType: "text/x-python",
      description: "A program that recomputes every digest. It needs only Python's standard library.",
      text: [packaged("src/research/export/verify.py")],
    },
  ]
  for (const parts of [contents(room), guides])
    for (const { text, describe: _describe, ...file } of parts)
      yield { path: file.path, text, onWritten: (written) => kept.push({ ...file, ...written }) }
  yield { path: "ro-crate-preview.html", text: previewText(room) }
  yield { path: "ro-crate-metadata.json", text: metadataText(room, kept) }
}

/**
 * Replaces the marks of withheld parts: in JSON by the form that answers have, in texts for people and in the metadata
 * by a word.
 */
function withoutMarks({ text, ...file }: TextFile, find: Withheld["of"]): TextFile {
  const isData = !file.path.startsWith("ro-crate-") && /\.jsonl?$/.test(file.path)
  const replaced = (part: string) => (isData ? inAnswers(part, find) : withWords(part))
  return { ...file, text: Iterator.from(text).map((part) => (typeof part === "string" ? replaced(part) : part)) }
}

/** Yields the bytes of a Room's crate. The same state of a Room gives the same bytes. */
export const crate = (room: ExportedRoom): AsyncGenerator<Uint8Array> =>
  zipped(
    files(room).map((file) => withoutMarks(file, room.withheld)),
    new Date(room.summary.lastActivityAt),
  )
