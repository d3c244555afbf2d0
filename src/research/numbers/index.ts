/** Numbers: what the numbers of a text are in the record. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import type { Labels } from "../../ledger/lists/labelled.ts"
import type { KeptTables } from "../measurements/kept-tables.ts"
import type { Values } from "../measurements/values.ts"
import { numbers } from "./numbers.ts"
import { numberReads } from "./reads.ts"

export interface Tables extends Ground {
  readonly values: Values
  readonly labelled: Labels
  readonly keptTables: KeptTables
}

export const domain = {
  tables: [({ db, values, labelled, keptTables }: Tables) => ({ numbers: numbers(db, values, labelled, keptTables) })],
  reads: [numberReads],
} satisfies Domain
