/** The table that a checkpoint rests on, as a source of the numbers in its texts: its differences, and its attempts. */
import { parse } from "../../contract/json.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { KeptTables, StoredTable } from "../measurements/kept-tables.ts"
import type { Holder } from "./quantities.ts"
import type { KnownEffect } from "./scope.ts"

export interface TableSource {
  readonly effects: readonly KnownEffect[]
  /** The labels of the attempts behind it. */
  readonly attempts: readonly string[]
}
const NONE: TableSource = { effects: [], attempts: [] }

/** @returns a function that reads the table of a checkpoint, with what has moved in it since if that is asked */
export function tableSources(db: Db, keptTables: Pick<KeptTables, "shown">) {
  const ofCheckpoint = db.prepare<{ stored: StoredTable | null }>(
    "SELECT kept_table AS stored FROM checkpoints WHERE checkpoint_id = +?",
  )
  return (roomId: string, checkpointId: string, tellsMoved: boolean): TableSource => {
    const stored = ofCheckpoint.get(checkpointId)?.stored ?? null
    if (stored === null) return NONE
    const { question, kept } = parse(stored)
    const { metric, split, against = "", where = {} } = question
    const [dimension = "", ...baseline] = against.split(":")
    const groups = kept?.groups ?? []
    const moved = new Map(
      (tellsMoved ? keptTables.shown(roomId, stored).moved : []).map(({ key, settings, now }) => [
        JSON.stringify([key, settings]),
        now,
      ]),
    )
    const holder: Holder = { kind: "checkpoint", id: checkpointId, label: null }
    const figuresOf = ({ n, contrast }: (typeof groups)[number]) =>
      contrast && {
        ...{ estimate: contrast.estimate, se: contrast.se, low: contrast.low, high: contrast.high },
        ...{ df: null, p: null, unit: kept?.unit ?? null, pairs: contrast.pairs, noise: kept?.noise ?? null },
        ...{ ofCount: n, againstCount: n },
      }
    return {
      attempts: [...new Set(groups.flatMap(({ attempts }) => attempts))],
      effects: groups.flatMap((group) => {
        const before = figuresOf(group)
        const { [dimension]: own, ...rest } = group.key
        if (before === null || own === undefined) return []
        const now = moved.get(JSON.stringify([group.key, group.settings]))
        const effect = {
          ...{ metric, ...(split !== undefined && { split }), of: { [dimension]: own } },
          ...{ against: { [dimension]: baseline.join(":") }, where: { ...where, ...rest } },
        }
        const present = now === undefined ? before : now && figuresOf(now)
        return [{ holder, effect, before, now: present, hasMoved: now !== undefined }]
      }),
    }
  }
}
