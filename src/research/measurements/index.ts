/** Measured values: their tables, and the effects that are worked out from them. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import type { Curves } from "../attempts/curves.ts"
import { effects } from "./effects.ts"
import { gatheredEffects } from "./gathered.ts"
import { groupCurves } from "./group-curves.ts"
import { keptTables } from "./kept-tables.ts"
import { movedEffects } from "./moved-effects.ts"
import { ledger } from "./ledger.ts"
import { measurementReads, measurementTables } from "./reads.ts"
import { repeatedEffects } from "./repeated-effects.ts"
import { reproductionEffects } from "./effect-reproductions.ts"
import { effectSources } from "./sources.ts"
import { values } from "./values.ts"
import { workingOut } from "./working-out.ts"

function tables({ db, curves }: Ground & { readonly curves: Curves }) {
  const measuredValues = values(db)
  const measured = measurementTables(db, measuredValues)
  const workedOut = workingOut(measuredValues)
  const repeated = repeatedEffects(db)
  return {
    values: measuredValues,
    measured,
    keptTables: keptTables(db, measured, measuredValues),
    groupCurves: groupCurves(measuredValues, curves),
    effects: effects(db, measuredValues, repeated, measured),
    gathered: gatheredEffects(db),
    runLedger: ledger(db),
    effectSources: effectSources(db),
    movedEffects: movedEffects(db, workedOut, repeated),
    reproductionEffects: reproductionEffects(db, workedOut, repeated, measuredValues),
  }
}

export const domain = {
  tables: [tables],
  reads: [measurementReads],
} satisfies Domain
