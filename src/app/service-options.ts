/** The options of a service. */
import type { Admits, Entrance } from "../edge/sign-in-options.ts"
import type { OnProgress } from "../ledger/replay/replay.ts"
import type { World } from "../ledger/world.ts"
import type { CrossrefSettings } from "../library/papers/fetcher.ts"
import { Provider, type ProviderSettings } from "../people/provider/provider.ts"
import { Encrypter } from "../people/provider/encrypter.ts"
import type { RepositorySettings } from "../repositories/configured.ts"
import type { Instance } from "./compose/instance.ts"
import type { PastNumbers } from "./past/pasts.ts"
import type { EdgeOptions } from "./serving/parts.ts"
import type { ReadingTimes } from "./threads/reader.ts"
import type { SendingSettings } from "./webhooks/sending.ts"

export interface ServiceOptions extends EdgeOptions {
  /** The data folder; created if it does not exist. */
  readonly data: string
  readonly host: string
  /** 0 lets the system choose one. */
  readonly port: number
  /** The public address of the service; by default the one it listens on. */
  readonly baseUrl?: string | undefined
  /** How pinned repositories are checked. */
  readonly repositories: Omit<RepositorySettings, "now">
  /**
   * The APIs of arXiv and Crossref; by default neither is called. `pause`: milliseconds between requests, for tests.
   */
  readonly arxiv?: { readonly api: string; readonly pause?: number } | null
  readonly crossref?: (CrossrefSettings & { readonly pause?: number }) | null
  /** The limits of past states, if not those of the contract. */
  readonly pasts?: PastNumbers | undefined
  /** How people sign in; by default with passwords, and owners invite people. */
  readonly entrance?: EntranceSettings | undefined
  /** The source of time, ids and chance; by default the real one. */
  readonly world?: World
  /**
   * How many threads make pages, render texts and give expensive answers; by default this thread does. They do not use
   * `world`.
   */
  readonly threads?: number | undefined
  /** The time limits of these threads, if not those of the contract. */
  readonly times?: Partial<ReadingTimes> | undefined
  /** The addresses that webhooks may reach, and the pauses between retries; by default public addresses. */
  readonly webhooks?: Partial<SendingSettings> | undefined
  /**
   * The control socket of the Litestream that started this process. Each write is answered after Litestream has copied
   * it.
   */
  readonly replicated?: string | undefined
  /** Reports progress while data of an earlier version is upgraded. */
  readonly onForward?: OnProgress
  /** Fills a new instance before the first request. */
  readonly prepare?: (instance: Instance, baseUrl: string) => Promise<void>
}

export type EntranceSettings = Omit<Entrance, "provider"> & {
  readonly provider?: Omit<ProviderSettings, "backTo"> & { readonly admits: Admits }
}

/** The path to which the provider returns the browser. */
const RETURN_PATH = "/sign-in/provider/back"

/** @returns an empty object for the default ways to sign in */
export function entranceAt(
  baseUrl: string,
  world: World,
  entrance: EntranceSettings | undefined,
): { entrance?: Entrance } {
  if (entrance === undefined) return {}
  const { provider, ...rest } = entrance
  if (provider === undefined) return { entrance: rest }
  const { admits, ...settings } = provider
  const client = new Provider({ ...settings, backTo: `${baseUrl}${RETURN_PATH}` })
  return { entrance: { ...rest, provider: { provider: client, encrypter: new Encrypter(() => world.now()), admits } } }
}
