/**
 * A demo instance over HTTP with the test's own Rooms and three people in each: ada owns them, grace and mary are
 * members. Every answer is checked against the contract.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type AnswerOf, RefusedError, ResearchRoomClient } from "research-room/client"
import { type ResearchRoom, startResearchRoom } from "research-room/testing"
import { freshId } from "../../support/bodies.ts"
import { held } from "../../support/contract.ts"

export type Name = "ada" | "grace" | "mary"
type Browser = Awaited<ReturnType<ResearchRoom["browser"]>>

/** A Room and a client for each of its members. */
export interface LabRoom extends Readonly<Record<Name, ResearchRoomClient>> {
  readonly roomId: string
  /** The Room's opening Thread. */
  readonly threadId: string
}

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
  const data = mkdtempSync(join(tmpdir(), "research-room-record-"))
  const house = await startResearchRoom({ data })
  t.teardown(async () => {
    await house.close()
    rmSync(data, { recursive: true, force: true })
  })
  const { owner, member, visitor } = house.people
  const [ada, grace, mary] = await Promise.all(
    [owner, member, visitor].map((person) => house.browser(person, { fetch: held })),
  )
  const browsers = { ada, grace, mary } as Record<Name, Browser>
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
    userIds: { ada: owner.userId, grace: member.userId, mary: visitor.userId },
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
