/** Reads of what bears on a record, and of who uses it. */
import { Refusal } from "../../contract/refusals.ts"
import { Page, pageSize } from "../../ledger/paging.ts"
import type { Readers } from "../../ledger/reading.ts"
import type { Evidence } from "./evidence.ts"

export function evidenceReads({ evidence }: { readonly evidence: Evidence }) {
  /** A page of a list that goes back in time. */
  function page<Row extends { readonly sequence: number }>(
    versionId: string | undefined,
    query: { limit?: number; after?: number },
    find: (versionId: string, before: number | undefined, count: number) => Row[],
  ): Page {
    if (versionId === undefined || !evidence.knows(versionId)) throw new Refusal("unknown_record", "There is no such record.")
    const size = pageSize(query)
    const rows = find(versionId, query.after, size + 1)
    const shown = rows.slice(0, size)
    return new Page(shown, rows.length > size, rows.length > size ? (shown.at(-1)?.sequence ?? null) : null)
  }

  return {
    record_evidence: ({ params, query }) => page(params.versionId, query, evidence.bearingOn),
    record_uses: ({ params, query }) => page(params.versionId, query, evidence.usesOf),
  } satisfies Partial<Readers>
}
