/** Research: the list of its domains. Tables of a domain may use those of the domains before it. */
import { domain as advice } from "./advice/warnings.ts"
import { domain as attempts } from "./attempts/operations.ts"
import { domain as boards } from "./boards/boards.ts"
import { domain as brief } from "./brief/reads.ts"
import { domain as checkpoints } from "./checkpoints/checkpoints.ts"
import { domain as citations } from "./citations/citations.ts"
import { domain as claims } from "./claims/claims.ts"
import { domain as contexts } from "./contexts/reads.ts"
import { domain as evidence } from "./evidence/evidence.ts"
import { domain as experiments } from "./experiments/operations.ts"
import { domain as exported } from "./export/exports.ts"
import { domain as findings } from "./findings/operations.ts"
import { domain as inbox } from "./inbox/inbox.ts"
import { domain as judging } from "./judging/judging.ts"
import { domain as links } from "./links/operations.ts"
import { domain as materials } from "./materials/materials.ts"
import { domain as measurements } from "./measurements/index.ts"
import { domain as numbers } from "./numbers/numbers.ts"
import { domain as provenance } from "./provenance/provenance.ts"
import { domain as records } from "./records/publish.ts"
import { domain as reviews } from "./reviews/reviews.ts"
import { domain as search } from "./search/search.ts"
import { domain as similar } from "./search/similar/similar.ts"

export const research = [
  records,
  evidence,
  materials,
  experiments,
  attempts,
  measurements,
  numbers,
  findings,
  links,
  reviews,
  checkpoints,
  judging,
  boards,
  advice,
  claims,
  citations,
  inbox,
  brief,
  contexts,
  search,
  similar,
  provenance,
  exported,
] as const
