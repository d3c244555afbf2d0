/** Attempts: what they reported, their logs and curves, and the tables that compare them. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import type { Attachments } from "../../ledger/journal/attachments.ts"
import { attempts } from "./attempts.ts"
import { comparingReads } from "./comparing-reads.ts"
import { curves } from "./curves.ts"
import { events } from "./events.ts"
import { logReads, logs } from "./logs.ts"
import { openingOperations } from "./opening.ts"
import { attemptOperations } from "./operations.ts"
import { attemptReads } from "./reads.ts"
import { attemptTables } from "./table.ts"

export const domain = {
  tables: [
    ({ db, basePath, attachments }: Ground & { attachments: Attachments }) => ({
      attempts: attempts(db, basePath),
      events: events(db),
      logs: logs(db, attachments),
      curves: curves(db),
      attemptTables: attemptTables(db),
    }),
  ],
  operations: [attemptOperations, openingOperations],
  reads: [attemptReads, logReads, comparingReads],
} satisfies Domain
