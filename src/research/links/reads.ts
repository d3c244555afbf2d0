/** Reads of research links, finding links and reviews. */
import { known } from "../../contract/objects/no-such.ts"
import { idPage } from "../../ledger/lists/paging.ts"
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
      rooms.mustExist(params.roomId)
      return idPage(
        query,
        (after, count) => links.page({ ...query, ...params }, after, count),
        ({ linkId }) => linkId,
      )
    },

    link({ params }) {
      const link = links.read(params.linkId)
      if (link !== undefined) return { ...link, warnings: doubts.ofRecord(link.target.versionId, link.roomId) }
      return known("link", findingLinks.read(params.linkId) ?? reviews.read(params.linkId))
    },

    room_reviews({ params, query }) {
      rooms.mustExist(params.roomId)
      return idPage(
        query,
        (after, count) => reviews.page({ ...query, ...params }, after, count),
        ({ linkId }) => linkId,
      )
    },

    experiment_findings({ params, query }) {
      const { experimentId } = known("experiment", experiments.find(params.experimentId))
      return idPage(
        query,
        (after, count) => findingLinks.ofExperiment(experimentId, after, count),
        ({ linkId }) => linkId,
      )
    },
  } satisfies Partial<Readers>
}
