/** Exports of Rooms. */
import type { Domain } from "../../ledger/domains/domain.ts"
import type { Exports } from "./exports.ts"

export const domain = {
  reads: [({ exports }: { exports: Exports }) => exports.reads()],
} satisfies Domain
