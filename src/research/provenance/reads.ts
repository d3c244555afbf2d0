/** The read of a Room's provenance. */
import type { ProvenanceNode } from "../../contract/enumerations.ts"
import type { OperationName } from "../../contract/operations/index.ts"
import { pathTo } from "../../contract/reads/index.ts"
import { Refusal } from "../../contract/refusals.ts"
import type { Readers } from "../../ledger/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Provenance } from "./provenance.ts"

interface Parts {
  readonly rooms: Rooms
  readonly provenance: Provenance
}

/** Where the nodes of each kind are listed page by page, those that were cut included. */
function pagedAt(roomId: string): Record<ProvenanceNode, string> {
  const publications = pathTo("room_publications", { roomId })
  const landed = (kinds: OperationName) => pathTo("room_activity", { roomId }, { kinds })
  return {
    hypothesis: pathTo("hypotheses", {}, { roomId }),
    experiment: pathTo("experiments", {}, { roomId }),
    plan: landed("accept_plan"),
    attempt: pathTo("attempts", {}, { roomId }),
    finding: publications,
    cited_claim: publications,
    material: pathTo("room_materials", { roomId }),
    finding_link: landed("link_experiment_finding"),
    link: pathTo("room_links", { roomId }),
  }
}

export function provenanceReads({ rooms, provenance }: Parts) {
  function read(roomId: string, focus: string | undefined, depth: number | undefined, basePath: string) {
    const room = rooms.summary(roomId)
    if (room === undefined) throw new Refusal("room_unavailable", "There is no such Room.")
    const found = focus === undefined ? provenance.ofRoom(roomId) : provenance.around(roomId, focus, depth ?? 1)
    if (found === undefined) throw new Refusal("room_unavailable", "Nothing in the provenance of this Room has the id in focus.")
    const { nodes, edges, cut } = found
    const paths = pagedAt(roomId)
    const truncated = Object.fromEntries(cut.map((kind) => [kind, `${basePath}${paths[kind]}`]))
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
