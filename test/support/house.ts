/**
 * An instance in this process with any number of people: in memory and without a socket, or on a file and a port.
 * Either way a client goes through the whole HTTP layer, and every answer is checked against the contract. The ledger
 * can be driven directly.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { type Fetch, ResearchRoomClient, type WriteInput } from "research-room/client"
import type { Receipt } from "../../src/contract/answers/index.ts"
import { operationNamed, type OperationName, type ResultOf } from "../../src/contract/operations/index.ts"
import { pathNames } from "../../src/contract/definitions/operation.ts"
import { Refusal, type RefusalCode } from "../../src/contract/refusals.ts"
import { createApp } from "../../src/app/serving/surface.ts"
import { listen, serveOn } from "../../src/http/server.ts"
import { createInstance, type Instance } from "../../src/app/compose/instance.ts"
import { StoryClock } from "../../src/demo/story.ts"
import type { Actor } from "../../src/ledger/journal/actor.ts"
import { openData } from "../../src/ledger/storage/opening.ts"
import type { Db } from "../../src/ledger/storage/database.ts"
import type { OutsideCheck } from "../../src/ledger/write/admission.ts"
import { isoTime, realWorld } from "../../src/ledger/world.ts"
import { openLog } from "../../src/log.ts"
import { type Body, freshId, type Place } from "./bodies.ts"
import { checking } from "./checking.ts"
import { CountingCheck } from "./counting-check.ts"
import { addPerson } from "./people.ts"
import { temporaryFolder } from "./service.ts"

export interface Person {
  readonly userId: string
  readonly username: string
}

/** A Room with a client for each of its members. */
export interface TestRoom extends Place {
  client(person: Person): ResearchRoomClient
}

export interface HouseOptions {
  readonly people?: number
  /** Serve on a port and keep the data in a file, as in production. */
  readonly served?: boolean
  /** Wraps the database, to observe the statements. */
  readonly around?: (db: Db) => Db
  /** Milliseconds since 1970; defaults to the real clock. */
  readonly clock?: () => number
}

const everything = ["post_thread", "publish_records", "manage_own_experiments"] as const

const operationOf = (name: OperationName) => {
  const operation = operationNamed(name)
  if (operation === undefined) throw new Error(`${name} is not an operation`)
  return operation
}

/** An operation as a person in the browser sends it. `input` holds the body and the ids of the path. */
async function does<N extends OperationName>(
  instance: Instance,
  { userId, username }: Person,
  name: N,
  input: WriteInput<N>,
): Promise<{ readonly result: ResultOf<N> }> {
  const operation = operationOf(name)
  const params: Record<string, string> = {}
  const body: Record<string, unknown> = { schemaVersion: 3, [operation.delivery]: instance.world.id(), ...input }
  for (const id of pathNames(operation.path)) {
    params[id] = body[id] as string
    if (!Object.hasOwn(operation.body.entries, id)) delete body[id]
  }
  const text = await instance.ledger.admit({ operation, actor: { userId, username, grant: null }, params, body })
  return JSON.parse(text) as { result: ResultOf<N> }
}

/** Creates a Room owned by the first of these people, with the others as members. */
async function roomOf(instance: Instance, [owner, ...members]: readonly Person[], title: string): Promise<Place> {
  if (owner === undefined) throw new Error("a Room needs an owner")
  const { roomId, openingThreadId: threadId } = (await does(instance, owner, "create_room", { title })).result
  for (const { username } of members) await does(instance, owner, "add_member", { roomId, username })
  return { roomId, threadId }
}

export class House {
  readonly instance: Instance
  readonly baseUrl: string
  readonly people: readonly Person[]
  readonly check: CountingCheck
  readonly #fetch: Fetch
  readonly close: () => Promise<void>

  private constructor(
    instance: Instance,
    check: CountingCheck,
    baseUrl: string,
    fetch: Fetch,
    people: number,
    close: () => Promise<void>,
  ) {
    this.instance = instance
    this.check = check
    this.baseUrl = baseUrl
    this.#fetch = fetch
    this.close = close
    this.people = Array.from({ length: people }, (_, index) => addPerson(instance, `person-${index}`))
  }

  static async open({
    people = 4,
    served = false,
    around = (db) => db,
    clock = Date.now,
  }: HouseOptions = {}): Promise<House> {
    const folder = served ? temporaryFolder() : null
    const { db, world, instanceId } = openData(
      folder === null ? ":memory:" : join(folder, "research-room.db"),
      realWorld(clock),
    )
    const check = new CountingCheck()
    const instance = createInstance({ db: around(db), world, instanceId, repositories: check })
    const listening = served ? await listen("127.0.0.1", 0) : null
    const baseUrl = `http://127.0.0.1:${listening?.port ?? 80}`
    const app = createApp({ instance, baseUrl, softwareVersion: "0.0.0", log: openLog("silent") })
    const stop = listening === null ? async () => {} : serveOn(listening.server, app, baseUrl)
    const inside: Fetch = async (url, init) =>
      app.fetch(
        new Request(url, { ...init, headers: { ...(init.headers as Record<string, string>), host: "127.0.0.1" } }),
      )
    return new House(instance, check, baseUrl, listening === null ? inside : globalThis.fetch, people, async () => {
      await stop()
      db.close()
      if (folder !== null) rmSync(folder, { recursive: true, force: true })
    })
  }

  does<N extends OperationName>(person: Person, name: N, input: WriteInput<N>) {
    return does(this.instance, person, name, input)
  }

  /** A client with its own credential, or an anonymous one that only reads. */
  client(token?: string, fetch: Fetch = checking(this.#fetch)): ResearchRoomClient {
    return new ResearchRoomClient({ baseUrl: this.baseUrl, token, fetch, retries: 0 })
  }

  /** Issues a credential for a member. */
  async credential(
    person: Person,
    roomId: string,
    more: Partial<WriteInput<"issue_credential">> = {},
  ): Promise<string> {
    const { result } = await this.does(person, "issue_credential", {
      roomId,
      label: `agent ${freshId()}`,
      permissions: [...everything],
      ...more,
    })
    return result.token as string
  }

  async room(people: readonly Person[] = this.people): Promise<TestRoom> {
    const place = await roomOf(this.instance, people, "Where the work is done")
    const clients = new Map<string, ResearchRoomClient>()
    for (const person of people) clients.set(person.userId, this.client(await this.credential(person, place.roomId)))
    return { ...place, client: ({ userId }) => clients.get(userId) as ResearchRoomClient }
  }
}

export interface Sent {
  readonly actor: Actor
  readonly name: OperationName
  readonly params?: Readonly<Record<string, string>>
  readonly body: Body
  readonly rehearse?: boolean
}

export type RoomOfTwo = Awaited<ReturnType<typeof openRoom>>

/**
 * Opens a Room of ada's and grace's on a real file, with the ledger driven directly. Its clock stands still until the
 * test moves it. @param repositories says which are public; if omitted, nothing is looked up
 */
export async function openRoom(repositories?: OutsideCheck) {
  const folder = temporaryFolder()
  const clock = new StoryClock(Date.parse("2026-11-20T09:00:00.000Z"))
  const { db, world, instanceId } = openData(join(folder, "research-room.db"), realWorld(clock.read))
  const instance = createInstance({ db, world, instanceId, ...(repositories && { repositories }) })
  const [ada, grace] = [addPerson(instance, "ada"), addPerson(instance, "grace")]
  clock.pass(7)
  const { roomId, threadId } = await roomOf(instance, [ada, grace], "Warm-up")
  return {
    db,
    instance,
    clock,
    roomId,
    threadId,
    folder,
    ada: { ...ada, grant: null } satisfies Actor,
    grace: { ...grace, grant: null } satisfies Actor,

    /** Issues a credential and admits a request with it, as the HTTP layer does. */
    async credential(
      person: Actor,
      more: Partial<WriteInput<"issue_credential">> = {},
    ): Promise<Actor & { readonly token: string; readonly credentialId: string }> {
      const { result } = await does(instance, person, "issue_credential", {
        roomId,
        label: `agent ${freshId()}`,
        permissions: [...everything],
        ...more,
      })
      const token = result.token as string
      const { credentialId } = result
      return { ...instance.tables.credentials.authenticate(token, isoTime(world.now())), token, credentialId }
    },

    /** Sends a write to the ledger. @throws Refusal */
    async admit({ name, params = {}, ...sent }: Sent): Promise<Receipt> {
      return JSON.parse(await instance.ledger.admit({ operation: operationOf(name), params, ...sent })) as Receipt
    },

    close(): void {
      db.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The code a write was refused with, `accepted`, or `replayed`. @throws any other error */
export const outcomeOf = (write: Promise<Receipt>): Promise<RefusalCode | "accepted" | "replayed"> =>
  write.then(
    ({ replayed }) => (replayed === true ? "replayed" : "accepted"),
    (error: unknown) => {
      if (error instanceof Refusal) return error.code
      throw error
    },
  )
