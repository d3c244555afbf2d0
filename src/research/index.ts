/** Research: the list of its domains. Tables of a domain may use those of the domains before it. */
import { domain as advice } from "./advice/index.ts"
import { domain as attempts } from "./attempts/index.ts"
import { domain as boards } from "./boards/index.ts"
import { domain as brief } from "./brief/index.ts"
import { domain as checkpoints } from "./checkpoints/index.ts"
import { domain as citations } from "./citations/index.ts"
import { domain as claims } from "./claims/index.ts"
import { domain as contexts } from "./contexts/index.ts"
import { domain as evidence } from "./evidence/index.ts"
import { domain as experiments } from "./experiments/index.ts"
import { domain as exported } from "./export/index.ts"
import { domain as findings } from "./findings/index.ts"
import { domain as inbox } from "./inbox/index.ts"
import { domain as judging } from "./judging/index.ts"
import { domain as links } from "./links/index.ts"
import { domain as materials } from "./materials/index.ts"
import { domain as measurements } from "./measurements/index.ts"
import { domain as numbers } from "./numbers/index.ts"
import { domain as provenance } from "./provenance/index.ts"
import { domain as publications } from "./publications/index.ts"
import { domain as records } from "./records/index.ts"
import { domain as reviews } from "./reviews/index.ts"
import { domain as search } from "./search/index.ts"
import { domain as similar } from "./search/similar/index.ts"

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
  publications,
  citations,
  inbox,
  brief,
  contexts,
  search,
  similar,
  provenance,
  exported,
] as const
