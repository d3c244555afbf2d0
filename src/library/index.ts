/** The Library as the instance puts it together: its tables, what its operations do, what its reads answer. */
import type { Db } from "../ledger/database.ts"
import type { People } from "../people/people.ts"
import { annotationOperations } from "./annotation-operations.ts"
import { annotations } from "./annotations.ts"
import { collections } from "./collections.ts"
import { filingOperations } from "./filing-operations.ts"
import { collectionInvitations } from "./invitations.ts"
import { keyOperations } from "./key-operations.ts"
import { keys } from "./keys.ts"
import { notes } from "./notes.ts"
import { metadata } from "./papers/metadata.ts"
import { papers } from "./papers/papers.ts"
import { saved } from "./saved.ts"
import { sharingOperations } from "./sharing-operations.ts"

export { libraryReads } from "./reads.ts"

export type LibraryTables = ReturnType<typeof libraryTables>

export const libraryTables = (db: Db) => ({
  papers: papers(db),
  metadata: metadata(db),
  saved: saved(db),
  collections: collections(db),
  notes: notes(db),
  invitations: collectionInvitations(db),
  keys: keys(db),
  annotations: annotations(db),
})

export const libraryOperations = (tables: LibraryTables, people: People) => ({
  ...filingOperations(tables),
  ...sharingOperations({ ...tables, people }),
  ...annotationOperations(tables),
  ...keyOperations(tables),
})
