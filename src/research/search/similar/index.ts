/** Similar records, which the answers to some writes list. */
import type { Domain, Ground } from "../../../ledger/domains/domain.ts"
import type { Experiments } from "../../experiments/experiments.ts"
import { extrasFinders, similarReads } from "./reads.ts"
import { similar } from "./similar.ts"

function tables({ db, now, experiments }: Ground & { readonly experiments: Experiments }) {
  const known = similar(db, now)
  return { similar: known, extras: extrasFinders(known, experiments) }
}

export const domain = {
  tables: [tables],
  reads: [similarReads],
} satisfies Domain
