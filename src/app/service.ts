/** A running service: data opened, instance built, edge listening. What `serve`, `demo` and the test instance start. */
import { basePathOf } from "../contract/base-path.ts"
import { createApp } from "./serving/surface.ts"
import type { Admits, Entrance } from "../edge/sign-in-options.ts"
import { Metrics } from "../edge/telemetry/metrics.ts"
import { listen, serveOn } from "../http/server.ts"
import { createInstance, type Instance } from "./compose/instance.ts"
import { cratesOf } from "../research/index.ts"
import { isEarlier, openForward } from "./compose/upgrade.ts"
import { Litestream } from "./replication/litestream.ts"
import { Replication } from "./replication/replication.ts"
import { isReplicated, markReplicated, notAlone, wasCutOff } from "../ledger/storage/litestream-files.ts"
import { databaseFile } from "../ledger/storage/data.ts"
import { DataError, fill, leaveSyncing, openDatabase } from "../ledger/storage/opening.ts"
import { lockFolder } from "../ledger/storage/ownership.ts"
import { latestSchema } from "../ledger/storage/schema.ts"
import { OpenedFiles } from "../ledger/storage/opened-files.ts"
import { Readiness } from "../ledger/reads/readiness.ts"
import type { OnProgress } from "../ledger/replay/replay.ts"
import { truncateWal, type WatchReadings, watchLimits, DiskWatch } from "../ledger/storage/disk-watch.ts"
import type { World } from "../ledger/world.ts"
import { ArxivClient } from "../library/papers/arxiv.ts"
import { Provider, type ProviderSettings } from "../people/provider/provider.ts"
import { Sealer } from "../people/provider/sealed.ts"
import { configuredCheck, type RepositorySettings } from "../repositories/configured.ts"
import { OnThisThread } from "../renderer/engines.ts"
import { Renderer } from "../renderer/renderer.ts"
import { restMemory } from "./threads/memory.ts"
import { addressAt, budgetsHere, type EdgeOptions, edgeParts } from "./serving/parts.ts"
import { isLogEmptied } from "../ledger/storage/residue.ts"
import { keepClean } from "./serving/keep-clean.ts"
import { Mirroring } from "./mirrors/mirrors.ts"
import type { PastNumbers } from "./past/pasts.ts"
import { pastsInProcess } from "./past/past-process.ts"
import type { ReadingTimes } from "./threads/reader.ts"
import { readerPool } from "./threads/reader-pool.ts"
import { Writer } from "./threads/writer.ts"

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
  /** Where arXiv is asked about papers; left out, nobody is. `pause`: milliseconds between requests, for tests. */
  readonly arxiv?: { readonly api: string; readonly pause?: number } | null
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

/** The way back from the provider, which it has to know. */
const BACK = "/sign-in/provider/back"

/** The doors, with the provider's one at an address. */
function entranceAt(baseUrl: string, world: World, given: EntranceSettings | undefined): { entrance?: Entrance } {
  if (given === undefined) return {}
  const { provider, ...rest } = given
  if (provider === undefined) return { entrance: rest }
  const { admits, ...settings } = provider
  const made = new Provider({ ...settings, backTo: `${baseUrl}${BACK}` })
  return { entrance: { ...rest, provider: { provider: made, sealer: new Sealer(() => world.now()), admits } } }
}

export interface Service {
  readonly baseUrl: string
  /** The one it listens on. */
  readonly port: number
  readonly instance: Instance
  /** The one-time link by which the first person is made; null once somebody exists. */
  readonly setUpLink: string | null
  /** Settles when the service can no longer do its work; it then wants to be closed. */
  readonly broken: Promise<void>
  /** The data's files, as they were opened. */
  readonly files: OpenedFiles
  /** What was last seen of the data's files and their disk. */
  readonly readings: () => WatchReadings
  /** Finishes what is under way and closes the database. */
  close(): Promise<void>
}

/** Writes the log of a file into it. @returns whether it could: nobody else has it open */
function emptyLog(file: string): boolean {
  const db = openDatabase(file)
  try {
    return isLogEmptied(db)
  } finally {
    db.close()
  }
}

/** The Litestream that a service is to wait for; null for one that stands alone. @throws DataError where it may not be served so */
async function replicatedBy({ replicated }: ServiceOptions, file: string): Promise<Litestream | null> {
  if (replicated === undefined) {
    if (isReplicated(file)) throw new DataError(notAlone(file))
    return null
  }
  if (isEarlier(file))
    throw new DataError(
      `The data in ${file} is of an earlier version, and Litestream has it open. End Litestream, bring the data forward with research-room backup FILE, and start Litestream again.`,
    )
  const litestream = new Litestream(replicated)
  await litestream.mustHaveStarted(file)
  if (wasCutOff(file)) await litestream.copyAnew(() => emptyLog(file))
  markReplicated(file, replicated, true)
  return litestream
}

/**
 * Starts the service.
 * @throws DataError when the data cannot be opened or another process serves it
 * @throws ListenError when the address cannot be listened on
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  // What a start that fails half-way leaves behind, undone in the opposite order.
  using started = new DisposableStack()
  started.defer(lockFolder(options.data))
  const file = databaseFile(options.data)
  const litestream = await replicatedBy(options, file)
  started.defer(() => {
    litestream?.close()
    if (litestream !== null) markReplicated(file, options.replicated ?? "", false)
  })
  const { db, world, instanceId, lineage } = openForward(file, options.world, options.onForward)
  // A log that a killed service left is worked off first: what is written to the data file after that can be told from what others write.
  if (litestream === null) truncateWal(db)
  const files = new OpenedFiles(file)
  started.defer(() => {
    // To close it would write the log into what is not its file.
    if (files.isOverwritten()) return
    db.close()
    files.close()
  })
  const broken = Promise.withResolvers<void>()
  let ending: string | null = null
  const end = (sentence: string, error?: Error) => {
    if (ending === null) options.log.fatal(error === undefined ? {} : { err: error }, sentence)
    ending ??= sentence
    broken.resolve()
  }
  // Litestream works the log off itself.
  const limits = litestream === null ? watchLimits : { ...watchLimits, idleWalBytes: Number.POSITIVE_INFINITY }
  let emptyIdleLog = () => truncateWal(db)
  const diskWatch = new DiskWatch({ file, files, emptyLog: () => emptyIdleLog(), log: options.log, limits, onLost: end })
  started.defer(() => diskWatch.close())
  const { server, port } = await listen(options.host, options.port)
  started.defer(() => server.close())

  const baseUrl = addressAt(options, port)
  const basePath = basePathOf({ baseUrl })
  const repositories = configuredCheck({ ...options.repositories, now: () => world.now() })
  const metrics = new Metrics()
  started.defer(() => metrics.close())
  const hooks = {
    afterGroup(writes: number, milliseconds: number, failed: boolean) {
      metrics.onCommit(writes, milliseconds)
      if (failed) readiness.failed()
    },
    isLost() {
      const lost = files.lost()
      if (lost !== null) end(lost)
      return lost !== null
    },
  }
  const isOverwritten = () => files.isOverwritten() && hooks.isLost()
  const instance = createInstance({
    db,
    world,
    instanceId,
    lineage,
    basePath,
    repositories,
    crates: cratesOf(file),
    hooks,
  })
  const ahead = instance.datedAhead()
  if (ahead !== null)
    options.log.warn(
      { datedAhead: ahead },
      "writes of this instance are dated in the future: the clock was ahead when they came, or is behind now; new writes are dated by the clock",
    )
  started.defer(await keepClean(instance, options.log))
  const readiness = new Readiness({ file, ledger: instance.ledger, ending: () => ending, otherwise: () => replication?.why ?? null })
  const budgets = budgetsHere(options)
  metrics.watch({ budgets, openFeedWaits: () => instance.ledger.watch.waiting, storage: () => diskWatch.readings })
  const { prepare } = options
  if (prepare) await fill(db, () => prepare(instance, baseUrl))
  const replication =
    litestream === null
      ? null
      : new Replication({ litestream, instance, metrics, log: options.log, onFailed: () => readiness.failed(), onEnded: end })
  started.defer(() => replication?.close())
  // Whether it copies is not known before it has.
  if (replication !== null) readiness.failed()
  const writer = options.writer === "thread" ? startWriter() : null
  // What a process that was killed left; every transaction of this thread indexes what is there.
  if (writer === null && instance.tables.search.reached() < instance.tables.search.newest()) await instance.ledger.transact(() => undefined)
  // Of a process that is not the service's own, the memory is not its to rest.
  if (options.writer === "thread") started.defer(restMemory())
  const pasts = pastsInProcess(instance, options.data, basePath, options.pasts)
  const readers = readerPool({ ...options, file, follows: false, baseUrl, instanceId, lineage })
  const renderer = new Renderer(readers ?? new OnThisThread())
  const { sqlite } = db.prepare<{ sqlite: string }>("SELECT sqlite_version() AS sqlite").one()
  const storage = () => ({ ...diskWatch.readings, schema: latestSchema, sqlite })
  for (const each of [pasts, renderer, readers]) instance.ledger.onForget(() => each?.forget())
  const stop = serveOn(
    server,
    createApp({
      instance,
      baseUrl,
      renderer,
      budgets,
      pasts,
      isOverwritten,
      whyNotReady: () => readiness.why(),
      storage,
      ...(replication && { mayBeTold: replication.mayBeTold }),
      ...(readers && { readers }),
      ...edgeParts(options, metrics),
      ...entranceAt(baseUrl, world, options.entrance),
    }),
    baseUrl,
  )
  const arxiv = options.arxiv
    ? new ArxivClient({
        ...options.arxiv,
        ledger: instance.ledger,
        world,
        papers: instance.tables.library.papers,
        metadata: instance.tables.library.metadata,
        log: options.log,
      })
    : null
  arxiv?.start()
  const mirroring = new Mirroring(instance, options.log)
  mirroring.start()
  const token = instance.accounts.openSetUp()
  const running = started.move()

  function startWriter(): Writer {
    const made = new Writer(
      { file, index: files.index, instanceId, repositories: options.repositories },
      {
        grouped(writes, milliseconds, failed, roomIds) {
          for (const roomId of roomIds) instance.ledger.watch.landed(roomId)
          hooks.afterGroup(writes, milliseconds, failed)
          if (failed) hooks.isLost()
        },
        notIndexed: (why) =>
          options.log.error({ why }, "texts could not be indexed: searches read the newest ones themselves until they are"),
        failed: (error) => end("the writing thread ended; the service ends too", error),
      },
    )
    instance.ledger.handOver(made)
    leaveSyncing(db)
    emptyIdleLog = () => made.emptyLog()
    return made
  }
  return {
    baseUrl,
    port,
    instance,
    files,
    readings: () => diskWatch.readings,
    setUpLink: token === null ? null : `${baseUrl}/setup?token=${token}`,
    broken: broken.promise,
    async close() {
      instance.ledger.watch.close()
      await stop()
      await mirroring.close()
      await arxiv?.close()
      await instance.accounts.settle()
      await writer?.close()
      await readers?.close()
      pasts.close()
      running.dispose()
    },
  }
}
