/** The inbox: the entries of a Room that concern an agent, and the news of a person's Rooms. */
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import type { Labels } from "../../ledger/lists/labelled.ts"
import { concerns } from "./concerns.ts"
import { news } from "./news.ts"
import { concerning } from "./of-person.ts"
import { inboxReads } from "./reads.ts"

/** The entries that concern a person, and the news of their Rooms. */
export const newsOf = (sources: Parameters<typeof concerning>[0] & Parameters<typeof news>[0]) => ({
  concerning: concerning(sources),
  news: news(sources),
})

export const domain = {
  tables: [({ db, labelled }: Ground & { labelled: Labels }) => ({ concerns: concerns(db, labelled) })],
  reads: [inboxReads],
} satisfies Domain
