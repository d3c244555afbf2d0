/** The parts of an instance that routes use. `src/app` puts the instance together. */
import type { Ledger } from "../ledger/write/admit.ts"
import type { Figures } from "../ledger/journal/figures.ts"
import type { Labels } from "../ledger/lists/labelled.ts"
import type { Ask } from "../ledger/reads/reading.ts"
import type { Withheld } from "../ledger/journal/withheld.ts"
import type { World } from "../ledger/world.ts"
import type { LibraryTables } from "../library/index.ts"
import type { Accounts } from "../people/accounts.ts"
import type { ByProvider } from "../people/by-provider.ts"
import type { Operators } from "../people/operators.ts"
import type { Audit } from "../people/audit.ts"
import type { Invitations } from "../people/invitations.ts"
import type { People } from "../people/people.ts"
import type { Sessions } from "../people/sessions.ts"
import type { Evidence } from "../research/evidence/evidence.ts"
import type { Effects } from "../research/measurements/effects.ts"
import type { GatheredEffects } from "../research/measurements/gathered.ts"
import type { GroupCurves } from "../research/measurements/group-curves.ts"
import type { MeasurementTables } from "../research/measurements/reads.ts"
import type { Experiments } from "../research/experiments/experiments.ts"
import type { Findings } from "../research/findings/findings.ts"
import type { FindingLinks } from "../research/findings/finding-links.ts"
import type { News } from "../research/inbox/news.ts"
import type { Concerning } from "../research/inbox/of-person.ts"
import type { Materials } from "../research/materials/materials.ts"
import type { Links } from "../research/links/links.ts"
import type { Reviews } from "../research/reviews/reviews.ts"
import type { Credentials } from "../rooms/credentials.ts"
import type { WebhookActions } from "../rooms/webhook-actions.ts"
import type { Members } from "../rooms/members.ts"
import type { Rooms } from "../rooms/rooms.ts"
import type { Threads } from "../threads/threads.ts"

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
  /** Answers a read. */
  readonly ask: Ask
  readonly accounts: Accounts
  /** Signs people in through the identity provider. */
  readonly byProvider: ByProvider
  readonly operators: Operators
  /** Manages the webhooks of Rooms for their owners. */
  readonly webhooks: Pick<WebhookActions, "add" | "change">
  /** What others did in a person's Rooms that concerns them, as of a time in milliseconds. */
  readonly concerning: Concerning
  /** The activity of Rooms, for feeds. */
  readonly news: News
  /** The tables for authentication, and for what pages show to the person signed in. */
  readonly tables: {
    /** Resolves the labels in the texts of a page. */
    readonly labelled: Labels
    readonly figures: Pick<Figures, "keep" | "served" | "sizesOf">
    readonly withheld: Pick<Withheld, "told" | "toldHere" | "write" | "passages">
    readonly people: People
    readonly sessions: Sessions
    readonly credentials: Credentials
    readonly library: Pick<LibraryTables, "keys" | "invitations" | "saved" | "annotations">
    readonly rooms: Rooms
    readonly members: Pick<Members, "waitingFor" | "ownsAny" | "countsOf" | "roomsOf" | "find">
    readonly invitations: Pick<Invitations, "page">
    readonly audit: Pick<Audit, "page" | "newest">
    readonly threads: Pick<Threads, "repliesTo">
    readonly links: Pick<Links, "disputesOf">
    readonly reviews: Pick<Reviews, "objectionsTo">
    readonly experiments: Pick<Experiments, "assignedTo">
    /** The next tables answer for all rows of a list in one query. */
    readonly materials: Pick<Materials, "newestOfRoom">
    readonly evidence: Pick<Evidence, "newestOn">
    readonly effects: Pick<Effects, "of">
    readonly gathered: GatheredEffects
    readonly measured: MeasurementTables
    readonly groupCurves: GroupCurves
    readonly findingLinks: Pick<FindingLinks, "verdictsOn">
    readonly findings: Pick<Findings, "ofExperiment" | "ofAttempt">
  }
}
