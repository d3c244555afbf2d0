/** An instance with sample data that needs no network, for a first look and for tests. */
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Logger } from "pino"
import { databaseFile } from "../ledger/storage/opening.ts"
import { realWorld, seededWorld } from "../ledger/world.ts"
import { type Service, startService, type EntranceSettings, type ServiceOptions } from "../app/service.ts"
import { UsageError } from "../settings.ts"
import type { RepositorySettings } from "../repositories/configured.ts"
import { makeRepositories } from "./repositories.ts"
import { StoryClock, type Cast, tellStory } from "./story.ts"
import { trusted } from "../contract/json.ts"
import { present } from "../contract/typed.ts"

export interface DemoOptions {
  readonly data?: string | undefined
  readonly host: string
  readonly port: number
  readonly baseUrl?: string | undefined
  /** Whether ids, tokens and times are the same on every start. */
  readonly deterministic?: boolean | undefined
  /** A folder with a cached demo to copy; filled if empty. Ignored for a deterministic demo. */
  readonly kept?: string | undefined
  /** The sources of other repositories, after the demo's own. */
  readonly repositories?: Pick<RepositorySettings, "folders" | "github">
  /** The address of arXiv for papers that people file; left out, none is used. */
  readonly arxiv?: { readonly api: string } | null
  readonly log: Logger
  /** The ways to sign in; left out, passwords, and owners may invite. */
  readonly entrance?: EntranceSettings | undefined
  readonly threads?: number | undefined
  readonly times?: ServiceOptions["times"]
}

const DAY = 86_400_000
const FIXED_START = Date.parse("2026-11-02T09:00:00.000Z")
const STORY_DAYS = 12
/** The folder of the demo's repositories, in its data folder. */
const REPOSITORIES = "repositories"
const CAST = "cast.json"

export interface Demo extends Service, Cast {}

/** Starts a demo. Without a data folder it uses a temporary one. @throws UsageError for a folder that has data */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const temporary = options.data === undefined
  const data = options.data ?? mkdtempSync(join(tmpdir(), "research-room-demo-"))
  if (existsSync(databaseFile(data)))
    throw new UsageError(`The folder ${data} already holds data; a demo starts in a new one.`)
  const remove = () => temporary && rmSync(data, { recursive: true, force: true })

  const start = options.deterministic ? FIXED_START : Date.now() - STORY_DAYS * DAY
  const clock = new StoryClock(start)
  const world = options.deterministic ? seededWorld("research-room demo", clock.read) : realWorld(clock.read)
  const folder = join(data, REPOSITORIES)
  const { folders = [], github = null } = options.repositories ?? {}
  const kept = options.deterministic ? undefined : options.kept || undefined
  const copied = kept === undefined ? undefined : copyStory(kept, data)
  let cast = copied
  if (copied) clock.runWith(Date.now)
  try {
    const service = await startService({
      ...options,
      data,
      world,
      repositories: { folders: [folder, ...folders], github },
      async prepare(instance) {
        if (copied) return
        cast = await tellStory(instance, clock, makeRepositories(folder))
        // A deterministic instance has its own time: each reading of the clock advances it by a millisecond.
        let ticks = start + STORY_DAYS * DAY
        clock.runWith(options.deterministic ? () => ticks++ : Date.now)
      },
    })
    if (kept !== undefined && !copied) keepTold(kept, data, present(cast))
    return {
      ...service,
      ...present(cast),
      async close() {
        await service.close()
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

/**
 * Copies the cached demo into the data folder. @returns its cast; undefined if nothing is cached, or the folder has
 * data
 */
function copyStory(kept: string, data: string): Cast | undefined {
  if (!existsSync(join(kept, "demo", CAST)) || existsSync(databaseFile(data))) return undefined
  mkdirSync(data, { recursive: true })
  copyFileSync(databaseFile(join(kept, "demo")), databaseFile(data))
  cpSync(join(kept, "demo", REPOSITORIES), join(data, REPOSITORIES), { recursive: true })
  return trusted<Cast>(readFileSync(join(kept, "demo", CAST), "utf8"))
}

/** Caches a finished demo, whose write-ahead log is empty. If several processes do so, the first wins. */
function keepTold(kept: string, data: string, cast: object): void {
  if (existsSync(join(kept, "demo"))) return
  const partial = mkdtempSync(join(kept, "partial-"))
  copyFileSync(databaseFile(data), databaseFile(partial))
  cpSync(join(data, REPOSITORIES), join(partial, REPOSITORIES), { recursive: true })
  writeFileSync(join(partial, CAST), JSON.stringify(cast))
  try {
    renameSync(partial, join(kept, "demo"))
  } catch {
    rmSync(partial, { recursive: true, force: true })
  }
}
