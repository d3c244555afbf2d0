/** A running service: data opened, instance built, edge listening. What `serve`, `demo` and the test instance start. */
import { join } from "node:path"
import type { Logger } from "pino"
import { createApp } from "./http/app.ts"
import { listen, serveOn } from "./http/server.ts"
import { createInstance, type Instance } from "./instance.ts"
import { openData } from "./ledger/data.ts"
import { own } from "./ledger/ownership.ts"
import type { World } from "./ledger/world.ts"
import { ArxivClerk } from "./library/papers/arxiv.ts"
import { configuredCheck, type RepositorySettings } from "./repositories/configured.ts"
import { softwareVersion } from "./version.ts"

export interface ServiceOptions {
  /** The folder of the data; made when it does not exist. */
  readonly data: string
  readonly host: string
  /** 0 lets the system pick one. */
  readonly port: number
  /** Where people and agents reach the service; left out, the address it listens on. */
  readonly baseUrl?: string | undefined
  readonly log: Logger
  /** Where pinned repositories are looked up. */
  readonly repositories: Omit<RepositorySettings, "now">
  /** Where arXiv is asked about papers; left out, nobody is. `pause`: milliseconds between requests, for tests. */
  readonly arxiv?: { readonly api: string; readonly pause?: number } | null
  /** Left out: time, ids and chance as they are. */
  readonly world?: World
  /** Fills a new instance before the first request is taken. */
  readonly prepare?: (instance: Instance, baseUrl: string) => Promise<void>
}

export interface Service {
  readonly baseUrl: string
  /** The one it listens on. */
  readonly port: number
  readonly instance: Instance
  /** The one-time link by which the first person is made; null once somebody exists. */
  readonly setUpLink: string | null
  /** Finishes what is under way and closes the database. */
  close(): Promise<void>
}

/** An address as it stands in a URL. */
const urlHost = (host: string) => (host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host)

/**
 * Starts the service.
 * @throws DataError when the data cannot be opened or another process serves it
 * @throws ListenError when the address cannot be listened on
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  // What a start that fails half-way leaves behind, undone in the opposite order.
  using started = new DisposableStack()
  started.defer(own(options.data))
  const { db, world, instanceId, aside } = openData(join(options.data, "research-room.db"), options.world)
  started.defer(() => db.close())
  const { server, port } = await listen(options.host, options.port)
  started.defer(() => server.close())

  const baseUrl = options.baseUrl?.replace(/\/+$/, "") ?? `http://${urlHost(options.host)}:${port}`
  const repositories = configuredCheck({ ...options.repositories, now: () => world.now() })
  const instance = createInstance({ db, world, instanceId, repositories, aside })
  await options.prepare?.(instance, baseUrl)
  const stop = serveOn(server, createApp({ instance, baseUrl, softwareVersion, log: options.log }), baseUrl)
  const clerk = options.arxiv
    ? new ArxivClerk({
        ...options.arxiv,
        ledger: instance.ledger,
        world,
        papers: instance.tables.library.papers,
        metadata: instance.tables.library.metadata,
        log: options.log,
      })
    : null
  clerk?.start()
  const token = instance.accounts.openSetUp()
  const running = started.move()
  return {
    baseUrl,
    port,
    instance,
    setUpLink: token === null ? null : `${baseUrl}/setup?token=${token}`,
    async close() {
      instance.ledger.watch.close()
      await stop()
      await clerk?.close()
      running.dispose()
    },
  }
}
