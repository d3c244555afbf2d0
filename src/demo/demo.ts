/** A seeded instance that needs nothing from outside: for a first look, and for tests. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Logger } from "pino"
import { realWorld, seededWorld } from "../ledger/world.ts"
import { type Service, startService } from "../app/service.ts"
import type { EntranceSettings, ServiceOptions } from "../app/service-options.ts"
import { UsageError } from "../settings.ts"
import type { RepositorySettings } from "../repositories/configured.ts"
import { makeRepositories } from "./repositories.ts"
import { StoryClock } from "./narrator.ts"
import { type Cast, tellStory } from "./cast.ts"
import { copyStory, keepTold, REPOSITORIES } from "./copied-story.ts"
import { present } from "../contract/present.ts"

export interface DemoOptions {
  readonly data?: string | undefined
  readonly host: string
  readonly port: number
  readonly baseUrl?: string | undefined
  /** The same ids, tokens and times on every start. */
  readonly deterministic?: boolean | undefined
  /** A folder that keeps a demo told before, to start from a copy of it; filled when empty. Not for a deterministic one. */
  readonly kept?: string | undefined
  /** Where repositories are looked up after the demo's own. */
  readonly repositories?: Pick<RepositorySettings, "folders" | "github">
  /** Where arXiv is asked about papers that people file; left out, nobody is. */
  readonly arxiv?: { readonly api: string } | null
  readonly log: Logger
  /** How people come in; left out, by their passwords, and owners invite. */
  readonly entrance?: EntranceSettings | undefined
  /** As the service takes it. */
  readonly writer?: "thread" | undefined
  readonly threads?: number | undefined
  readonly times?: ServiceOptions["times"]
}

const DAY = 86_400_000
/** When a deterministic story begins. */
const FIXED_START = Date.parse("2026-11-02T09:00:00.000Z")
const STORY_DAYS = 12

export interface Demo extends Service, Cast {}

/** Starts a demo. Without a data folder it makes one that goes when the demo ends. @throws UsageError for a folder that holds data */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const temporary = options.data === undefined
  const data = options.data ?? mkdtempSync(join(tmpdir(), "research-room-demo-"))
  const remove = () => temporary && rmSync(data, { recursive: true, force: true })

  const start = options.deterministic ? FIXED_START : Date.now() - STORY_DAYS * DAY
  const clock = new StoryClock(start)
  const world = options.deterministic ? seededWorld("research-room demo", clock.read) : realWorld(clock.read)
  const folder = join(data, REPOSITORIES)
  const { folders = [], github = null } = options.repositories ?? {}
  const kept = options.deterministic ? undefined : options.kept || undefined
  const copied = kept === undefined ? undefined : copyStory<Cast>(kept, data)
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
        if (instance.tables.people.exist()) throw new UsageError(`The folder ${data} holds data already; a demo starts in a new one.`)
        cast = await tellStory(instance, clock, makeRepositories(folder))
        // A deterministic instance lives on in its own time: each look at the clock is a millisecond later.
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
