/** What someone needs to judge a record or a checkpoint. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import type { Evidence } from "../evidence/evidence.ts"
import { changed } from "./changed.ts"
import { judging, judgingReads } from "./judging.ts"

export const domain = {
  tables: [
    ({ db, evidence }: Ground & { evidence: Evidence }) => ({ judging: judging(db, evidence), changed: changed(db) }),
  ],
  reads: [judgingReads],
} satisfies Domain
