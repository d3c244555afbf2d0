/** The operations of the Library, in the order of the documents. */
import { filingOperations } from "./filing.ts"
import { keyOperations } from "./keys.ts"
import { readingOperations } from "./reading.ts"
import { sharingOperations, unsavePapers } from "./sharing.ts"
import { taggingOperations } from "./tagging.ts"

export const libraryOperations = [
  ...filingOperations,
  unsavePapers,
  ...taggingOperations,
  ...sharingOperations,
  ...readingOperations,
  ...keyOperations,
] as const
