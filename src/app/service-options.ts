/** The options of a service. */
import type { Admits, Entrance } from "../edge/sign-in-options.ts"
import type { OnProgress } from "../ledger/replay/replay.ts"
import type { World } from "../ledger/world.ts"
import type { CrossrefSettings } from "../library/papers/crossref.ts"
import type { ProviderSettings } from "../people/provider/provider.ts"
import type { RepositorySettings } from "../repositories/configured.ts"
import type { Instance } from "./compose/instance.ts"
import type { PastNumbers } from "./past/pasts.ts"
import type { EdgeOptions } from "./serving/parts.ts"
import type { ReadingTimes } from "./threads/reader.ts"
import type { SendingSettings } from "./webhooks/sending.ts"

export interface ServiceOptions extends EdgeOptions {
  /** The folder of the data; made when it does not exist. */
  readonly data: string
  readonly host: string
  /** 0 lets the system pick one. */
  readonly port: number
  /** Where people and agents reach the service; left out, the address it listens on. */
  readonly baseUrl?: string | undefined
  /** Where pinned repositories are looked up. */
  readonly repositories: Omit<RepositorySettings, "now">
  /** Where arXiv and Crossref are asked about papers; left out, they are not. `pause`: milliseconds between requests, for tests. */
  readonly arxiv?: { readonly api: string; readonly pause?: number } | null
  readonly crossref?: (CrossrefSettings & { readonly pause?: number }) | null
  /** How far may be looked back, and how much of that is kept, where not by the contract's numbers. */
  readonly pasts?: PastNumbers | undefined
  /** How people come in; left out, by their passwords, and owners invite. */
  readonly entrance?: EntranceSettings | undefined
  /** Left out: time, ids and chance as they are. */
  readonly world?: World
  /** A thread of its own admits writes, so that readers never wait for the disk; left out, this one does. That thread has no part in `world`. */
  readonly writer?: "thread" | undefined
  /** How many threads make pages, render texts and give expensive answers; left out, this one does all that. Not for a `world` of its own either. */
  readonly threads?: number | undefined
  /** How long they may take, and are kept without work; left out, as the contract says. */
  readonly times?: Partial<ReadingTimes> | undefined
  /** Where webhooks may be sent to, and how long is paused between tries; left out, public addresses. */
  readonly webhooks?: Partial<SendingSettings> | undefined
  /** The control socket of the Litestream that started this process: what is written is answered once it is in its copy. */
  readonly replicated?: string | undefined
  /** Told while data of an earlier version is brought forward. */
  readonly onForward?: OnProgress
  /** Fills a new instance before the first request is taken. */
  readonly prepare?: (instance: Instance, baseUrl: string) => Promise<void>
}

export type EntranceSettings = Omit<Entrance, "provider"> & {
  readonly provider?: Omit<ProviderSettings, "backTo"> & { readonly admits: Admits }
}
