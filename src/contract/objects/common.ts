/** What several kinds of objects share. */

/** An object without a label, a page, or a place in the graph. */
const plain = {
  label: null,
  page: null,
  read: null,
  kindIn: null,
  room: null,
  of: {},
  madeAt: null,
  moves: [],
  parts: [],
  isSearched: false,
  exported: null,
  graph: null,
} as const
export const ofPerson = { ...plain, deletable: true, isPublic: false } as const
export const inRoom = {
  ...plain,
  room: "room_id",
  madeAt: "history_position",
  deletable: false,
  isPublic: true,
  isSearched: true,
} as const
export const record = {
  ...inRoom,
  id: "versionId",
  page: "/records",
  read: "record",
  table: "records",
  key: "version_id",
  kindIn: "kind",
  line: "wording",
  unknown: "unknown_record",
  exported: "made",
} as const
/** The journal position of an object whose table holds its entry instead. */
export const byEntry = "(SELECT e.history_position FROM timeline_entries e WHERE e.entry_id = x.entry_id)"
/** The references of a record to others, each for a purpose or as evidence. */
export const named = {
  to: "record",
  says: { sql: "coalesce(x.purpose, x.part)" },
  table: "record_references",
  by: "to_version_id",
  where: "x.part IN ('premise', 'reference', 'evidence')",
} as const
export const recordParts = ["record_references", "concepts", "record_papers"] as const
