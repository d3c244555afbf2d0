/** People, Rooms and credentials for a run, made through the service's own routes. */
import { Browser } from "research-room/testing"
import type { DemoRepositories } from "../../../src/demo/repositories.ts"
import { type ResearchClient, reader } from "./truth.ts"

export interface Person {
  readonly userId: string
  readonly username: string
  readonly browser: Browser
}
export interface Credential {
  readonly id: string
  readonly token: string
  readonly permissions: readonly string[]
}
export interface Room {
  readonly roomId: string
  readonly openingThreadId: string
  readonly founded: number
  /** By userId: two with all permissions, and one that may only talk. */
  readonly credentials: ReadonlyMap<string, readonly Credential[]>
}
export interface House {
  readonly baseUrl: string
  /** The first of them owns the Rooms. */
  readonly people: readonly Person[]
  readonly repositories: DemoRepositories
}

const everything = ["post_thread", "publish_records", "manage_own_experiments"] as const
const grants = [everything, everything, ["post_thread"]] as const

/** Signs in people who exist already. */
export async function houseOf(
  baseUrl: string,
  known: readonly { readonly username: string; readonly password: string }[],
  repositories: DemoRepositories,
): Promise<House> {
  const people = await Promise.all(
    known.map(async ({ username, password }) => {
      const browser = await Browser.signIn({ baseUrl }, { username, password })
      const { person } = (await (await browser.request("GET", "/api/session")).json()) as { person: { userId: string } }
      return { userId: person.userId, username, browser }
    }),
  )
  return { baseUrl, people, repositories }
}

async function credentialsOf({ browser }: Person, roomId: string): Promise<Credential[]> {
  const made: Credential[] = []
  for (const permissions of grants) {
    const { result } = await browser.write("issue_credential", {
      roomId,
      label: `history ${made.length}`,
      permissions: [...permissions],
    })
    made.push({ id: result.credentialId, token: result.token ?? "", permissions })
  }
  return made
}

/** Makes a Room with all the people as members. */
export async function newRoom(house: House, title: string): Promise<Room> {
  const [owner, ...others] = house.people as [Person, ...Person[]]
  const { roomId, openingThreadId } = (await owner.browser.write("create_room", { title })).result
  for (const { username } of others) await owner.browser.write("add_member", { roomId, username })
  const credentials = new Map<string, readonly Credential[]>()
  for (const person of house.people) credentials.set(person.userId, await credentialsOf(person, roomId))
  const client: ResearchClient = reader(house.baseUrl)
  return { roomId, openingThreadId, founded: (await client.feed(roomId)).length, credentials }
}
