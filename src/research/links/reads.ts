/** Reads of research links, finding links and reviews. */
import { noSuch } from "../../contract/objects/no-such.ts"
import { keysetPage, pageSize, uuidCursor } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Doubts } from "../findings/doubts.ts"
import type { Experiments } from "../experiments/experiments.ts"
import type { FindingLinks } from "../findings/finding-links.ts"
import type { Reviews } from "../reviews/reviews.ts"
import type { Links } from "./links.ts"

interface Tables {
  readonly rooms: Rooms
  readonly experiments: Experiments
  readonly links: Links
  readonly findingLinks: FindingLinks
  readonly reviews: Reviews
  readonly doubts: Doubts
}

export function linkReads({ rooms, experiments, links, findingLinks, reviews, doubts }: Tables) {
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
      const link = links.read(params.linkId)
      if (link !== undefined) return { ...link, warnings: doubts.ofRecord(link.target.versionId, link.roomId) }
      const other = findingLinks.read(params.linkId) ?? reviews.read(params.linkId)
      if (other === undefined) throw noSuch("link")
      return other
    },

    room_reviews({ params: { roomId }, query }) {
      rooms.mustExist(roomId)
      const { target, verdict, agent } = query
      const filters = { roomId, ...(target && { target }), ...(verdict && { verdict }), ...(agent && { agent }) }
      return keysetPage(reviews.page(filters, uuidCursor(query.after), pageSize(query) + 1), query, ({ linkId }) => linkId)
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
