/** What several objects of research have in common. */

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
/** Of what has an entry and does not keep the place of its write. */
export const byEntry = "(SELECT e.history_position FROM timeline_entries e WHERE e.entry_id = x.entry_id)"
/** What a record names: others, each for a purpose or as evidence. */
export const named = {
  to: "record",
  says: { sql: "coalesce(x.purpose, x.part)" },
  table: "record_references",
  by: "to_version_id",
  where: "x.part IN ('premise', 'reference', 'evidence')",
} as const
export const recordParts = ["record_references", "concepts", "record_papers"] as const

export const inRoom = { kindIn: null, room: "room_id", deletable: false, isPublic: true } as const
