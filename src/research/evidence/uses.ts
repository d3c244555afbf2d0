/** Stores the uses of records, with a count by kind of use. */
import type { enumerations } from "../../contract/schema/enumerations.ts"
import type { NodeKind } from "../../contract/objects/objects.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { inserting, workedOut } from "../../ledger/storage/inserting.ts"

export type Use = (typeof enumerations.recordUse)[number]

/**
 * The kinds of objects that use records: nodes of the graph that name others, checkpoints, and entries that reuse a
 * record in another Thread.
 */
export type UserKind = Exclude<NodeKind, "material"> | "checkpoint" | "entry"

export interface NewUse {
  readonly targetId: string
  readonly how: Use
  readonly byKind: UserKind
  readonly byId: string
  readonly at: string
}

export function uses(db: Db) {
  const insert = inserting(db, "record_uses", {
    workedOut: {
      sequence: workedOut`1 + (SELECT coalesce(max(sequence), 0) FROM record_uses WHERE target_id = ${"targetId"})`,
    },
  })
  const remove = db.prepare("DELETE FROM record_uses WHERE target_id = +? AND how = +? AND by_id = +?")
  const count = inserting(db, "use_counts", { onConflict: "DO UPDATE SET uses = uses + excluded.uses" })
  const counts = db.prepare<{ how: Use; uses: number }>("SELECT how, uses FROM use_counts WHERE target_id = +?")

  return {
    note(use: NewUse): void {
      insert(use)
      count({ targetId: use.targetId, how: use.how, uses: 1 })
    },
    /** Removes a use that ended, such as that of an amended experiment. */
    end(targetId: string, how: Use, byId: string): void {
      const ended = remove.run(targetId, how, byId)
      if (ended > 0) count({ targetId, how, uses: -ended })
    },
    /** Stops counting a use that was withdrawn. It stays readable. */
    discount: (targetId: string, how: Use): void => void count({ targetId, how, uses: -1 }),
    /** Counts the uses of a record by kind. */
    of(targetId: string) {
      const found = new Map(counts.all(targetId).map(({ how, uses }) => [how, uses]))
      const of = (how: Use) => found.get(how) ?? 0
      return {
        premises: of("premise"),
        references: of("reference"),
        evidence: of("evidence"),
        reuses: of("reuse"),
        verdicts: of("verdict"),
        reproductions: of("reproduction"),
      }
    },
  }
}
