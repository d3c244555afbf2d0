/**
 * The domains of an instance. Tables of a domain may use those of the domains before it, and the steps that follow a
 * write are done in this order.
 */
import { type Domain, domain as ledger } from "../../ledger/domains/domain.ts"
import { domain as library } from "../../library/index.ts"
import { domain as people } from "../../people/accounts.ts"
import { research } from "../../research/index.ts"
import { domain as rooms } from "../../rooms/index.ts"
import { domain as threads } from "../../threads/threads.ts"
import { administrationReads } from "./administration.ts"

const administration = { reads: [administrationReads] } satisfies Domain

export const domains = [ledger, people, rooms, threads, ...research, library, administration] as const
