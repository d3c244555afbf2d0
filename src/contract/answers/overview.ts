/** What the reads that look across everything answer: search, and the provenance of a Room. */
import * as v from "valibot"
import { count, id, optionalText as text, said } from "./fields.ts"
import { cslAuthor, described } from "./description.ts"
import { author, schemaVersion } from "./parts.ts"
import { enumerations } from "../schema/enumerations.ts"
import { fromOtherRoom } from "./evidence.ts"
import { shape } from "../schema/fields.ts"

export const searchHit = shape({
  kind: v.picklist(enumerations.searchKind),
  id,
  label: text,
  /** The one line that says what it is: the wording of a record, the question of an experiment (and of its attempts), the summary of a plan, the title of a Thread (and of its messages), a conclusion, the title of a Room, the name of a person. */
  title: said,
  /** Where it was said; null for a person. A Room stands in no Thread. */
  roomId: text,
  threadId: text,
  /** Its place in the timeline; null for a Thread, a Room and a person. */
  entryId: text,
  /** Who said it; of a person, the person. */
  author,
  at: v.string(),
  /** How a record stands now; null for everything else. */
  status: v.nullable(v.picklist(enumerations.recordStatus)),
  /** HTML: the passage found, everything in it escaped but `<mark>` and `</mark>` around the words. */
  snippet: v.string(),
  /** How it stands now: of a record its status, of an experiment or attempt its own, of a finding link its verdict, of a link its kind, of a checkpoint its state. */
  standing: text,
  /** What replaced a record. */
  replacedBy: v.nullable(shape({ versionId: id, label: v.string(), ...fromOtherRoom })),
})

const provenanceNode = shape({
  id,
  kind: v.picklist(enumerations.provenanceNode),
  label: text,
  title: said,
  /** Where it was made; nodes of other Rooms stand in the graph where this Room names them. */
  roomId: id,
  ...fromOtherRoom,
  /** The standing of a record, the status of an experiment or attempt, the obtainability of a material, `withdrawn` of a link that was taken back: its edges no longer count. */
  status: text,
  /** The outcome of a finding or attempt, the verdict of a finding link toward the question. */
  outcome: text,
})
const provenanceEdge = shape({ from: id, to: id, kind: v.picklist(enumerations.provenanceEdge) })

export const provenance = shape({
  schemaVersion,
  roomId: id,
  focus: v.nullable(id),
  nodes: v.array(provenanceNode),
  /** Each leads from what was made later to what it speaks of, rests on or was made with. */
  edges: v.array(provenanceEdge),
  /** For each kind of node that was cut to its newest, where all of them are listed. */
  truncated: v.record(v.string(), v.string()),
  activityWatermark: count,
})

/** How a Room is cited. */
export const roomCitation = shape({
  schemaVersion,
  key: v.string(),
  title: said,
  /** Its owner first, then members by when they joined. */
  authors: v.array(v.string()),
  /** The same people, with all that they say of how they want to be cited. */
  people: v.array(shape({ userId: id, username: v.string(), ...described })),
  /** An SPDX id; null: nobody has stated a licence. */
  license: text,
  createdAt: v.string(),
  /** The entry of the activity through which it is cited. */
  throughSequence: count,
  url: v.string(),
})
export const roomCslItems = v.array(
  v.looseObject({
    id: v.string(),
    type: v.literal("collection"),
    title: v.string(),
    author: v.array(cslAuthor),
    issued: v.looseObject({ "date-parts": v.array(v.array(count)) }),
    URL: v.string(),
  }),
)
