/** Reads of materials. */
import { noSuch } from "../../contract/objects/no-such.ts"
import { keysetPage, pageSize, uuidCursor } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Materials } from "./materials.ts"

export function materialReads(rooms: Rooms, materials: Materials) {
  return {
    room_materials({ params, query }) {
      rooms.mustExist(params.roomId)
      const found = materials.ofRoom(params.roomId, uuidCursor(query.after), pageSize(query) + 1)
      return keysetPage(found, query, ({ materialId }) => materialId)
    },
    materials({ query }) {
      return keysetPage(
        materials.page(query.valuesDigest, uuidCursor(query.after), pageSize(query) + 1),
        query,
        ({ materialId }) => materialId,
      )
    },
    material({ params }) {
      const material = materials.read(params.materialId)
      if (material === undefined) throw noSuch("material")
      return material
    },
  } satisfies Partial<Readers>
}
