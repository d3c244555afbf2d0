/** The read of a Room's provenance. */
import type { ProvenanceNode } from "../../contract/schema/enumerations.ts"
import { objects } from "../../contract/objects/objects.ts"
import type { OperationName } from "../../contract/operations/index.ts"
import { pathWithin, type ReadName } from "../../contract/reads/index.ts"
import { noSuch } from "../../contract/objects/no-such.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Provenance } from "./provenance.ts"

/** The address of the full list of a kind, including nodes that were left out. */
function listedAt(kind: ProvenanceNode, roomId: string): string {
  const { by, kinds }: { by: ReadName; kinds?: OperationName } = objects[kind].graph.listed
  return pathWithin(by, roomId, kinds === undefined ? {} : { kinds })
}

export function provenanceReads({ rooms, provenance }: { rooms: Rooms; provenance: Provenance }) {
  function read(roomId: string, focus: string | undefined, depth: number | undefined, basePath: string) {
    const room = rooms.summary(roomId)
    if (room === undefined) throw noSuch("room")
    const found = focus === undefined ? provenance.ofRoom(roomId) : provenance.around(roomId, focus, depth ?? 1)
    if (found === undefined)
      throw new Refusal("room_unavailable", "Nothing in the provenance of this Room has the id in focus.")
    const { nodes, edges, cut } = found
    const truncated = Object.fromEntries(cut.map((kind) => [kind, `${basePath}${listedAt(kind, roomId)}`]))
    return { roomId, focus: focus ?? null, nodes, edges, truncated, activityWatermark: room.activityWatermark }
  }

  return {
    room_provenance({ params, query, basePath = "" }) {
      const { focus, depth } = query
      if (depth !== undefined && focus === undefined) {
        throw new Refusal("invalid_parameter", "depth says how far around focus to look: give focus with it.", {
          issues: [{ path: "/focus", message: "is required with depth" }],
        })
      }
      return read(params.roomId, focus, depth, basePath)
    },
  } satisfies Partial<Readers>
}
