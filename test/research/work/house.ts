/**
 * An instance for tests of work, with any number of people: in memory and without a socket, or on a file and a port.
 * Either way a client goes through the whole HTTP layer, and every answer is checked against the contract.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Fetch, ResearchRoomClient, type WriteInput } from "research-room/client"
import { operationNamed, type OperationName, type ResultOf } from "../../../src/contract/operations/index.ts"
import { pathNames } from "../../../src/contract/definitions/operation.ts"
import { createApp } from "../../../src/app/serving/surface.ts"
import { listen, serveOn } from "../../../src/http/server.ts"
import { createInstance, type Instance } from "../../../src/app/compose/instance.ts"
import { openData } from "../../../src/ledger/storage/data.ts"
import type { Db } from "../../../src/ledger/storage/database.ts"
import { realWorld } from "../../../src/ledger/world.ts"
import { openLog } from "../../../src/log.ts"
import { freshId } from "../../support/bodies.ts"
import { addPerson } from "../../support/people.ts"
import { checking } from "./checking.ts"
import { CountingCheck } from "./counting-check.ts"

export interface Person {
  readonly userId: string
  readonly username: string
}

/** A Room with a client for each of its members. */
export interface TestRoom {
  readonly roomId: string
  readonly threadId: string
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
    this.people = Array.from({ length: people }, (_, index) => this.#person(`person-${index}`))
  }

  static async open({
    people = 4,
    served = false,
    around = (db) => db,
    clock = Date.now,
  }: HouseOptions = {}): Promise<House> {
    const folder = served ? mkdtempSync(join(tmpdir(), "research-room-work-")) : null
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

  /** Adds a person who never signs in, so that no password has to be hashed. */
  #person(username: string): Person {
    return addPerson(this.instance, username)
  }

  /** Runs an operation as a person in the browser. `input` holds the body and the ids of the path. */
  async does<N extends OperationName>(
    { userId, username }: Person,
    name: N,
    input: WriteInput<N>,
  ): Promise<{ readonly result: ResultOf<N> }> {
    const operation = operationNamed(name)
    if (operation === undefined) throw new Error(`${name} is not an operation`)
    const params: Record<string, string> = {}
    const body: Record<string, unknown> = { schemaVersion: 3, [operation.delivery]: this.instance.world.id(), ...input }
    for (const id of pathNames(operation.path)) {
      params[id] = body[id] as string
      if (!Object.hasOwn(operation.body.entries, id)) delete body[id]
    }
    const text = await this.instance.ledger.admit({ operation, actor: { userId, username, grant: null }, params, body })
    return JSON.parse(text) as { result: ResultOf<N> }
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

  /** Creates a Room owned by the first of these people, with the others as members. */
  async room(people: readonly Person[] = this.people): Promise<TestRoom> {
    const [owner, ...members] = people as readonly [Person, ...Person[]]
    const { result } = await this.does(owner, "create_room", { title: "Where the work is done" })
    const { roomId } = result
    for (const { username } of members) await this.does(owner, "add_member", { roomId, username })
    const clients = new Map<string, ResearchRoomClient>()
    for (const person of people) clients.set(person.userId, this.client(await this.credential(person, roomId)))
    return {
      roomId,
      threadId: result.openingThreadId,
      client: ({ userId }) => clients.get(userId) as ResearchRoomClient,
    }
  }
}
