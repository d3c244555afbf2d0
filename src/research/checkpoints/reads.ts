/** The read of the table that a Room rests its answer on. */
import { limits } from "../../contract/limits.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import { keptTableInWords } from "../measurements/kept-in-words.ts"
import type { KeptTables } from "../measurements/kept-tables.ts"
import type { Checkpoints } from "./checkpoints.ts"

interface Tables {
  readonly rooms: Rooms
  readonly checkpoints: Checkpoints
  readonly keptTables: KeptTables
}

export function checkpointReads({ rooms, checkpoints, keptTables }: Tables) {
  function tableOf(roomId: string) {
    const chosen = checkpoints.tableOfRoom(roomId)
    if (chosen !== undefined) {
      const from = { kind: "checkpoint" as const, id: chosen.checkpointId, label: null }
      return { from, table: keptTables.shown(roomId, chosen.keptTable) }
    }
    const newest = keptTables.ofNewestFinding(roomId)
    if (newest === undefined) return { from: null, table: null }
    const { versionId, label } = newest.finding
    return { from: { kind: "finding" as const, id: versionId, label }, table: newest.table }
  }
  return {
    room_table({ params: { roomId }, query }) {
      rooms.mustExist(roomId)
      const { from, table } = tableOf(roomId)
      if (query.format !== "markdown") return { roomId, from, table }
      return table === null ? "Nothing is measured.\n" : `${keptTableInWords(table, limits.documentBytes)}\n`
    },
  } satisfies Partial<Readers>
}
