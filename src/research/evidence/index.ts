/** What bears on each record. */
import { noSuch } from "../../contract/objects/no-such.ts"
import { keysetPage, pageSize } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import { type Evidence, evidence } from "./evidence.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"

// Reads of the evidence about a record, and of its uses.

function evidenceReads({ evidence }: { evidence: Evidence }) {
  /** Returns a page of a list, newest first. */
  function page<Row extends { readonly sequence: number }>(
    versionId: string,
    query: { limit?: number; after?: number },
    find: (versionId: string, before: number | undefined, count: number) => Row[],
  ) {
    if (!evidence.knows(versionId)) throw noSuch("record")
    return keysetPage(find(versionId, query.after, pageSize(query) + 1), query, ({ sequence }) => sequence)
  }

  return {
    record_evidence: ({ params, query }) => page(params.versionId, query, evidence.bearingOn),
    record_uses: ({ params, query }) => page(params.versionId, query, evidence.usesOf),
  } satisfies Partial<Readers>
}

export const domain = {
  tables: [({ db }: Ground) => ({ evidence: evidence(db) })],
  reads: [evidenceReads],
} satisfies Domain
