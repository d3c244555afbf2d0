/** What the export of a Room has of materials: those that it registered, and those of other Rooms that it names. */
import type { MaterialSummary } from "../../contract/nouns/materials.ts"
import { parse, type Stored } from "../../contract/json.ts"
import { pageOf } from "../../contract/objects/objects.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import {
  accepted,
  type Authored,
  BY,
  compact,
  each,
  type Entity,
  type ForExport,
  ids,
  jsonLines,
  licenceElsewhere,
  PAGE,
  type Parts,
  pathOf,
  to,
  WHO,
  withJson,
} from "../export/parts.ts"

/** The columns of a row have the names and the order of its line in the export. */
type Row = Authored &
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

const ROWS = `SELECT m.material_id AS materialId, m.label, m.origin_room_id AS materialOriginRoom, m.reference,
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
const IDS = `WITH here (room_id) AS (VALUES (+?))
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

const lineOf = ({ content: _content, userId: _id, username: _name, ...row }: Row) =>
  withJson(row, ["registeredBy", "locations"])

/** Describes a material by its reference and its reported locations. The file itself is not in the crate. */
function entityOf(row: Row, baseUrl: string): Entity {
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

export function exportedMaterials({ db, record: { roomId, baseUrl, mentioned } }: ForExport) {
  const idsOf = db.prepare<{ id: string }>(IDS)
  const named = db.prepare<Row>(ROWS)
  function* rows(): Generator<Row> {
    const all = idsOf.all(roomId).map(({ id }) => id)
    for (let from = 0; from < all.length; from += PAGE) yield* named.all(JSON.stringify(all.slice(from, from + PAGE)))
  }
  return {
    materials: {
      *files() {
        for (const row of rows()) {
          const { userId, username, label, name, content } = row
          mentioned.people.set(userId, { userId, username })
          yield accepted(pathOf.material(roomId, row), `${label}: ${name}`, content)
        }
        yield jsonLines(
          "materials.jsonl",
          "Materials",
          "Every material by its reference, with the reports on its locations.",
          each(rows().map(lineOf)),
        )
      },
      described: () =>
        rows().map((row) => ({
          path: pathOf.material(roomId, row),
          members: {
            about: to(ids.material(row.materialId)),
            author: to(ids.person(row.userId)),
            dateCreated: row.registeredAt,
          },
        })),
      entities: () => rows().map((row) => entityOf(row, baseUrl)),
    },
  } satisfies Partial<Parts>
}
