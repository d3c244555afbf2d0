/** Exports a Room as an RO-Crate: a zip that is made from one snapshot while it is read. */
import { type Named, orcidAddress, shownName } from "../../contract/nouns/people.ts"
import { licenceIri, licenceUrl } from "../../contract/nouns/rooms.ts"
import { present } from "../../contract/typed.ts"
import { filedKinds, pageOf } from "../../contract/objects/objects.ts"
import { serviceName } from "../../contract/service.ts"
import type { JsonObject } from "../../contract/json.ts"
import { inAnswers, withWords } from "../../contract/nouns/withholding.ts"
import type { Withheld } from "../../ledger/journal/withheld.ts"
import { packaged } from "../../packaged.ts"
import { contents } from "./contents.ts"
import {
  authorship,
  compact,
  type CrateFile,
  type Described,
  type Entity,
  type Folder,
  ids,
  licenceElsewhere,
  pathOf,
  to,
} from "./parts.ts"
import { previewText, readmeText } from "./preview.ts"
import type { ExportedRoom } from "./room.ts"
import { type TextFile, zipped, type Written } from "./zip.ts"

// Describes the files of a crate in its metadata: their kind, author and page.

/** A file that has been written. */
type Kept = Omit<CrateFile, "text"> & Written

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

/** What the metadata says of each file that is an object of the Room. */
function* described(room: ExportedRoom): Generator<Described> {
  const { records, plans, links, checkpoints, materials } = room.parts
  const { baseUrl } = room.source
  for (const part of [records, plans, links, checkpoints]) yield* part.described()
  for (const { kind, folder, row } of room.filed())
    yield {
      path: pathOf.filed(folder, row.label),
      members: { additionalType: kind, ...authorship(kind, row.id, row.userId, row.at, baseUrl) },
    }
  yield* materials.described()
  for (const { threadId, sequence, author, createdAt } of room.threads)
    yield {
      path: pathOf.timeline(sequence, threadId),
      members: authorship("thread", threadId, author.userId, createdAt, baseUrl),
    }
}

/** Describes each file, those that are objects of the Room first, and what objects of other Rooms these name. */
function* fileEntities(room: ExportedRoom, kept: readonly Kept[]): Generator<Entity> {
  const left = new Map(kept.map((file) => [file.path, file]))
  const others = new Set<string>()
  for (const { path, members, others: named = [] } of described(room)) {
    const file = left.get(path)
    left.delete(path)
    if (file !== undefined) yield fileEntity(file, members)
    for (const other of named) if (others.size < others.add(other["@id"]).size) yield other
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

/** States that no licence has been given. */
const unknownLicence: Entity = {
  "@id": "#licence-not-stated",
  "@type": "CreativeWork",
  name: "Licence not stated",
  description:
    "No licence has been stated. Ask its authors before you reuse more than the law allows without permission.",
}
/** The licence of a Room's content, if its owner has stated one. */
const licenceOf = (id: string | null): Entity =>
  id === null
    ? unknownLicence
    : {
        "@id": licenceIri(id),
        "@type": "CreativeWork",
        name: id,
        description: "The licence that the Room's owner chose, by its id in the SPDX list.",
        url: licenceUrl(id),
      }
/** @param agents the names of the agents that wrote for the person in this Room */
const personEntity = ({ userId, username, name, givenName, familyName }: Named, agents: readonly string[]): Entity => ({
  "@id": ids.person(userId),
  "@type": "Person",
  name: shownName({ name, username }),
  identifier: userId,
  ...compact({ alternateName: name === null ? undefined : username, givenName, familyName }),
  ...(agents.length > 0 && {
    description: `Wrote here also through ${agents.map((each) => `agent ${each}`).join(", ")}.`,
  }),
})

/** A pinned commit. A SHA-1 commit also has its Software Heritage identifier. */
const softwareEntity = ({ url, commit }: { url: string; commit: string }): Entity => ({
  "@id": ids.software({ url, commit }),
  // RO-Crate 1.2 requires this type for code. The id is an address that package tools can fetch.
  "@type": ["File", "SoftwareSourceCode"],
  name: new URL(url).pathname.slice(1),
  description: "The public repository and the full commit that plans and attempts pin.",
  codeRepository: url,
  url,
  version: commit,
  ...(commit.length === 40 ? { identifier: `swh:1:rev:${commit}` } : {}),
  license: to(licenceElsewhere["@id"]),
})

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
    for (const { text, ...file } of parts)
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
