/** Reads of materials. */
import { known } from "../../contract/objects/no-such.ts"
import { idPage } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Materials } from "./materials.ts"

export function materialReads({ rooms, materials }: { rooms: Rooms; materials: Materials }) {
  return {
    room_materials({ params, query }) {
      rooms.mustExist(params.roomId)
      return idPage(
        query,
        (after, count) => materials.ofRoom(params.roomId, after, count),
        ({ materialId }) => materialId,
      )
    },
    materials: ({ query }) =>
      idPage(
        query,
        (after, count) => materials.page(query.valuesDigest, after, count),
        ({ materialId }) => materialId,
      ),
    material: ({ params }) => known("material", materials.read(params.materialId)),
  } satisfies Partial<Readers>
}
