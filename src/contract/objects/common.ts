/** What several objects of research share. */

export const record = {
  id: "versionId",
  page: "/records",
  read: "record",
  table: "records",
  key: "version_id",
  kindIn: "kind",
  room: "room_id",
  of: {},
  line: "wording",
  madeAt: "history_position",
  moves: [],
  deletable: false,
  unknown: "unknown_record",
  isPublic: true,
  isSearched: true,
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

export const inRoom = { kindIn: null, room: "room_id", deletable: false, isPublic: true } as const
