/** Exports a Room as an RO-Crate: a zip that is made from one snapshot while it is read. */
import { orcidAddress } from "../../contract/answers/description.ts"
import { present } from "../../contract/typed.ts"
import { filedKinds, pageOf } from "../../contract/objects/objects.ts"
import { serviceName } from "../../contract/service.ts"
import { type JsonObject, parse } from "../../contract/json.ts"
import { type Mentioned, contents, type CrateFile, type Folder, pathOf } from "./contents.ts"
import {
  attemptEntities,
  statusEntities,
  type Entity,
  experimentEntity,
  ids,
  licenceElsewhere,
  licenceOf,
  materialEntity,
  personEntity,
  softwareEntity,
  to,
  linkMembers,
  authorship,
  planMembers,
  recordMembers,
} from "./entities.ts"
import type { RoomSource } from "../../rooms/imported.ts"
import { type ExportedRoom, exportedRoom } from "./room.ts"
import { packaged } from "../../packaged.ts"
import { inAnswers, withWords } from "../../contract/operations/withholding.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { type Withheld, withheld } from "../../ledger/journal/withheld.ts"
import { previewText, readmeText } from "./preview.ts"
import { type TextFile, zipped, type Written } from "./zip.ts"

// Describes the files of a crate in its metadata: their kind, author and page.

/** A file that has been written. */
export type Kept = Omit<CrateFile, "text"> & Written

/** Describes a file with its size and digest. */
export const fileEntity = (
  { path, name, mediaType, description, bytes, sha256 }: Kept,
  more: JsonObject = {},
): Entity => ({
  "@id": path,
  "@type": "File",
  name,
  description,
  encodingFormat: mediaType,
  contentSize: String(bytes),
  sha256,
  ...more,
})

/** Describes each file that is an object of the Room. */
export function* objectFiles(room: ExportedRoom, kept: ReadonlyMap<string, Kept>, baseUrl: string): Generator<Entity> {
  const { roomId } = room.summary
  const described = new Set<string>()
  const file = (path: string, more: JsonObject): Entity[] => {
    const found = kept.get(path)
    return found === undefined ? [] : [fileEntity(found, more)]
  }
  for (const row of room.records()) {
    const { members, others } = recordMembers(row, roomId, baseUrl)
    yield* file(pathOf.record(row.label), members)
    for (const other of others) if (!described.has(other["@id"])) yield (described.add(other["@id"]), other)
  }
  for (const row of room.plans()) yield* file(pathOf.plan(row.label), planMembers(row, baseUrl))
  for (const row of room.links()) yield* file(pathOf.link(row.label), linkMembers(row, baseUrl))
  for (const row of room.checkpoints()) {
    yield* file(pathOf.checkpoint(row.checkpointId), {
      additionalType: "checkpoint",
      author: to(ids.person(row.userId)),
      dateCreated: row.at,
      identifier: row.checkpointId,
      creativeWorkStatus: row.state,
      url: `${baseUrl}${pageOf("checkpoint", row.checkpointId)}`,
    })
  }
  for (const { kind, folder, row } of room.filed())
    yield* file(pathOf.filed(folder, row.label), {
      additionalType: kind,
      ...authorship(kind, row.id, row.userId, row.at, baseUrl),
    })
  for (const row of room.materials())
    yield* file(pathOf.material(roomId, row), {
      about: to(ids.material(row.materialId)),
      author: to(ids.person(row.userId)),
      dateCreated: row.registeredAt,
    })
  for (const { threadId, sequence, author, createdAt } of room.threads)
    yield* file(pathOf.timeline(sequence, threadId), authorship("thread", threadId, author.userId, createdAt, baseUrl))
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
function textOf(room: ExportedRoom, { people }: Mentioned): Text {
  const addresses = new Map<unknown, string>()
  const taken = new Set<string>()
  for (const userId of people.keys()) {
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

function* attemptIds(room: ExportedRoom): Generator<string> {
  for (const { attempts } of room.experiments()) yield* parse(attempts).map(ids.attempt)
}

/** The id of the entity that has the Room's id. */
const ROOM_ID = "#room-id"

function* root(
  room: ExportedRoom,
  { people, software }: Mentioned,
  kept: readonly Kept[],
  { baseUrl }: RoomSource,
  text: Text,
): Generator<string> {
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
      for (const row of room.experiments()) yield ids.experiment(row.label)
      for (const row of room.materials()) yield ids.material(row.materialId)
      yield* attemptIds(room)
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
function* entities(
  room: ExportedRoom,
  { people, software }: Mentioned,
  kept: readonly Kept[],
  source: RoomSource,
): Generator<Entity> {
  const { baseUrl, instanceId, softwareVersion } = source
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
  yield* statusEntities
  const agents = room.agents()
  yield* [...people.keys()].map((userId) => {
    const names = (agents.get(userId) ?? []).map(({ agent }) => agent)
    return personEntity(room.described(userId), names)
  })
  yield* [...software.values()].map(softwareEntity)

  const byPath = new Map(kept.map((file) => [file.path, file]))
  for (const entity of objectFiles(room, byPath, source.baseUrl)) {
    byPath.delete(entity["@id"])
    yield entity
  }
  for (const file of byPath.values()) yield fileEntity(file)
  for (const row of room.experiments()) yield experimentEntity(row, baseUrl)
  for (const row of room.attempts()) yield* attemptEntities(row, baseUrl)
  for (const row of room.materials()) yield materialEntity(row, baseUrl)
}

/** Writes the whole document. @param kept every file written before it */
export function* metadataText(
  room: ExportedRoom,
  mentioned: Mentioned,
  kept: readonly Kept[],
  source: RoomSource,
): Generator<string> {
  yield `{"@context":${JSON.stringify(CONTEXT)},"@graph":[\n`
  const text = textOf(room, mentioned)
  yield* root(room, mentioned, kept, source, text)
  yield* folderTexts(kept, text)
  for (const entity of entities(room, mentioned, kept, source)) yield `,\n${text(entity)}`
  yield "\n]}\n"
}

/** Yields the record, then the README and the programs, then the preview and the metadata. */
function* files(room: ExportedRoom, here: RoomSource): Generator<TextFile> {
  // A Room from another instance keeps its own source.
  const source = room.from(here)
  const mentioned: Mentioned = { people: new Map(), software: new Map() }
  const kept: Kept[] = []
  const guides: readonly CrateFile[] = [
    {
      path: "README.md",
      name: "Read me",
      mediaType: "text/markdown",
      description: "How to read and verify the crate.",
      text: [readmeText(room, source)],
    },
    {
      path: "verify.py",
      name: "Verify",
      mediaType: "text/x-python",
      description: "A program that recomputes every digest. It needs only Python's standard library.",
      text: [packaged("src/research/export/verify.py")],
    },
  ]
  for (const parts of [contents(room, mentioned, here), guides])
    for (const { text, ...file } of parts)
      yield { path: file.path, text, onWritten: (written) => kept.push({ ...file, ...written }) }
  yield { path: "ro-crate-preview.html", text: previewText(room, source) }
  yield { path: "ro-crate-metadata.json", text: metadataText(room, mentioned, kept, source) }
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

/**
 * Yields the bytes of a Room's crate. The same state of a Room gives the same bytes.
 * @param openReader opens a connection, which is closed at the end or when the reader disconnects
 */
export async function* crate(openReader: () => Db, roomId: string, source: RoomSource): AsyncGenerator<Uint8Array> {
  const db = openReader()
  try {
    const room = exportedRoom(db, roomId)
    if (room === undefined) throw new Error(`there is no Room ${roomId} to export`)
    const { of: find } = withheld(db)
    const shown = files(room, source).map((file) => withoutMarks(file, find))
    yield* zipped(shown, new Date(room.summary.lastActivityAt))
  } finally {
    db.close()
  }
}
