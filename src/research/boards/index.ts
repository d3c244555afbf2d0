/** Boards. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import type { Values } from "../measurements/values.ts"
import { boards } from "./boards.ts"
import { boardOperations } from "./operations.ts"
import { boardReads } from "./reads.ts"
import { boardStandings } from "./standings.ts"

export const domain = {
  tables: [
    ({ db, values }: Ground & { values: Values }) => ({
      boards: boards(db),
      boardStandings: boardStandings(db, values),
    }),
  ],
  operations: [boardOperations],
  reads: [boardReads],
} satisfies Domain
