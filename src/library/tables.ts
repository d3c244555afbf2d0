/** The tables of the Library. */
import type { Db } from "../ledger/storage/database.ts"
import { annotations, notes } from "./annotations.ts"
import { collections, collectionInvitations } from "./collections.ts"
import { keys } from "./keys.ts"
import { names } from "./names/names.ts"
import { metadata } from "./papers/record.ts"
import { papers } from "./papers/papers.ts"
import { saved, tags } from "./saved.ts"

export type LibraryTables = ReturnType<typeof libraryTables>

export const libraryTables = (db: Db) => ({
  papers: papers(db),
  names: names(db),
  metadata: metadata(db),
  saved: saved(db),
  tags: tags(db),
  collections: collections(db),
  notes: notes(db),
  invitations: collectionInvitations(db),
  keys: keys(db),
  annotations: annotations(db),
})
