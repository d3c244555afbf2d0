/**
 * A demo instance over HTTP: its people in their browsers, and Rooms made for one scene each. In a lab the three people
 * have a client each in every Room. Every answer is checked against the contract.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { type AnswerOf, RefusedError, ResearchRoomClient } from "research-room/client"
import { type Browser, type ResearchRoom, startResearchRoom } from "research-room/testing"
import { type Answer, ask } from "./ask.ts"
import { action, type Body, freshId, type Place } from "./bodies.ts"
import { held } from "./contract.ts"
import { temporaryFolder } from "./service.ts"

export type Name = "ada" | "grace" | "mary"
export type Cast = Awaited<ReturnType<typeof castOf>>

/** Signs in the demo's people: ada is the owner, grace a member, mary a visitor. */
export async function castOf(house: ResearchRoom) {
  const { owner, member, visitor } = house.people
  const people = { ada: owner, grace: member, mary: visitor }
  const [ada, grace, mary]: Browser[] = [
    await house.browser("owner", { fetch: held }),
    await house.browser("member", { fetch: held }),
    await house.browser("visitor", { fetch: held }),
  ]
  if (!(ada && grace && mary)) throw new Error("there are three people")
  const cookies = new Map<Name, Promise<string>>()
  const cookieOf = async (name: Name): Promise<string> => {
    const { username, password } = people[name]
    const headers = { origin: house.baseUrl }
    const answer = await ask(`${house.baseUrl}/api/session`, { body: { username, password }, headers })
    return answer.headers.getSetCookie()[0]?.split(";")[0] ?? ""
  }
  return {
    ada,
    grace,
    mary,
    ids: { ada: owner.userId, grace: member.userId, mary: visitor.userId },

    /** A write at a browser route, for any sender. */
    async at(who: Name | "nobody", method: string, path: string, body: Body = action()): Promise<Answer> {
      if (who !== "nobody" && !cookies.has(who)) cookies.set(who, cookieOf(who))
      const cookie = who === "nobody" ? "" : ((await cookies.get(who)) ?? "")
      return ask(`${house.baseUrl}${path}`, {
        method,
        headers: { origin: house.baseUrl, cookie },
        ...(method === "GET" ? {} : { body }),
      })
    },

    /** A new Room of ada's, with grace as a member. */
    async room(title = "A Room of its own"): Promise<Place> {
      const { result } = await ada.write("create_room", { title })
      await ada.write("add_member", { roomId: result.roomId, username: member.username })
      return { roomId: result.roomId, threadId: result.openingThreadId }
    },
  }
}

/** A Room and a client for each of its members; `threadId` is its opening Thread. */
export interface LabRoom extends Place, Readonly<Record<Name, ResearchRoomClient>> {}

export interface Lab {
  readonly house: ResearchRoom
  /** The data file, for a second connection. */
  readonly file: string
  /** An anonymous client. */
  readonly reader: ResearchRoomClient
  /** Reads a record, given a receipt's `result`. */
  record(of: { readonly versionId: string }): Promise<AnswerOf<"record">>
  readonly browsers: Readonly<Record<Name, Browser>>
  readonly userIds: Readonly<Record<Name, string>>
  room(title?: string): Promise<LabRoom>
  /** A client for a person, with a new credential. */
  client(
    name: Name,
    roomId: string,
    more?: { readonly permissions?: readonly Permission[] },
  ): Promise<ResearchRoomClient>
  /** Archives a Room as its owner. */
  archive(roomId: string): Promise<void>
}

type Permission = "post_thread" | "publish_records" | "manage_own_experiments"
const everything: readonly Permission[] = ["post_thread", "publish_records", "manage_own_experiments"]

/** Starts a lab that closes when the test ends. */
export async function openLab(t: { teardown(end: () => unknown): unknown }): Promise<Lab> {
  const data = temporaryFolder()
  const house = await startResearchRoom({ data })
  t.teardown(async () => {
    await house.close()
    rmSync(data, { recursive: true, force: true })
  })
  const { ids: userIds, ...browsers } = await castOf(house)
  const { member, visitor } = house.people
  const open = (token?: string) => new ResearchRoomClient({ baseUrl: house.baseUrl, token, fetch: held, retries: 0 })

  async function client(name: Name, roomId: string, { permissions = everything } = {}): Promise<ResearchRoomClient> {
    const { result } = await browsers[name].write("issue_credential", {
      roomId,
      label: `${name}'s agent ${freshId()}`,
      permissions,
    })
    return open(result.token)
  }

  const reader = open()
  return {
    house,
    file: join(data, "research-room.db"),
    reader,
    record: ({ versionId }) => reader.read("record", { versionId }),
    browsers,
    userIds,
    client,
    async room(title = "What is found out here") {
      const { roomId, openingThreadId: threadId } = (await browsers.ada.write("create_room", { title })).result
      for (const { username } of [member, visitor]) await browsers.ada.write("add_member", { roomId, username })
      return {
        roomId,
        threadId,
        ada: await client("ada", roomId),
        grace: await client("grace", roomId),
        mary: await client("mary", roomId),
      }
    },
    async archive(roomId) {
      await browsers.ada.write("archive_room", { roomId, reason: "It is answered." })
    },
  }
}

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
