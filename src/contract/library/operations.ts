/** The operations of the Library, in the order of the documents. */
import { filingOperations } from "./filing.ts"
import { keyOperations } from "./keys.ts"
import { readingOperations } from "./reading.ts"
import { sharingOperations } from "./sharing.ts"

export const libraryOperations = [
  ...filingOperations,
  ...sharingOperations,
  ...readingOperations,
  ...keyOperations,
] as const
