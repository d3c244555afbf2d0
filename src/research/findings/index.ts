/** Findings, their links to experiments, and the doubts about them. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import type { Evidence } from "../evidence/evidence.ts"
import type { Plans } from "../experiments/plans.ts"
import type { Materials } from "../materials/materials.ts"
import { doubts } from "./doubts.ts"
import { findingLinks } from "./finding-links.ts"
import { findings } from "./findings.ts"
import { publicationOperations } from "./operations.ts"

export interface Earlier {
  readonly evidence: Evidence
  readonly materials: Materials
  readonly plans: Plans
}

function tables({ db, evidence, materials, plans }: Ground & Earlier) {
  const known = findings(db, materials)
  return { findings: known, doubts: doubts({ evidence, plans, findings: known }), findingLinks: findingLinks(db) }
}

export const domain = {
  tables: [tables],
  operations: [publicationOperations],
} satisfies Domain
