/** Advice: warnings for the sender of a write. */
import type { Domain } from "../../ledger/domains/domain.ts"
import { adviceStep } from "./warnings.ts"

export const domain = {
  steps: [adviceStep],
} satisfies Domain
