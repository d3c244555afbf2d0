/** Reads of research links and finding links. */
import { noSuch } from "../../contract/objects/no-such.ts"
import { keysetPage, pageSize, uuidCursor } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Doubts } from "../findings/doubts.ts"
import type { Experiments } from "../experiments/experiments.ts"
import type { FindingLinks } from "../findings/finding-links.ts"
import type { Links } from "./links.ts"

export function linkReads(rooms: Rooms, experiments: Experiments, links: Links, findingLinks: FindingLinks, doubts: Doubts) {
  return {
    room_links({ params, query }) {
      const roomId = params.roomId
      rooms.mustExist(roomId)
      const { kind, targetVersionId, targetAuthorId, agent } = query
      const filters = {
        roomId,
        ...(kind && { kind }),
        ...(targetVersionId && { targetVersionId }),
        ...(targetAuthorId && { targetAuthorId }),
        ...(agent && { agent }),
      }
      return keysetPage(links.page(filters, uuidCursor(query.after), pageSize(query) + 1), query, ({ linkId }) => linkId)
    },

    link({ params }) {
      const id = params.linkId
      const link = links.read(id)
      if (link !== undefined) return { ...link, warnings: doubts.ofRecord(link.target.versionId, link.roomId) }
      const finding = findingLinks.read(id)
      if (finding === undefined) throw noSuch("link")
      return finding
    },

    experiment_findings({ params, query }) {
      const experimentId = params.experimentId
      if (experiments.find(experimentId) === undefined) throw noSuch("experiment")
      return keysetPage(
        findingLinks.ofExperiment(experimentId, uuidCursor(query.after), pageSize(query) + 1),
        query,
        ({ linkId }) => linkId,
      )
    },
  } satisfies Partial<Readers>
}
