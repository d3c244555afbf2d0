/** The parts of an instance that routes use. `src/app` puts the instance together. */
import type { Ledger } from "../ledger/write/ledger.ts"
import type { Ask } from "../ledger/reads/reading.ts"
import type { World } from "../ledger/world.ts"
import type { TablesOf } from "../ledger/domains/domain.ts"
import type { domain as ledger } from "../ledger/domains/ledger.ts"
import type { domain as library } from "../library/index.ts"
import type { Accounts } from "../people/accounts.ts"
import type { ByProvider } from "../people/by-provider.ts"
import type { domain as people } from "../people/index.ts"
import type { Operators } from "../people/operators.ts"
import type { research } from "../research/index.ts"
import type { News } from "../research/inbox/news.ts"
import type { Concerning } from "../research/inbox/of-person.ts"
import type { domain as rooms } from "../rooms/index.ts"
import type { WebhookActions } from "../rooms/webhook-actions.ts"
import type { domain as threads } from "../threads/index.ts"

/** The tables of the domains, for authentication and for what pages show to the person signed in. */
type Tables = TablesOf<[typeof ledger, typeof people, typeof rooms, typeof threads, ...typeof research, typeof library]>

export interface Instance {
  readonly instanceId: string
  /** The instances it was restored from, oldest first. */
  readonly lineage: readonly string[]
  readonly world: World
  /** The latest time given to a write that the clock has not reached; null if there is none. */
  readonly datedAhead: () => string | null
  readonly ledger: Ledger
  /** Resolves when the search index holds all earlier writes. */
  readonly indexed: () => Promise<void>
  readonly ask: Ask
  readonly accounts: Accounts
  readonly byProvider: ByProvider
  readonly operators: Operators
  readonly webhooks: WebhookActions
  /** What others did in a person's Rooms that concerns them, as of a time in milliseconds. */
  readonly concerning: Concerning
  /** The activity of Rooms, for feeds. */
  readonly news: News
  readonly tables: Tables
}
