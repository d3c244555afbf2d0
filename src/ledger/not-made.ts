/**
 * What no write makes, each with why: replay does not make it again, and a comparison leaves it out. It is kept as it is, and
 * checked by what it refers to.
 */
export interface NotMade {
  readonly table: string
  /** Its columns; null for all of it. */
  readonly columns: readonly string[] | null
  readonly why: string
}

export const notMade: readonly NotMade[] = [
  { table: "instance", columns: null, why: "who the instance is comes before every write" },
  { table: "earlier_instances", columns: null, why: "whom it was restored from is said of a copy, and by no write" },
  { table: "sessions", columns: null, why: "a signed-in browser comes and goes without anything being said" },
  {
    table: "provider_accounts",
    columns: null,
    why: "who somebody is elsewhere is as personal as a password, and is taken back without a trace",
  },
  { table: "papers", columns: null, why: "what arXiv says of papers is arXiv's, and can be imported again" },
  { table: "paper_misses", columns: null, why: "what arXiv did not have, remembered so that it is not asked again" },
  {
    table: "mirrors",
    columns: null,
    why: "which Rooms of other instances are followed is set by command, and how far they are moves by itself",
  },
  {
    table: "audit_entries",
    columns: null,
    why: "what happens at the door is no write, and who looked after the service is not the record's",
  },
  {
    table: "people",
    columns: ["password_hash", "signed_in_at", "count_cleared_at"],
    why: "a password is never in the history, and who comes in makes nothing",
  },
  {
    table: "credentials",
    columns: ["last_used_at", "token_start"],
    why: "reads are uses too, and are no writes; of a token nothing but a digest is in the history",
  },
  { table: "personal_keys", columns: ["last_used_at", "token_start"], why: "as of the credentials of Rooms" },
  { table: "saved_papers", columns: ["known", "title", "published_at"], why: "it follows from what arXiv's metadata is here" },
  { table: "collection_papers", columns: ["known"], why: "it follows from what arXiv's metadata is here" },
]

const wholly = new Set(notMade.filter(({ columns }) => columns === null).map(({ table }) => table))
/** Whether no row of a table is made by a write. */
export const isNotMade = (table: string): boolean => wholly.has(table)
/** The columns of a table that no write makes. */
export const columnsNotMade = (table: string): readonly string[] => notMade.find((each) => each.table === table)?.columns ?? []
