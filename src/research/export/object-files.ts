/** Describes the files of a crate in its metadata: their kind, author and page. */
import type { JsonObject } from "../../contract/json.ts"
import { pageOf } from "../../contract/objects/objects.ts"
import type { CrateFile } from "./contents.ts"
import { type Entity, ids, linkMembers, authorship, planMembers, recordMembers, to } from "./entities.ts"
import { pathOf } from "./paths.ts"
import type { ExportedRoom } from "./room.ts"
import type { Written } from "./zip.ts"

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
