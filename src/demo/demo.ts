/** A seeded instance that needs nothing from outside: for a first look, and for tests. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Logger } from "pino"
import type { Permission } from "../contract/schema/enumerations.ts"
import { enumerations } from "../contract/schema/enumerations.ts"
import type { Instance } from "../app/compose/instance.ts"
import { realWorld, seededWorld } from "../ledger/world.ts"
import { isoTime } from "../ledger/world.ts"
import { type Service, startService } from "../app/service.ts"
import type { EntranceSettings, ServiceOptions } from "../app/service-options.ts"
import { UsageError } from "../settings.ts"
import type { RepositorySettings } from "../repositories/configured.ts"
import { type DemoKey, type KeyName, tellLibrary } from "./library.ts"
import { type DemoRepositories, makeRepositories } from "./repositories.ts"
import { tellMeasured } from "./measured.ts"
import { Narrator, StoryClock } from "./narrator.ts"
import { tellMainStory } from "./story.ts"
import { copyStory, keepTold, REPOSITORIES } from "./copied-story.ts"
import { each } from "../contract/each.ts"
import { present } from "../contract/present.ts"

export interface DemoPerson {
  readonly userId: string
  readonly username: string
  readonly password: string
}
export interface DemoRoom {
  readonly roomId: string
  readonly openingThreadId: string
}
export interface DemoCredential {
  readonly token: string
  readonly username: string
  readonly roomId: string
  readonly permissions: readonly Permission[]
  readonly threadIds: readonly string[] | null
}

const credentialNames = [
  "owner_all",
  "member_all",
  "member_post_only",
  "member_publish_only",
  "member_work_only",
  "member_thread_scoped",
  "member_expired",
  "member_revoked",
  "main_owner_all",
  "main_member_all",
  "archived_member_all",
] as const
export type CredentialName = (typeof credentialNames)[number]

/** What the demo holds, each thing by its name. */
export interface Cast {
  readonly people: Record<"owner" | "member" | "visitor", DemoPerson>
  readonly rooms: Record<"main" | "empty" | "archived", DemoRoom>
  readonly credentials: Record<CredentialName, DemoCredential>
  readonly keys: Record<KeyName, DemoKey>
  readonly repositories: DemoRepositories
}

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

const everything = enumerations.permission

/** Fills the Rooms and issues the credentials. */
async function tell(instance: Instance, clock: StoryClock, repositories: DemoRepositories): Promise<Cast> {
  const narrator = new Narrator(instance, clock)
  const told = Promise.withResolvers<void>()
  const ada = narrator.person("ada")
  const grace = narrator.person("grace", ada)
  const mary = narrator.person("mary", told.promise)
  const [owner, member] = [await ada, await grace]

  const room = async (title: string, question: string): Promise<DemoRoom> => {
    const { roomId, openingThreadId } = (await narrator.does(owner, "create_room", {}, { title, question })).result
    await narrator.does(owner, "add_member", { roomId }, { username: member.username })
    return { roomId, openingThreadId }
  }
  const empty = await room("A Room to write in", "What would you like to find out?")
  const archived = await room("Which tokenizer should we use?", "Does the vocabulary size matter below 100 million parameters?")

  const credential = async (
    person: DemoPerson,
    at: DemoRoom,
    label: string,
    permissions: readonly Permission[] = everything,
    more: { threadIds?: string[]; expiresAt?: string } = {},
  ) => {
    const { result } = await narrator.does(
      person,
      "issue_credential",
      { roomId: at.roomId },
      { label, permissions: [...permissions], ...more },
      1,
    )
    const { token = "", credentialId, threadIds } = result
    return {
      credentialId,
      shown: { token, username: person.username, roomId: at.roomId, permissions: result.permissions, threadIds } satisfies DemoCredential,
    }
  }
  const expiresAt = isoTime(clock.read() + DAY)
  const revoked = await credential(member, empty, "revoked")
  await narrator.does(member, "revoke_credential", { roomId: empty.roomId, credentialId: revoked.credentialId }, {})
  const archivedMember = await credential(member, archived, "member, archived Room")
  await narrator.does(
    owner,
    "post_message",
    { threadId: archived.openingThreadId },
    { text: "32,000 entries were as good as 64,000 in every run. We stop here." },
  )
  await narrator.does(
    owner,
    "archive_room",
    { roomId: archived.roomId },
    { reason: "Answered well enough; the next question has its own Room." },
  )

  const expired = await credential(member, empty, "expired", everything, { expiresAt })
  await tellMeasured(narrator, owner, member, repositories.public)
  const main = await tellMainStory(narrator, owner, member, repositories.public)
  const issued: Record<CredentialName, { shown: DemoCredential }> = {
    owner_all: await credential(owner, empty, "owner, everything"),
    member_all: await credential(member, empty, "member, everything"),
    member_post_only: await credential(member, empty, "member, discussion", ["post_thread"]),
    member_publish_only: await credential(member, empty, "member, records", ["publish_records"]),
    member_work_only: await credential(member, empty, "member, experiments", ["manage_own_experiments"]),
    member_thread_scoped: await credential(member, empty, "member, opening Thread", everything, { threadIds: [empty.openingThreadId] }),
    member_expired: expired,
    member_revoked: revoked,
    main_owner_all: await credential(owner, main, "owner, everything"),
    main_member_all: await credential(member, main, "member, everything"),
    archived_member_all: archivedMember,
  }
  const credentials = each(credentialNames, (name): DemoCredential => issued[name].shown)
  told.resolve()
  const people = { owner, member, visitor: await mary }
  const keys = await tellLibrary(instance, narrator, people)
  return { people, rooms: { main, empty, archived }, credentials, keys, repositories }
}

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
        cast = await tell(instance, clock, makeRepositories(folder))
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
