/** Finds the doubts about a record or a plan, for the receipt of a write and for every later read. */
import type { WarningCode } from "../../contract/schema/enumerations.ts"
import type { Warning } from "../../contract/answers/warnings.ts"
import { fromOtherRoom } from "../../ledger/lists/other-room.ts"
import type { Evidence } from "../evidence/evidence.ts"
import type { Plans } from "../experiments/plans.ts"
import type { Findings } from "./findings.ts"

interface Tables {
  readonly evidence: Evidence
  readonly plans: Plans
  readonly findings: Findings
}

/** Keeps the first warning about each record that has fallen or is doubted. */
export function eachOnce(warnings: readonly Warning[]): Warning[] {
  const seen = new Set<string>()
  return warnings.filter(({ code, versionId }) => {
    if (typeof versionId !== "string" || !/^(?:rests_on|plan_rests_on|names)_/.test(code)) return true
    return seen.size < seen.add(versionId).size
  })
}

export type Doubts = ReturnType<typeof doubts>

export function doubts({ evidence, plans, findings }: Tables) {
  /** Returns the doubts about the hypotheses and premises of a plan. */
  function ofPlan(planId: string | undefined | null, seenFrom: string): Warning[] {
    const plan = planId === undefined || planId === null ? undefined : plans.foundation(planId)
    if (plan === undefined) return []
    const { planId: id, label, roomId, position, hypotheses, premises } = plan
    const shownPlan = { planId: id, label, ...fromOtherRoom(roomId, seenFrom) }
    return evidence
      .doubtsAmong([...hypotheses, ...premises.map(({ versionId }) => versionId)], seenFrom, position)
      .map((doubt) =>
        doubt.code === "rests_on_more"
          ? doubt
          : {
              ...doubt,
              code: `plan_${doubt.code}` as WarningCode,
              message: `${label} ${doubt.message.slice("It ".length)}`,
              direct: false,
              plan: shownPlan,
              through: shownPlan,
            },
      )
  }
  return {
    ofPlan,
    /** Returns the doubts about what a record rests on, itself or through its plans. */
    ofRecord: (versionId: string, roomId: string): Warning[] =>
      eachOnce([
        ...evidence.doubtsOf(versionId, roomId),
        ...findings.plansOf(versionId).flatMap((planId) => ofPlan(planId, roomId)),
      ]),
  }
}
