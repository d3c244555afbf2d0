/** Tells the demo's story: people send operations like everybody else, at times of the story's own clock. */
import type { Person } from "../contract/answers/parts.ts"
import type { Receipt } from "../contract/answers/receipts.ts"
import { partAt, resolved } from "../contract/definitions/references.ts"
import { jsonObject, digestOf, type Json, type JsonObject, trusted } from "../contract/json.ts"
import { type InputOf, type OperationName, type ResultOf, operationNamed } from "../contract/operations/index.ts"
import type { Instance } from "../app/compose/instance.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { isoTime } from "../ledger/world.ts"
import { packagedBytes } from "../packaged.ts"
import { present, each } from "../contract/typed.ts"
import {
  enumerations,
  type KeyReach,
  type LibraryPermission,
  type Permission,
} from "../contract/schema/enumerations.ts"
import { paperFromArxiv } from "../library/papers/record.ts"
import measured from "./curves.json" with { type: "json" }
import papers from "./papers.json" with { type: "json" }
import type { DemoRepositories } from "./repositories.ts"
import story from "./story.json" with { type: "json" }

/** A clock that the story advances. When the story is told, it continues by itself. */
export class StoryClock {
  #now: number
  #running: (() => number) | null = null

  constructor(start: number) {
    this.#now = start
  }

  readonly read = (): number => this.#running?.() ?? this.#now

  pass(minutes: number): void {
    this.#now += minutes * 60_000
  }

  /** Ends the story: from now on the time comes from `clock`. */
  runWith(clock: () => number): void {
    this.#running = clock
  }
}

type StoryReceipt<N extends OperationName> = Omit<Receipt, "result"> & { readonly result: ResultOf<N> }
/** A body without the members that the narrator fills in. */
type StoryBody<N extends OperationName> = Omit<InputOf<N>, "schemaVersion" | "requestId" | "clientMessageId">

/** A line of a story. With `like` it inherits the members of another line. */
export interface Line {
  /** A name for the receipt, for later lines. */
  readonly as?: string
  readonly like?: string
  /** Minutes that pass before it. */
  readonly after?: number
  readonly operation?: string
  /** A picture in the demo's folder to upload instead. It is already encoded as an upload would be. */
  readonly uploads?: { readonly file: string; readonly width: number; readonly height: number }
  readonly params?: JsonObject
  /**
   * As in a batch, `{"$from": "a", "path": "/targetId"}` is a part of the receipt of line a, or of the given value of
   * that name. `{"$from": "world", "path": "/id"}` is a fresh id, and `{"$from": "later", "path": "/5"}` a time five
   * minutes ahead.
   */
  readonly body?: JsonObject
}

class Narrator {
  readonly #instance: Instance
  readonly #clock: StoryClock
  readonly #receipts = new Map<string, { readonly by: string; readonly receipt: string }>()

  constructor(instance: Instance, clock: StoryClock) {
    this.#instance = instance
    this.#clock = clock
  }

  /** Adds a person with a known password. Hashing it is the slowest part of the story, so it starts at once. */
  async person(
    username: string,
    after?: Promise<unknown>,
  ): Promise<{ userId: string; username: string; password: string }> {
    const password = `${username}-${this.#instance.world.bytes(9).toString("base64url")}`
    const { userId } = await this.#instance.accounts.add(username, password, after)
    return { userId, username, password }
  }

  /** Sends an operation as a person, some minutes after the last one. @returns the receipt */
  async does<N extends OperationName>(
    person: Person,
    name: N,
    params: Record<string, string>,
    body: StoryBody<N>,
    minutes?: number,
  ): Promise<StoryReceipt<N>> {
    return trusted<StoryReceipt<N>>(await this.#admit(person, name, params, body, minutes))
  }

  /** Tells the lines of a story in order. @param given values that the lines refer to by name */
  async tell(
    lines: readonly (Line & { readonly by: string })[],
    likes: Readonly<Record<string, Line>>,
    people: Readonly<Record<string, Person>>,
    given: JsonObject,
  ): Promise<void> {
    const whole = ({ like, ...line }: Line): Line => {
      if (like === undefined) return line
      const { params, body, ...from } = whole(present(likes[like]))
      return { ...from, ...line, params: { ...params, ...line.params }, body: { ...body, ...line.body } }
    }
    for (const line of lines) {
      const { as, operation = "", uploads, params = {}, body = {}, after } = whole(line)
      const person = present(people[line.by])
      const filled = jsonObject(resolved({ params, body }, ({ $from, path }) => this.#part(given, $from, path)))
      const ids = Object.fromEntries(Object.entries(jsonObject(filled.params)).map(([name, id]) => [name, `${id}`]))
      const receipt = uploads
        ? await this.#upload(person, uploads)
        : await this.#admit(person, operation, ids, jsonObject(filled.body), after)
      if (as !== undefined) this.#receipts.set(as, { by: line.by, receipt })
    }
  }

  /** The receipt of a named line, and its author. */
  receipt<N extends OperationName>(as: string, _operation: N): StoryReceipt<N> & { readonly by: string } {
    const { by, receipt } = present(this.#receipts.get(as))
    return { by, ...trusted<StoryReceipt<N>>(receipt) }
  }

  #part(given: JsonObject, from: string, path: string): Json {
    if (from === "world") return this.#instance.world.id()
    if (from === "later") return this.#later(Number(path.slice(1)))
    const part = partAt(given[from] ?? trusted<Json>(this.#receipts.get(from)?.receipt ?? "null"), path)
    if (part === undefined) throw new Error(`The story has no ${path} of ${from}`)
    return part
  }

  #later(minutes: number): string {
    return isoTime(this.#clock.read() + minutes * 60_000)
  }

  async #upload({ userId }: Person, { file, ...size }: NonNullable<Line["uploads"]>): Promise<string> {
    const { ledger, tables } = this.#instance
    const bytes = Buffer.from(present(packagedBytes(`src/demo/${file}`)))
    const figure = { digest: digestOf(bytes), mediaType: "image/webp", ...size, bytes } as const
    await ledger.transact(() => tables.attachments.keep(figure, userId, this.#later(0)))
    return JSON.stringify({ digest: figure.digest })
  }

  #admit(person: Person, name: string, params: Record<string, string>, body: object, minutes = 7): Promise<string> {
    const operation = operationNamed(name)
    if (operation === undefined) throw new Error(`${name} is not an operation`)
    this.#clock.pass(minutes)
    const actor: Actor = { userId: person.userId, username: person.username, grant: null }
    const delivery = { schemaVersion: operation.schemaVersion, [operation.delivery]: this.#instance.world.id() }
    return this.#instance.ledger.admit({ operation, actor, params, body: { ...delivery, ...body } })
  }
}

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
export interface DemoKey {
  readonly token: string
  readonly username: string
  readonly permissions: readonly LibraryPermission[]
  readonly reach: KeyReach
  /** The Collections of a selected reach; null for the other reaches. */
  readonly collectionIds: readonly string[] | null
}

const roomNames = ["main", "empty", "archived"] as const
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
const keyNames = ["all", "owned", "selected", "read_only", "member_all", "expired"] as const

/** The named objects of the demo. */
export interface Cast {
  readonly people: Record<"owner" | "member" | "visitor", DemoPerson>
  readonly rooms: Record<(typeof roomNames)[number], DemoRoom>
  readonly credentials: Record<(typeof credentialNames)[number], DemoCredential>
  readonly keys: Record<(typeof keyNames)[number], DemoKey>
  readonly repositories: DemoRepositories
}

/** The metrics of a run, in the order of a row of its curve, after the step. A diverged policy has null. */
const columns = ["train", "held-out"].flatMap((split) =>
  ["pass@1", "pass@64", "entropy"].map((name) => ({ split, name })),
)
/** The column of held-out pass@64 in a row. */
const COVERAGE = 1 + columns.findIndex(({ split, name }) => split === "held-out" && name === "pass@64")

/** The base policy, from which every run begins, before it is taught or trained. */
const BASE = present(measured.A1[0])
const armOf = new Map(Object.entries(story.given.arms).flatMap(([arm, labels]) => labels.map((label) => [label, arm])))
/** The seed of a run's command line; the program's own is 1. */
function seedOf(label: string): number {
  const argv = story.rooms.find(({ as }) => as === label)?.body?.argv ?? []
  const at = argv.indexOf("--seed")
  return at === -1 ? 1 : Number(argv[at + 1])
}
/** A row of a curve: its step, then the columns. */
type Row = readonly (number | null)[]

/** What a run evaluates at its end, by arm and seed: what it ends with, and what it began from. */
function evaluated(label: string, rows: readonly Row[]): JsonObject[] {
  const [arm, seed, end] = [armOf.get(label), seedOf(label), rows.at(-1)]
  if (arm === undefined || end === undefined) return []
  const at = (step: number) => rows.find(([each]) => each === step)
  const [early, late] = [at(80), at(160)]
  const places: (readonly [string, Row])[] = [
    ["base policy", BASE],
    [arm, end],
  ]
  if (arm === "GRPO" && early !== undefined) places.push(["GRPO to step 80", early])
  if (arm === "80 shown, then GRPO" && rows[0] !== undefined) places.push(["80 shown", rows[0]])
  const finals = [...columns.entries()].flatMap(([place, { split, name }]) =>
    split !== "held-out" || name === "entropy"
      ? []
      : places.map(([of, row]) => ({
          name: `${split} ${name}`,
          value: row[place + 1] ?? null,
          dimensions: { arm: of, seed },
        })),
  )
  if (late === undefined) return finals
  const lost = Number(((late.at(COVERAGE) ?? 0) - (end.at(COVERAGE) ?? 0)).toFixed(4))
  return [...finals, { name: "lost after step 160", value: lost, dimensions: { arm, seed } }]
}

/** The curves as reports of runs, each with the file that holds it. */
function curves(): JsonObject {
  const reports = Object.entries(measured).map(([label, rows]) => {
    const points = rows.flatMap(([step = null, ...values]) =>
      columns.map(({ split, name }, at) => ({ step, split, name, value: values[at] ?? null })),
    )
    const digest = digestOf(JSON.stringify(points))
    const metrics = [
      ...points.map((point) => ({
        ...point,
        value: point.value ?? "NaN",
        ...(point.name === "entropy" ? { unit: "nat" } : {}),
      })),
      ...evaluated(label, rows),
    ]
    return [
      label,
      { metrics, digest, outputs: [{ outputLabel: "metrics.json", digest, mediaType: "application/json" }] },
    ]
  })
  return Object.fromEntries(reports)
}

/** Adds the papers' metadata, as if read from arXiv. */
async function addMetadata({ ledger, metadataIntake, world }: Instance): Promise<void> {
  const at = new Date(world.now()).toISOString()
  const records = papers.map((paper) => present(paperFromArxiv({ ...paper, doi: null, journal: null })))
  await ledger.transact(() => {
    metadataIntake.store(records, "arxiv", at)
    metadataIntake.reveal(records.map(({ paperId }) => paperId))
  })
}

/** Tells the story. @returns the demo's named objects */
export async function tellStory(instance: Instance, clock: StoryClock, repositories: DemoRepositories): Promise<Cast> {
  const narrator = new Narrator(instance, clock)
  const roomsWritten = Promise.withResolvers<void>()
  const ada = narrator.person("ada")
  const grace = narrator.person("grace", ada)
  const mary = narrator.person("mary", roomsWritten.promise)
  const [owner, member] = [await ada, await grace]
  const people = { ada: owner, grace: member }
  const { url, commit, otherCommit } = repositories.public
  const given: JsonObject = {
    given: story.given,
    curves: curves(),
    everything: { permissions: [...enumerations.permission], libraryPermissions: [...enumerations.libraryPermission] },
    repository: { pin: { url, commit }, laterPin: { url, commit: otherCommit } },
  }
  await narrator.tell(story.rooms, story.likes, people, given)
  roomsWritten.resolve()
  const visitor = await mary
  await narrator.tell(story.library, story.likes, people, given)
  await addMetadata(instance)
  await narrator.tell(story.keys, story.likes, people, given)
  return {
    people: { owner, member, visitor },
    rooms: each(roomNames, (name): DemoRoom => {
      const { roomId, openingThreadId } = narrator.receipt(name, "create_room").result
      return { roomId, openingThreadId }
    }),
    credentials: each(credentialNames, (name): DemoCredential => {
      const { by, roomId, result } = narrator.receipt(name, "issue_credential")
      const { token = "", permissions, threadIds } = result
      return { token, username: by, roomId: present(roomId), permissions, threadIds }
    }),
    keys: each(keyNames, (name): DemoKey => {
      const { by, result } = narrator.receipt(`key ${name}`, "issue_key")
      const { token = "", permissions, reach, collectionIds } = result
      return { token, username: by, permissions, reach, collectionIds }
    }),
    repositories,
  }
}
