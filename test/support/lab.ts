/**
 * The laboratory of the tests: people, Rooms with a client for each member, and credentials. `openLab` has the demo's
 * service, and `openOwn` an empty one, both driven over HTTP. `openInside` has an empty instance without a service,
 * whose ledger and data the test reaches. In each a client goes through the whole HTTP layer, and every answer is
 * checked against the contract.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import {
  type AnswerOf,
  type Fetch,
  type ReceiptOf,
  RefusedError,
  ResearchRoomClient,
  type WriteInput,
} from "research-room/client"
import { type Browser, startResearchRoom } from "research-room/testing"
import { createInstance, type Instance } from "../../src/app/compose/instance.ts"
import { createApp } from "../../src/app/serving/surface.ts"
import type { Receipt } from "../../src/contract/answers/receipts.ts"
import { pathNames } from "../../src/contract/definitions/operation.ts"
import { type CalledName, operationOf, type OperationName } from "../../src/contract/operations/index.ts"
import { Refusal, type RefusalCode } from "../../src/contract/refusals.ts"
import { makeRepositories } from "../../src/demo/repositories.ts"
import { StoryClock } from "../../src/demo/story.ts"
import { listen, serveOn } from "../../src/http/server.ts"
import type { Actor } from "../../src/ledger/journal/actor.ts"
import type { Db } from "../../src/ledger/storage/database.ts"
import { databaseFile, openData, openDatabase } from "../../src/ledger/storage/opening.ts"
import { isoTime, realWorld } from "../../src/ledger/world.ts"
import { openLog } from "../../src/log.ts"
import { type Answer, ask } from "./ask.ts"
import { action, type Body, freshId, type Place } from "./bodies.ts"
import { checking } from "./checking.ts"
import { held } from "./contract.ts"
import { CountingCheck } from "./counting-check.ts"
import { addPerson } from "./people.ts"
import { type OwnOptions, type Own as Service, startOwn, temporaryFolder } from "./service.ts"

export type Name = "ada" | "grace" | "mary"
const three: readonly Name[] = ["ada", "grace", "mary"]

/** A test, or all of a file's tests: the lab closes when it ends. */
export interface Ending {
  teardown(end: () => unknown): unknown
}

/** A Room and a client for each of its members; `threadId` is its opening Thread. */
export type LabRoom<P extends string = Name> = Place & Readonly<Record<P, ResearchRoomClient>>

export const everything = ["post_thread", "publish_records", "manage_own_experiments"] as const

/** What a lab is made of, however it is driven. */
interface Means<P extends string> {
  readonly baseUrl: string
  readonly fetch: Fetch
  /** Its people, each with the name they sign in with. The first owns the Rooms. */
  readonly usernames: ReadonlyMap<P, string>
  /** Sends an operation as a person does in the browser. `input` holds the body and the ids of the path. */
  write<N extends CalledName>(who: P, name: N, input: WriteInput<N>): Promise<ReceiptOf<N>>
}

function labOf<P extends string>({ baseUrl, fetch, usernames, write }: Means<P>) {
  const people = [...usernames.keys()]
  const open = (token?: string) => new ResearchRoomClient({ baseUrl, token, fetch, retries: 0 })
  /** An anonymous client, which only reads. */
  const reader = open()

  /** Issues a credential for a member. */
  async function credential(who: P, roomId: string, more: Partial<WriteInput<"issue_credential">> = {}) {
    const label = `${who}'s agent ${freshId()}`
    const { result } = await write(who, "issue_credential", { roomId, label, permissions: everything, ...more })
    return { credentialId: result.credentialId, token: result.token as string }
  }

  /** A client for a person, with a new credential. */
  const client = async (...whose: Parameters<typeof credential>) => open((await credential(...whose)).token)

  /** A new Room, without agents: of the first two people if no others are named. */
  async function place(title = "A Room of its own", members: readonly P[] = people.slice(0, 2)): Promise<Place> {
    const [owner, ...others] = members
    if (owner === undefined) throw new Error("a Room needs an owner")
    const { roomId, openingThreadId: threadId } = (await write(owner, "create_room", { title })).result
    for (const member of others) await write(owner, "add_member", { roomId, username: usernames.get(member) ?? member })
    return { roomId, threadId }
  }

  return {
    baseUrl,
    reader,
    /** A client with any token. */
    open,
    write,
    credential,
    client,
    place,
    /** A new Room with a client for each of its members; the first of them owns it. */
    async room<M extends P = P>(
      title = "What is found out here",
      members = people as readonly P[] as readonly M[],
    ): Promise<LabRoom<M>> {
      const made = await place(title, members)
      const clients: [M, ResearchRoomClient][] = []
      for (const member of members) clients.push([member, await client(member, made.roomId)])
      return { ...made, ...(Object.fromEntries(clients) as Record<M, ResearchRoomClient>) }
    },
    /** Reads a record, given a receipt's `result`. */
    record: ({ versionId }: { readonly versionId: string }): Promise<AnswerOf<"record">> =>
      reader.read("record", { versionId }),
    /** Archives a Room as its owner. */
    async archive(roomId: string, reason = "It is answered."): Promise<void> {
      await write(people[0] as P, "archive_room", { roomId, reason })
    },
    async restore(roomId: string, reason = "It is not."): Promise<void> {
      await write(people[0] as P, "restore_room", { roomId, reason })
    },
  }
}

export type Lab = Awaited<ReturnType<typeof openLab>>

/** Starts the demo's service, with its people in their browsers: ada is the owner, grace a member, mary a visitor. */
export async function openLab(t: Ending) {
  const folder = temporaryFolder()
  const house = await startResearchRoom({ data: folder })
  t.teardown(async () => {
    await house.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const { baseUrl } = house
  const people = { ada: house.people.owner, grace: house.people.member, mary: house.people.visitor }
  const browsers = {
    ada: await house.browser("owner", { fetch: held }),
    grace: await house.browser("member", { fetch: held }),
    mary: await house.browser("visitor", { fetch: held }),
  }
  const cookies = new Map<Name, Promise<string>>()
  const cookieOf = async (name: Name): Promise<string> => {
    const { username, password } = people[name]
    const answer = await ask(`${baseUrl}/api/session`, { body: { username, password }, headers: { origin: baseUrl } })
    return answer.headers.getSetCookie()[0]?.split(";")[0] ?? ""
  }
  return {
    house,
    folder,
    /** The data file, for a second connection. */
    file: databaseFile(folder),
    ...browsers,
    userIds: { ada: people.ada.userId, grace: people.grace.userId, mary: people.mary.userId },
    ...labOf<Name>({
      baseUrl,
      fetch: held,
      usernames: new Map(three.map((name) => [name, people[name].username])),
      write: (who, name, input) => browsers[who].write(name, input),
    }),

    /** A write at a browser route, for any sender. */
    async at(who: Name | "nobody", method: string, path: string, body: Body = action()): Promise<Answer> {
      if (who !== "nobody" && !cookies.has(who)) cookies.set(who, cookieOf(who))
      const cookie = who === "nobody" ? "" : ((await cookies.get(who)) ?? "")
      return ask(`${baseUrl}${path}`, {
        method,
        headers: { origin: baseUrl, cookie },
        ...(method === "GET" ? {} : { body }),
      })
    },
  }
}

export type Own<P extends string = Name> = Awaited<ReturnType<typeof openOwn<P>>>

/** Starts an empty service, with people in their browsers: the first is its operator. The test moves its clock. */
export async function openOwn<P extends string = Name>(
  t: Ending,
  {
    people: names = three as readonly string[] as readonly P[],
    ...options
  }: OwnOptions & { readonly people?: readonly P[] } = {},
) {
  const own = await startOwn(options)
  t.teardown(() => own.close())
  return inhabit(own, names)
}

/** People in their browsers at a service that runs already. */
export const labAt = <P extends string>(baseUrl: string, browsers: Readonly<Record<P, Browser>>) =>
  labOf<P>({
    baseUrl,
    fetch: held,
    usernames: new Map((Object.keys(browsers) as P[]).map((name) => [name, name])),
    write: (who, name, input) => browsers[who].write(name, input),
  })

/** Sets up a service that has no people yet. */
export async function inhabit<P extends string>(own: Service, names: readonly P[]) {
  const people: [P, Browser][] = []
  for (const name of names) people.push([name, people.length === 0 ? await own.setUp(name) : await own.person(name)])
  const browsers = Object.fromEntries(people) as Record<P, Browser>
  const userIds = names.map((name) => [name, own.instance.tables.people.named(name)?.userId])
  return {
    ...own,
    file: databaseFile(own.folder),
    ...browsers,
    userIds: Object.fromEntries(userIds) as Record<P, string>,
    ...labAt(own.baseUrl, browsers),
  }
}

/** A Room on such a service, with two agents of ada's and one of grace's, and a repository for their code. */
export async function openAgents(t: Ending, title: string) {
  const folder = temporaryFolder()
  const { url, commit, otherCommit } = makeRepositories(join(folder, "repositories")).public
  const lab = await openOwn(t, { folder, repositories: join(folder, "repositories"), people: ["ada", "grace"] })
  const place = await lab.place(title)
  const agent = (who: "ada" | "grace", label: string) => lab.client(who, place.roomId, { label })
  return {
    ...lab,
    ...place,
    repository: { url, commit },
    otherCode: { url, commit: otherCommit },
    agent,
    mcp: await agent("ada", "mcp"),
    sweeper: await agent("ada", "sweeper"),
    runner: await agent("grace", "runner"),
  }
}

/** The HTTP layer over an instance, as the service has it. */
export const appOf = (instance: Instance, baseUrl = "http://here") =>
  createApp({ instance, baseUrl, softwareVersion: "0", log: openLog("silent") })

interface Options<P extends string> {
  /** The first of them owns the Rooms. They have no passwords: each acts at the ledger, or with a credential. */
  readonly people?: readonly P[]
  /** Listens on a port, as in production; otherwise requests reach the HTTP layer without a socket. */
  readonly served?: boolean
  /** Wraps the database, to observe the statements. */
  readonly around?: (db: Db) => Db
  /** Milliseconds since 1970; defaults to the real clock. */
  readonly clock?: () => number
}

export interface Sent {
  readonly actor: Actor
  readonly name: OperationName
  readonly params?: Readonly<Record<string, string>>
  readonly body: Body
  readonly rehearse?: boolean
}

export type Inside<P extends string = Name> = Awaited<ReturnType<typeof openInside<P>>>

/** Makes an empty instance in this process. */
export async function openInside<P extends string = Name>(
  t: Ending,
  {
    people: names = three as readonly string[] as readonly P[],
    served = false,
    around = (db) => db,
    clock = Date.now,
  }: Options<P> = {},
) {
  const folder = temporaryFolder()
  const file = databaseFile(folder)
  const { db, world, instanceId } = openData(file, realWorld(clock))
  const check = new CountingCheck()
  const instance = createInstance({ db: around(db), world, instanceId, repositories: check })
  const listening = served ? await listen("127.0.0.1", 0) : null
  const baseUrl = `http://127.0.0.1:${listening?.port ?? 80}`
  const app = appOf(instance, baseUrl)
  const stop = listening === null ? async () => {} : serveOn(listening.server, app, baseUrl)
  const inside: Fetch = async (url, init) =>
    app.fetch(new Request(url, { ...init, headers: { ...(init.headers as object), host: "127.0.0.1" } }))
  t.teardown(async () => {
    await stop()
    db.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const people = names.map((name): [P, Actor] => [name, { ...addPerson(instance, name), grant: null }])
  const actors = Object.fromEntries(people) as Record<P, Actor>

  /** Sends a write to the ledger. @throws Refusal */
  async function admit({ name, params = {}, ...sent }: Sent): Promise<Receipt> {
    return JSON.parse(await instance.ledger.admit({ operation: operationOf(name), params, ...sent })) as Receipt
  }

  /** A second connection to the data, as another process has. */
  function connection(): Db {
    const second = openDatabase(file)
    t.teardown(() => second.close())
    return second
  }

  return {
    db,
    instance,
    /** Stands in for the host of repositories. */
    check,
    folder,
    file,
    people: actors,
    admit,
    connection,
    /** An instance over the same data, as another process has. */
    beside: (second = connection(), indexesLater = false) =>
      createInstance({ db: second, world: realWorld(clock), instanceId: freshId(), indexesLater }),
    ...labOf<P>({
      baseUrl,
      fetch: checking(listening === null ? inside : globalThis.fetch),
      usernames: new Map(names.map((name) => [name, name])),
      async write(who, name, input) {
        const operation = operationOf(name)
        const params: Record<string, string> = {}
        const body: Body = { schemaVersion: 3, [operation.delivery]: world.id(), ...input }
        for (const id of pathNames(operation.path)) {
          params[id] = body[id] as string
          if (!Object.hasOwn(operation.body.entries, id)) delete body[id]
        }
        return (await admit({ actor: actors[who], name, params, body })) as never
      },
    }),
  }
}

export type Ledger = Awaited<ReturnType<typeof openLedger>>

/**
 * A Room of ada's and grace's, with the ledger driven directly. Its clock stands still until the test moves it.
 */
export async function openLedger(t: Ending) {
  const clock = new StoryClock(Date.parse("2026-11-20T09:00:00.000Z"))
  const lab = await openInside(t, { people: ["ada", "grace"], clock: clock.read })
  clock.pass(7)
  const { roomId, threadId } = await lab.place("Warm-up")
  return {
    ...lab,
    ...lab.people,
    clock,
    roomId,
    threadId,
    /** Issues a credential and admits a request with it, as the HTTP layer does. */
    async agent(who: "ada" | "grace", more: Partial<WriteInput<"issue_credential">> = {}) {
      const issued = await lab.credential(who, roomId, more)
      return { ...lab.instance.tables.credentials.authenticate(issued.token, isoTime(clock.read())), ...issued }
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

/** The refusal of a request. @throws Error if the request was accepted */
export async function refusalOf(request: Promise<unknown>): Promise<RefusedError> {
  try {
    await request
  } catch (error) {
    if (error instanceof RefusedError) return error
    throw error
  }
  throw new Error("it was accepted")
}

/** A refusal as one line: status, code, and the paths of its issues. */
export async function refusedAs(request: Promise<unknown>): Promise<string> {
  const { status, refusal, issues } = await refusalOf(request)
  return [status, refusal, ...issues.map(({ path }) => path)].join(" ")
}

/** Collects all items of a list, over all its pages. */
export async function everyItem<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

/** The code of a write's refusal; "accepted" if it was stored. @throws any other error */
export const refusedWith = (write: Promise<unknown>): Promise<string> =>
  write.then(
    () => "accepted",
    (error: unknown) => {
      if (error instanceof RefusedError) return error.refusal
      throw error
    },
  )

/** The codes of a receipt's warnings. */
export const codesOf = ({ warnings }: { readonly warnings: readonly { readonly code: string }[] }): string[] =>
  warnings.map(({ code }) => code)
