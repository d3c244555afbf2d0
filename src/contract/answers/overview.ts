/** The answers of the reads that span everything: search, provenance, and the citation of a Room. */
import * as v from "valibot"
import { count, id, optionalText as text, freeText } from "./fields.ts"
import { cslItemsOf, described } from "./description.ts"
import { author, schemaVersion } from "./parts.ts"
import { enumerations } from "../schema/enumerations.ts"
import { fromOtherRoom } from "./evidence.ts"
import { shape } from "../schema/fields.ts"

export const searchHit = shape({
  kind: v.picklist(enumerations.searchKind),
  id,
  label: text,
  /**
   * A one-line title: the wording of a record, the question of an experiment (and of its attempts), the summary of a
   * plan, the title of a Thread (and of its messages), a conclusion, the title of a Room, the name of a person.
   */
  title: freeText,
  /** Where it was written; null for a person. A Room has no Thread. */
  roomId: text,
  threadId: text,
  /** Its entry in the timeline; null for a Thread, a Room and a person. */
  entryId: text,
  /** Who wrote it; for a person, the person. */
  author,
  at: v.string(),
  /** The present status of a record; null for everything else. */
  status: v.nullable(v.picklist(enumerations.recordStatus)),
  /** HTML: the matching passage, escaped except for `<mark>` and `</mark>` around the words. */
  snippet: v.string(),
  /**
   * Its present state: the status of a record, experiment or attempt, the verdict of a finding link, the kind of a
   * link, the state of a checkpoint.
   */
  standing: text,
  /** For a finding: its present effects, in a sentence each. */
  effects: v.exactOptional(v.array(freeText)),
  replacedBy: v.nullable(shape({ versionId: id, label: v.string(), ...fromOtherRoom })),
})

const provenanceNode = shape({
  id,
  kind: v.picklist(enumerations.provenanceNode),
  label: text,
  title: freeText,
  /** The Room in which it was made. Nodes of other Rooms are in the graph if this Room names them. */
  roomId: id,
  ...fromOtherRoom,
  /**
   * The standing of a record, the status of an experiment or attempt, the obtainability of a material; `withdrawn` for
   * a link whose author withdrew it: its edges no longer count.
   */
  status: text,
  /** The outcome of a finding or attempt, the verdict of a finding link on the question. */
  outcome: text,
})
const provenanceEdge = shape({ from: id, to: id, kind: v.picklist(enumerations.provenanceEdge) })

export const provenance = shape({
  schemaVersion,
  roomId: id,
  focus: v.nullable(id),
  nodes: v.array(provenanceNode),
  /** Each edge points from what was made later to what it is about, rests on or was made with. */
  edges: v.array(provenanceEdge),
  /** For each kind of node that was cut to its newest, the list with all of them. */
  truncated: v.record(v.string(), v.string()),
  activityWatermark: count,
})

export const roomCitation = shape({
  schemaVersion,
  key: v.string(),
  title: freeText,
  /** Its owner first, then the members in the order in which they joined. */
  authors: v.array(v.string()),
  /** The same people, with everything about how they want to be cited. */
  people: v.array(shape({ userId: id, username: v.string(), ...described })),
  /** An SPDX id; null if no licence is stated. */
  license: text,
  createdAt: v.string(),
  /** The last entry of the activity that the citation covers. */
  throughSequence: count,
  url: v.string(),
})
export const roomCslItems = cslItemsOf("collection", {})
