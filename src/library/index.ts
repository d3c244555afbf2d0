/** The Library: people's papers, their Collections, notes and annotations, and the keys of their tools. */
import type { Domain, Ground } from "../ledger/domains/domain.ts"
import type { People } from "../people/people.ts"
import { annotationOperations, keyOperations, tagOperations } from "./operations.ts"
import { filingOperations } from "./filed.ts"
import { libraryReads } from "./reads.ts"
import { sharingOperations } from "./sharing-operations.ts"
import { type LibraryTables, libraryTables } from "./tables.ts"

export { metadataIntake, libraryActs, type Found } from "./papers/found.ts"
export { readPapers } from "./reading.ts"
export type { LibraryTables }

export interface Given {
  readonly library: LibraryTables
  readonly people: People
}

export const domain = {
  tables: [({ db }: Ground) => ({ library: libraryTables(db) })],
  operations: [
    ({ library, people }: Given) => ({
      ...filingOperations(library),
      ...sharingOperations({ ...library, people }),
      ...annotationOperations(library),
      ...keyOperations(library),
      ...tagOperations(library),
    }),
  ],
  reads: [({ library }: Given) => libraryReads(library)],
} satisfies Domain
