/** Starts a service: opens the data, builds the instance and listens. `serve`, `demo` and the test instance use it. */
import { basePathOf } from "../contract/service.ts"
import { createApp, addressAt, budgetsHere, edgeParts, type EdgeOptions } from "./serving/surface.ts"
import { Metrics } from "../edge/telemetry/metrics.ts"
import { listen, serveOn } from "../http/server.ts"
import { createInstance, type Instance } from "./compose/instance.ts"
import { filesOf } from "../research/export/exports.ts"
import { Replication, Litestream } from "./replication/replication.ts"
import {
  fill,
  DataError,
  openDatabase,
  openReadConnection,
  openWatching,
  storedSchema,
  databaseFile,
  CHECKPOINT_FRAMES,
} from "../ledger/storage/opening.ts"
import { latestSchema } from "../ledger/storage/schema.ts"
import { OpenedFiles, type WatchReadings, truncateWal, watchLimits, DiskWatch } from "../ledger/storage/file-watch.ts"
import { Readiness } from "../ledger/write/readiness.ts"
import { arxiv, crossref, MetadataFetcher, type CrossrefSettings } from "../library/papers/fetcher.ts"
import { configuredCheck, type RepositorySettings } from "../repositories/configured.ts"
import { OnThisThread, Renderer } from "../renderer/renderer.ts"
import { keepClean } from "./serving/keep-clean.ts"
import { pastsInProcess, type PastNumbers } from "./past/pasts.ts"
import { readerPool } from "./threads/reader-pool.ts"
import { deliveringWebhooks, standardSending, type SendingSettings } from "./webhooks/sending.ts"
import { isEarlier, openForward } from "./compose/upgrade.ts"
import { isReplicated, markReplicated, notAlone, wasCutOff } from "../ledger/storage/litestream-files.ts"
import { clearAlone, isLogEmptied, isUnclean, writeClean } from "../ledger/storage/clearing.ts"
import { lockFolder } from "../ledger/storage/ownership.ts"
import { onForget } from "../ledger/storage/caches.ts"
import { LogCopying } from "./serving/log-copying.ts"
import type { Admits, Entrance } from "../edge/sign-in-options.ts"
import type { OnProgress } from "../ledger/replay/replay.ts"
import type { World } from "../ledger/world.ts"
import { Provider, type ProviderSettings, Encrypter } from "../people/provider.ts"
import type { ReadingTimes } from "./threads/reader.ts"

// The options of a service.

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
function entranceAt(baseUrl: string, world: World, entrance: EntranceSettings | undefined): { entrance?: Entrance } {
  if (entrance === undefined) return {}
  const { provider, ...rest } = entrance
  if (provider === undefined) return { entrance: rest }
  const { admits, ...settings } = provider
  const client = new Provider({ ...settings, backTo: `${baseUrl}${RETURN_PATH}` })
  return { entrance: { ...rest, provider: { provider: client, encrypter: new Encrypter(() => world.now()), admits } } }
}

// Opens the data of a service: locks it, upgrades it and watches its disk.

/** Moves the write-ahead log into the database file. @returns false if another process has the file open */
function emptyLog(file: string): boolean {
  using db = openDatabase(file)
  return isLogEmptied(db)
}

/** Whether the files still have to be cleaned. That cannot end while Litestream reads the log. */
function isUncleanAt(file: string): boolean {
  if (storedSchema(file) !== latestSchema) return false
  using db = openReadConnection(file)
  return isUnclean(db)
}

/**
 * Corrects the rows of files that are not clean. @returns whether that is done; if the disk does not allow it, a later
 * start tries again
 */
function areRowsClean(file: string, { world: chosen, log }: ServiceOptions): boolean {
  const { db, world, instanceId } = openForward(file, chosen)
  try {
    createInstance({ db, world, instanceId }).cleaning.correctRows()
    return true
  } catch (err) {
    log.warn({ err }, "the files could not be cleaned; the next start tries again")
    return false
  } finally {
    db.close()
  }
}

/**
 * Connects to the Litestream that copies the data, if one does, and finishes the removal of withheld words that had to
 * wait for a start.
 * @returns whether the files were cleared of them, which the caller notes in the data
 * @throws DataError if the data must not be served this way
 */
async function connectLitestream(options: ServiceOptions, file: string) {
  const { replicated } = options
  if (replicated === undefined) {
    if (isReplicated(file)) throw new DataError(notAlone(file))
    return { litestream: null, isCleared: false }
  }
  if (isEarlier(file))
    throw new DataError(
      `The data in ${file} is of an earlier version, and Litestream has it open. End Litestream, upgrade the data ` +
        "with research-room backup FILE, and start Litestream again.",
    )
  const litestream = new Litestream(replicated)
  await litestream.mustHaveStarted(file)
  if (wasCutOff(file)) await litestream.copyAnew("The previous service was killed", async () => emptyLog(file))
  // As long as Litestream reads the log, what the file holds beside its rows cannot be cleared.
  const isCleared = isUncleanAt(file) && areRowsClean(file, options)
  if (isCleared)
    await litestream.copyAnew("Withheld words are removed from the file", async () => {
      if (!emptyLog(file)) return false
      await clearAlone(file)
      return true
    })
  markReplicated(file, replicated, true)
  return { litestream, isCleared }
}

/**
 * Opens the data of a service.
 * @param started collects what must be undone, in reverse order, when the service ends or fails to start
 * @param onLost called if the files or their disk are lost
 * @throws DataError if the data cannot be opened or another process serves it
 */
async function openData(options: ServiceOptions, started: DisposableStack, onLost: (sentence: string) => void) {
  started.defer(lockFolder(options.data))
  const file = databaseFile(options.data)
  const { litestream, isCleared } = await connectLitestream(options, file)
  started.defer(() => {
    litestream?.close()
    if (litestream !== null) markReplicated(file, options.replicated ?? "", false)
  })
  const opened = openForward(file, options.world, options.onForward)
  const { db } = opened
  if (isCleared) writeClean(db)
  // Empty the write-ahead log that a killed service left, so that later changes by other programs can be detected.
  if (litestream === null) truncateWal(db)
  const files = new OpenedFiles(file, openWatching(file))
  db.exec("PRAGMA wal_autocheckpoint = 0")
  started.defer(() => {
    // Closing the database would copy the log into the data file.
    if (files.isSpoilt()) return
    db.close()
    files.close()
  })
  // Litestream empties the log itself.
  const limits = litestream === null ? watchLimits : { ...watchLimits, idleWalBytes: Number.POSITIVE_INFINITY }
  const copying = new LogCopying(file, db, files)
  started.defer(() => void copying.end())
  const diskWatch = new DiskWatch({ file, files, emptyLog: () => copying.empty(), log: options.log, limits, onLost })
  started.defer(() => diskWatch.close())
  return { ...opened, file, files, litestream, diskWatch, copying }
}

export interface Service {
  readonly baseUrl: string
  readonly port: number
  readonly instance: Instance
  /** The one-time link that creates the first person; null if there are people. */
  readonly setUpLink: string | null
  /** Resolves when the service has failed and must be closed. */
  readonly broken: Promise<void>
  /** The data files, as they were opened. */
  readonly files: OpenedFiles
  /** Returns the latest readings of the data files and their disk. */
  readonly readings: () => WatchReadings
  /** Finishes open requests and closes the database. */
  close(): Promise<void>
}

/**
 * Starts the service.
 * @throws DataError if the data cannot be opened or another process serves it
 * @throws ListenError if the address cannot be listened on
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  // Undone in reverse order if the start fails.
  using started = new DisposableStack()
  const broken = Promise.withResolvers<void>()
  let ending: string | null = null
  const end = (sentence: string, error?: Error) => {
    if (ending === null) options.log.fatal(error === undefined ? {} : { err: error }, sentence)
    ending ??= sentence
    broken.resolve()
  }
  const data = await openData(options, started, end)
  const { db, world, instanceId, lineage, file, files, litestream, diskWatch, copying } = data
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
      else if (litestream === null && files.frames >= CHECKPOINT_FRAMES) copying.copy()
      instance.indexing.soon()
    },
    isLost() {
      const lost = files.lost()
      if (lost !== null) end(lost)
      return lost !== null
    },
  }
  const instance = createInstance({
    db,
    world,
    instanceId,
    lineage,
    basePath,
    repositories,
    files: filesOf(file),
    indexesLater: true,
    onNotIndexed: (err) =>
      options.log.error(
        { err },
        "texts could not be indexed; until they are, searches read the newest texts themselves",
      ),
    hooks,
  })
  started.defer(() => instance.indexing.end())
  // Index the texts that a killed process left.
  instance.indexing.soon()
  const ahead = instance.datedAhead()
  if (ahead !== null)
    options.log.warn(
      { datedAhead: ahead },
      "writes of this instance are dated in the future: the clock was ahead when they were accepted, " +
        "or is behind now; new writes are dated by the clock",
    )
  const stopCleaning = keepClean(instance, options.log, copying)
  started.defer(() => void stopCleaning())
  const readiness = new Readiness({
    file,
    ledger: instance.ledger,
    ending: () => ending,
    otherwise: () => replication?.why ?? null,
  })
  const budgets = budgetsHere(options)
  metrics.watch({ budgets, openFeedWaits: () => instance.ledger.watch.waiting, storage: () => diskWatch.readings })
  const { prepare } = options
  const sending = { ...standardSending, ...options.webhooks }
  if (prepare)
    await fill(db, async () => {
      await prepare(instance, baseUrl)
      await instance.indexed()
    })
  const replication =
    litestream === null
      ? null
      : new Replication({
          litestream,
          instance,
          metrics,
          log: options.log,
          onFailed: () => readiness.failed(),
          onEnded: end,
        })
  started.defer(() => replication?.close())
  // Not ready until the first sync succeeds.
  if (replication !== null) readiness.failed()
  const readers = readerPool(
    { ...options, isKeptReady: () => instance.tables.values.largeRooms().length > 0 },
    { file, follows: false, baseUrl, instanceId, lineage },
    options.entrance,
  )
  const leave = async (path: string) => readers?.leave(path)
  const pasts = pastsInProcess(instance, options.data, basePath, leave, options.pasts)
  const renderer = new Renderer(readers ?? new OnThisThread())
  const { sqlite } = db.prepare<{ sqlite: string }>("SELECT sqlite_version() AS sqlite").one()
  const storage = () => ({ ...diskWatch.readings, schema: latestSchema, sqlite })
  for (const each of [pasts, renderer, readers]) onForget(db, () => each?.forget())
  const stop = serveOn(
    server,
    createApp({
      instance,
      baseUrl,
      renderer,
      budgets,
      pasts,
      whyNotReady: () => readiness.why(),
      storage,
      ...(replication && { mayBeSent: replication.mayBeSent }),
      ...(readers && { readers }),
      ...edgeParts(options, metrics),
      webhookReach: sending,
      ...entranceAt(baseUrl, world, options.entrance),
    }),
    baseUrl,
  )
  const { ledger, metadataIntake, tables } = instance
  const sources = [
    ...(options.arxiv ? [{ source: arxiv(options.arxiv.api), pause: options.arxiv.pause }] : []),
    ...(options.crossref ? [{ source: crossref(options.crossref), pause: options.crossref.pause }] : []),
  ].map(
    (each) =>
      new MetadataFetcher({
        ...each,
        ledger,
        world,
        metadataIntake,
        metadata: tables.library.metadata,
        log: options.log,
      }),
  )
  for (const source of sources) source.start()
  const webhooks = deliveringWebhooks({ instance, log: options.log, baseUrl, settings: sending })
  const token = instance.accounts.openSetUp()
  const running = started.move()

  return {
    baseUrl,
    port,
    instance,
    files,
    readings: () => diskWatch.readings,
    setUpLink: token === null ? null : `${baseUrl}/setup?token=${token}`,
    broken: broken.promise,
    async close() {
      hooks.isLost()
      instance.ledger.watch.close()
      await stop()
      await webhooks.close()
      for (const source of sources) await source.close()
      await instance.accounts.settle()
      await stopCleaning()
      await copying.end()
      await readers?.close()
      await pasts.close()
      running.dispose()
    },
  }
}
