/** The parts of the Library that an instance is composed of: its tables, its operations and its reads. */
import type { People } from "../people/people.ts"
import { annotationOperations } from "./annotation-operations.ts"
import { filingOperations } from "./filing-operations.ts"
import { keyOperations } from "./key-operations.ts"
import { sharingOperations } from "./sharing-operations.ts"
import { tagOperations } from "./tag-operations.ts"
import type { LibraryTables } from "./tables.ts"

export { libraryTables, type LibraryTables } from "./tables.ts"
export { libraryReads } from "./reads.ts"
export { metadataIntake, libraryActs } from "./papers/intake.ts"
export { readPapers } from "./reading.ts"
export type { Found } from "./papers/found.ts"

export const libraryOperations = (tables: LibraryTables, people: People) => ({
  ...filingOperations(tables),
  ...sharingOperations({ ...tables, people }),
  ...annotationOperations(tables),
  ...keyOperations(tables),
  ...tagOperations(tables),
})
