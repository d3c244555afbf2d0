/** The behaviours that register materials and report their locations. */
import { present } from "../../contract/present.ts"
import { known } from "../../contract/objects/no-such.ts"
import { behaviour, madeBy } from "../../ledger/journal/behaviour.ts"
import { fromOtherRoom } from "../../ledger/lists/other-room.ts"
import { threadSubject } from "../../threads/operations.ts"
import type { Threads } from "../../threads/threads.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Materials } from "./materials.ts"

export function materialOperations({
  rooms,
  threads,
  materials,
}: {
  rooms: Rooms
  threads: Threads
  materials: Materials
}) {
  const register_material = behaviour("register_material", {
    subject({ body }) {
      // The default is the Room's opening Thread.
      return threadSubject(threads, body.threadId ?? known("room", rooms.openingThread(body.roomId)), body.roomId)
    },
    write(call, subject, change) {
      const { actor, body } = call
      const { roomId, threadId } = subject
      const { at, entryId } = change
      const known = materials.withReference(body.reference, roomId)
      const materialId = known?.materialId ?? change.newId()
      const label = known?.label ?? change.label("material")
      if (known === undefined) materials.insert({ ...body, ...madeBy(call, subject, change), materialId, label })
      materials.enterRoom({ roomId, materialId, threadId, entryId, registeredAt: at })
      if (body.location !== undefined)
        materials.report({ materialId, reporterId: actor.userId, roomId, at, uri: body.location, state: "available" })
      const origin = fromOtherRoom(known?.originRoomId ?? roomId, roomId)
      return {
        target: { id: materialId, label, ...origin },
        result: { materialId, label, existing: known !== undefined, ...origin },
      }
    },
  })

  const report_material_location = behaviour("report_material_location", {
    subject({ actor, body }) {
      const place = known("material", materials.place(body.materialId))
      // If several Rooms registered the material, the report goes to the credential's Room, or to one that the person
      // belongs to.
      const own = actor.grant?.roomId ?? materials.roomOf(actor.userId, body.materialId)
      const ownThread = own === undefined ? undefined : materials.threadIn(own, body.materialId)
      const roomId = own !== undefined && ownThread !== undefined ? own : place.originRoomId
      const threadId = ownThread ?? materials.threadIn(place.originRoomId, body.materialId)
      return { roomId, threadId, place }
    },
    write({ actor, body }, { roomId, place: { label, originRoomId } }, { at }) {
      const { materialId } = body
      materials.report({ ...body, reporterId: actor.userId, roomId, at })
      const { obtainability } = present(materials.summary(materialId))
      const origin = fromOtherRoom(originRoomId, roomId)
      return { target: { id: materialId, label, ...origin }, result: { materialId, label, obtainability, ...origin } }
    },
  })

  return { register_material, report_material_location }
}
