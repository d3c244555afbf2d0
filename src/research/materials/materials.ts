/** The rows of materials, the Rooms that registered them, their location reports, and their summaries. */
import type { LocationState, Obtainability } from "../../contract/schema/enumerations.ts"
import type { Author, Person } from "../../contract/answers/parts.ts"
import { fitting, JsonText, parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { MaterialAnswer, MaterialSummary } from "../../contract/nouns/materials.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting, type NewRow, workedOut } from "../../ledger/storage/inserting.ts"
import { filteredList, idPage } from "../../ledger/lists/paging.ts"
import { fromOtherRoom } from "../../ledger/lists/labelled.ts"
import { type Made, behaviour, madeBy } from "../../ledger/journal/behaviour.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { AUTHOR, authorIn } from "../../ledger/journal/actor.ts"
import { present } from "../../contract/typed.ts"
import { known } from "../../ledger/write/references.ts"
import { threadSubject, type Threads } from "../../threads/threads.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { pageOf } from "../../contract/objects/objects.ts"
import { compact, type Entity, ids, licenceElsewhere, to } from "../export/entities.ts"
import type { Authored, ForExport, Parts } from "../export/parts.ts"
import { accepted, BY, linesOf, jsonLines, PAGE, pathOf, WHO, withJson } from "../export/parts.ts"

// Derives whether people can obtain a material from its location reports.

/** The parts of a report that count. */
export interface Report {
  readonly reporterId: string
  readonly uri: string
  readonly state: LocationState
  readonly observedDigest: string | null
}

const meanings: Record<LocationState, Obtainability> = {
  available: "obtainable",
  restricted: "restricted",
  unavailable: "unobtainable",
}
/** The states in order of precedence: the first that any report has decides. */
const order: readonly LocationState[] = ["available", "restricted", "unavailable"]

/**
 * Considers the newest report of each reporter on each URI. The material is `disputed` if reports on one URI disagree
 * about the state or the digest, or if a digest differs from the reference. Otherwise one URI that has it is enough.
 * @param reports oldest first
 * @param digest the digest in the reference, or null
 */
export function obtainabilityOf(reports: readonly Report[], digest: string | null): Obtainability {
  const newest = [...new Map(reports.map((report) => [`${report.reporterId} ${report.uri}`, report])).values()]
  if (newest.length === 0) return "unreported"
  const states = new Map<string, LocationState>()
  const digests = new Map<string, string>()
  for (const { uri, state, observedDigest } of newest) {
    if ((states.get(uri) ?? state) !== state) return "disputed"
    states.set(uri, state)
    if (observedDigest === null) continue
    // A pinned reference has no digest, and each URI may have it packed differently.
    if (observedDigest !== (digest ?? digests.get(uri) ?? observedDigest)) return "disputed"
    digests.set(uri, observedDigest)
  }
  const reported = new Set(states.values())
  return meanings[order.find((state) => reported.has(state)) ?? "unavailable"]
}

type NewMaterial = Made & Omit<NewRow<"materials">, "originRoomId" | "knownIn" | "registeredBy" | "registeredAt">

type Row = Omit<MaterialSummary, "labelFromOtherRoom" | "digest" | "registeredBy" | "obtainability"> &
  Author & {
    /** Unordered. */
    readonly reports: Stored<(Report & { readonly sequence: number })[]>
  }
type Location = MaterialAnswer["locations"][number]
type UseRow = MaterialAnswer["consumedBy"]["items"][number] & { readonly written: number }

/** Returns the digest in a reference; null for a pinned reference, which has none. */
const digestOfReference = (reference: string) => (reference.startsWith("sha256:") ? reference : null)

/** Sorts reports here, because SQLite would build a temporary table to sort those of each material in a list. */
const oldestFirst = (reports: Row["reports"]) => parse(reports).sort((one, other) => one.sequence - other.sequence)

/** @param roomId the Room that shows it; null outside of Rooms */
function shown(row: Row, roomId: string | null): MaterialSummary {
  const { materialId, label, materialOriginRoom, reference, name, description, mediaType, sizeBytes, valuesDigest } =
    row
  const digest = digestOfReference(reference)
  return {
    materialId,
    label,
    materialOriginRoom,
    // Unlike other objects, a material always has this member.
    labelFromOtherRoom: false,
    ...fromOtherRoom(materialOriginRoom, roomId),
    reference,
    digest,
    name,
    description,
    mediaType,
    sizeBytes,
    valuesDigest,
    registeredBy: authorIn(row),
    registeredAt: row.registeredAt,
    contentDigest: row.contentDigest,
    obtainability: obtainabilityOf(oldestFirst(row.reports), digest),
  }
}

/** The number of uses of each kind that a material's read shows. The totals count all uses. */
const USES = 50

const COLUMNS = `m.material_id AS materialId, m.label, m.origin_room_id AS materialOriginRoom, m.reference, m.name,
    m.description,
    m.media_type AS mediaType, m.size_bytes AS sizeBytes, m.values_digest AS valuesDigest,
    ${AUTHOR("m")},
    m.registered_at AS registeredAt, m.content_digest AS contentDigest,
    (SELECT json_group_array(json_object('sequence', l.sequence, 'reporterId', l.reporter_id, 'uri', l.uri, 'state',
      l.state, 'observedDigest', l.observed_digest))
     FROM material_reports l WHERE l.material_id = m.material_id) AS reports`
const TABLES = "materials m JOIN people p ON p.user_id = m.registered_by"
const SUMMARY = `SELECT ${COLUMNS} FROM ${TABLES}`

/**
 * The instance that a Room came from, empty for this one. Two instances may register the same reference independently.
 */
const KNOWN_IN = "coalesce((SELECT known_in FROM imported_rooms WHERE room_id = +?), '')"

export type Materials = ReturnType<typeof materials>

export function materials(db: Db) {
  const insert = inserting(db, "materials", { workedOut: { knownIn: { sql: KNOWN_IN, from: ["originRoomId"] } } })
  const insertReport = inserting(db, "material_reports", {
    workedOut: {
      sequence: workedOut`(SELECT coalesce(max(sequence), 0) + 1
        FROM material_reports
        WHERE material_id = ${"materialId"})`,
    },
  })
  const byReference = db.prepare<{ materialId: string; label: string; originRoomId: string }>(
    `SELECT material_id AS materialId, label, origin_room_id AS originRoomId
      FROM materials
      WHERE reference = +? AND known_in = ${KNOWN_IN}`,
  )
  const place = db.prepare<{ originRoomId: string; label: string; reference: string }>(
    "SELECT origin_room_id AS originRoomId, label, reference FROM materials WHERE material_id = +?",
  )
  const inRoom = db.prepare<{ threadId: string }>(
    "SELECT thread_id AS threadId FROM room_materials WHERE room_id = +? AND material_id = +?",
  )
  const ofMember = db.prepare<{ roomId: string }>(
    `SELECT x.room_id AS roomId
      FROM members m
      JOIN rooms r ON r.room_id = m.room_id
      JOIN room_materials x ON x.room_id = m.room_id
     WHERE m.user_id = +? AND x.material_id = +? ORDER BY r.state, x.entry_id LIMIT 1`,
  )
  const one = db.prepare<Row & { readonly content: Stored<MaterialAnswer["content"]> }>(
    `SELECT ${COLUMNS}, ${contentOf("m")} AS content FROM ${TABLES} WHERE m.material_id = +?`,
  )
  const summary = db.prepare<Row>(`${SUMMARY} WHERE m.material_id = +?`)
  const ofRoom = db.prepare<Row>(
    `${SUMMARY}
      JOIN room_materials x ON x.material_id = m.material_id
      WHERE x.room_id = +? AND x.material_id > +?
      ORDER BY x.material_id
      LIMIT +?`,
  )
  const newestOfRoom = db.prepare<Row>(
    `${SUMMARY}
      JOIN room_materials x ON x.material_id = m.material_id
      WHERE x.room_id = +?
      ORDER BY x.material_id DESC
      LIMIT +?`,
  )
  const list = filteredList<Row>(db, SUMMARY, { valuesDigest: "m.values_digest" }, "m.material_id")
  const reports = db.prepare<Omit<Location, "reporter"> & Person>(
    `SELECT l.reporter_id AS userId, p.username, l.room_id AS roomId, l.at, l.uri, l.state,
        l.observed_digest AS observedDigest, l.explanation
      FROM material_reports l
      JOIN people p ON p.user_id = l.reporter_id
      WHERE l.material_id = +?
      ORDER BY l.sequence DESC
      LIMIT 500`,
  )
  /**
   * Reads the uses of one kind: their total number, and the first of them, oldest first. They are read in the order of
   * an index, so that a material with very many uses needs no sort.
   */
  function using(uses: string, users: string, key: string, name: string, order: string) {
    const first = db.prepare<UseRow>(
      `SELECT x.${key} AS id, x.label, x.room_id AS roomId, u.${name} AS name, x.history_position AS written
        FROM ${uses} u
        CROSS JOIN ${users} x USING (${key})
       WHERE u.material_id = +? ORDER BY ${order} LIMIT ${USES}`,
    )
    const all = db.prepare<{ total: number }>(`SELECT count(*) AS total FROM ${uses} WHERE material_id = +?`)
    return (materialId: string, seenFrom: string) => ({
      total: all.one(materialId).total,
      items: first
        .all(materialId)
        .sort((one, other) => one.written - other.written)
        .map(({ id, label, roomId, name }) => ({ id, label, roomId, name, ...fromOtherRoom(roomId, seenFrom) })),
    })
  }
  const consumed = using("attempt_inputs", "attempts", "attempt_id", "name", "u.attempt_id, u.position")
  const produced = using("attempt_outputs", "attempts", "attempt_id", "output_label", "u.rowid")
  const required = using("plan_materials", "plans", "plan_id", "purpose", "u.plan_id, u.position")

  return {
    insert(made: NewMaterial): void {
      insert({ ...made, originRoomId: made.roomId, registeredBy: made.authorId, registeredAt: made.at })
    },
    /** Registers a material in a Room. Only the first call has an effect. */
    enterRoom: inserting(db, "room_materials", { onConflict: "DO NOTHING" }),
    report: insertReport,

    /** Returns the material with a reference, as the instance that the Room came from knows it. */
    withReference: (reference: string, roomId: string) => byReference.get(reference, roomId),
    /** Returns the Room and label of a material; undefined if there is none. */
    place(materialId: string) {
      const row = place.get(materialId)
      return row && { originRoomId: row.originRoomId, label: row.label, digest: digestOfReference(row.reference) }
    },
    /** Returns the Thread in which a Room registered a material; undefined if it did not. */
    threadIn: (roomId: string, materialId: string): string | undefined => inRoom.get(roomId, materialId)?.threadId,
    /** Returns the first Room of a person that registered a material, an active one if possible. */
    roomOf: (userId: string, materialId: string): string | undefined => ofMember.get(userId, materialId)?.roomId,

    summary(materialId: string, roomId: string | null = null) {
      const row = summary.get(materialId)
      return row && shown(row, roomId)
    },
    /** Returns a whole material with its reports, newest first, and its uses. */
    read(materialId: string) {
      const row = one.get(materialId)
      if (row === undefined) return undefined
      const locations = reports
        .all(materialId)
        .map(({ userId, username, ...location }): Location => ({ reporter: { userId, username }, ...location }))
      return {
        ...shown(row, null),
        content: new JsonText(row.content),
        locations: fitting(locations, limits.innerListBytes),
        consumedBy: consumed(materialId, row.materialOriginRoom),
        producedBy: produced(materialId, row.materialOriginRoom),
        requiredBy: required(materialId, row.materialOriginRoom),
      }
    },
    ofRoom: (roomId: string, after: string | undefined, count: number) =>
      ofRoom.all(roomId, after ?? "", count).map((row) => shown(row, roomId)),
    /** Returns the newest materials of a Room in the order they were registered. */
    newestOfRoom: (roomId: string, count: number) =>
      newestOfRoom
        .all(roomId, count)
        .reverse()
        .map((row) => shown(row, roomId)),
    page: (valuesDigest: string | undefined, after: string | undefined, count: number) =>
      list({ valuesDigest }, after, count).map((row) => shown(row, null)),
  }
}

// The behaviours that register materials and report their locations.

export function materialOperations({
  rooms,
  threads,
  materials,
}: {
  rooms: Rooms
  threads: Threads
  materials: Materials
}) {
  const register_material = behaviour("register_material", {
    subject({ body }) {
      // The default is the Room's opening Thread.
      return threadSubject(threads, body.threadId ?? known("room", rooms.openingThread(body.roomId)), body.roomId)
    },
    write(call, subject, change) {
      const { actor, body } = call
      const { roomId, threadId } = subject
      const { at, entryId } = change
      const known = materials.withReference(body.reference, roomId)
      const materialId = known?.materialId ?? change.newId()
      const label = known?.label ?? change.label("material")
      if (known === undefined) materials.insert({ ...body, ...madeBy(call, subject, change), materialId, label })
      materials.enterRoom({ roomId, materialId, threadId, entryId, registeredAt: at })
      if (body.location !== undefined)
        materials.report({ materialId, reporterId: actor.userId, roomId, at, uri: body.location, state: "available" })
      const origin = fromOtherRoom(known?.originRoomId ?? roomId, roomId)
      return {
        target: { id: materialId, label, ...origin },
        result: { materialId, label, existing: known !== undefined, ...origin },
      }
    },
  })

  const report_material_location = behaviour("report_material_location", {
    subject({ actor, body }) {
      const place = known("material", materials.place(body.materialId))
      // If several Rooms registered the material, the report goes to the credential's Room, or to one that the person
      // belongs to.
      const own = actor.grant?.roomId ?? materials.roomOf(actor.userId, body.materialId)
      const ownThread = own === undefined ? undefined : materials.threadIn(own, body.materialId)
      const roomId = own !== undefined && ownThread !== undefined ? own : place.originRoomId
      const threadId = ownThread ?? materials.threadIn(place.originRoomId, body.materialId)
      return { roomId, threadId, place }
    },
    write({ actor, body }, { roomId, place: { label, originRoomId } }, { at }) {
      const { materialId } = body
      materials.report({ ...body, reporterId: actor.userId, roomId, at })
      const { obtainability } = present(materials.summary(materialId))
      const origin = fromOtherRoom(originRoomId, roomId)
      return { target: { id: materialId, label, ...origin }, result: { materialId, label, obtainability, ...origin } }
    },
  })

  return { register_material, report_material_location }
}

// Reads of materials.

export function materialReads({ rooms, materials }: { rooms: Rooms; materials: Materials }) {
  return {
    room_materials({ params, query }) {
      rooms.mustExist(params.roomId)
      return idPage(
        query,
        (after, count) => materials.ofRoom(params.roomId, after, count),
        ({ materialId }) => materialId,
      )
    },
    materials: ({ query }) =>
      idPage(
        query,
        (after, count) => materials.page(query.valuesDigest, after, count),
        ({ materialId }) => materialId,
      ),
    material: ({ params }) => known("material", materials.read(params.materialId)),
  } satisfies Partial<Readers>
}

// What the export of a Room has of materials: those that it registered, and those of other Rooms that it names.

/** The columns of a row have the names and the order of its line in the export. */
type ExportedRow = Authored &
  Pick<
    MaterialSummary,
    | "materialId"
    | "label"
    | "materialOriginRoom"
    | "reference"
    | "name"
    | "description"
    | "mediaType"
    | "sizeBytes"
    | "registeredAt"
  > & {
    /** Location reports, oldest first. */
    readonly locations: Stored<{ readonly uri: string; readonly state: string }[]>
  }

const EXPORTED = `SELECT m.material_id AS materialId, m.label, m.origin_room_id AS materialOriginRoom, m.reference,
    m.name, m.description, m.media_type AS mediaType, m.size_bytes AS sizeBytes,
    m.values_digest AS valuesDigest, ${BY} AS registeredBy, m.registered_at AS registeredAt,
    m.content_digest AS contentDigest,
    (SELECT json_group_array(json_object('reporterId', y.reporter_id, 'reporter', u.username, 'at', y.at, 'uri', y.uri,
      'state', y.state, 'observedDigest', y.observed_digest, 'explanation', y.explanation) ORDER BY y.sequence)
      FROM material_reports y
      JOIN people u ON u.user_id = y.reporter_id
      WHERE y.material_id = m.material_id) AS locations, ${contentOf("m")} AS content, ${WHO}
  FROM json_each(+?) x
  JOIN materials m ON m.material_id = x.value
  JOIN people p ON p.user_id = m.registered_by
  ORDER BY m.material_id`
const EXPORTED_IDS = `WITH here (room_id) AS (VALUES (+?))
  SELECT x.material_id AS id FROM here JOIN room_materials x USING (room_id)
  UNION SELECT i.material_id FROM here JOIN attempts a USING (room_id) JOIN attempt_inputs i USING (attempt_id)
  UNION SELECT o.material_id
  FROM here
  JOIN attempts a USING (room_id)
  JOIN attempt_outputs o USING (attempt_id)
  WHERE o.material_id IS NOT NULL
  UNION SELECT q.material_id FROM here JOIN plans n USING (room_id) JOIN plan_materials q USING (plan_id)
  UNION SELECT f.material_id FROM here JOIN records r USING (room_id) JOIN finding_materials f USING (version_id)
  UNION SELECT v.material_id
  FROM here
  JOIN records r USING (room_id)
  JOIN finding_evidence v USING (version_id)
  WHERE v.material_id IS NOT NULL
  ORDER BY id`

const lineOf = ({ content: _content, userId: _id, username: _name, ...row }: ExportedRow) =>
  withJson(row, ["registeredBy", "locations"])

/** Describes a material by its reference and its reported locations. The file itself is not in the crate. */
function entityOf(row: ExportedRow, baseUrl: string): Entity {
  const available = parse(row.locations)
    .filter(({ state }) => state === "available")
    .map(({ uri }) => uri)
  return {
    "@id": ids.material(row.materialId),
    "@type": "File",
    name: row.name,
    identifier: row.reference,
    url: `${baseUrl}${pageOf("material", row.materialId)}`,
    subjectOf: to("materials.jsonl"),
    license: to(licenceElsewhere["@id"]),
    ...compact({
      alternateName: row.label,
      description: row.description ?? undefined,
      encodingFormat: row.mediaType ?? undefined,
      contentSize: row.sizeBytes === null ? undefined : String(row.sizeBytes),
      sha256: row.reference.startsWith("sha256:") ? row.reference.slice("sha256:".length) : undefined,
      contentUrl: [...new Set(available)],
    }),
  }
}

function exportedMaterials({ db, record: { roomId, baseUrl, mentioned } }: ForExport) {
  const idsOf = db.prepare<{ id: string }>(EXPORTED_IDS)
  const named = db.prepare<ExportedRow>(EXPORTED)
  function* rows(): Generator<ExportedRow> {
    const all = idsOf.all(roomId).map(({ id }) => id)
    for (let from = 0; from < all.length; from += PAGE) yield* named.all(JSON.stringify(all.slice(from, from + PAGE)))
  }
  return {
    materials: {
      *files() {
        for (const row of rows()) {
          const { materialId, userId, username, label, name, registeredAt, content } = row
          mentioned.people.set(userId, { userId, username })
          yield accepted(pathOf.material(roomId, row), `${label}: ${name}`, content, () => ({
            members: { about: to(ids.material(materialId)), author: to(ids.person(userId)), dateCreated: registeredAt },
          }))
        }
        yield jsonLines(
          "materials.jsonl",
          "Materials",
          "Every material by its reference, with the reports on its locations.",
          linesOf(rows().map(lineOf)),
        )
      },
      entities: () => rows().map((row) => entityOf(row, baseUrl)),
    },
  } satisfies Partial<Parts>
}

export const domain = {
  tables: [({ db }: Ground) => ({ materials: materials(db) })],
  operations: [materialOperations],
  reads: [materialReads],
  exported: [exportedMaterials],
} satisfies Domain
