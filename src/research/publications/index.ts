/** Published records, with what has happened to them since. */
import type { Domain } from "../../ledger/domains/domain.ts"
import { type CitationTables, citations } from "../citations/citations.ts"
import { publicationReads } from "./reads.ts"

type Given = CitationTables & Omit<Parameters<typeof publicationReads>[0], "citations">

export const domain = {
  reads: [(given: Given) => publicationReads({ ...given, citations: citations(given) })],
} satisfies Domain
