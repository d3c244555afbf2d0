/** The people of a run, and the Rooms that they make for it, through the service's own routes. */
import type { Browser } from "research-room/testing"
import type { DemoRepositories } from "../../../src/demo/repositories.ts"
import { everything, labAt } from "../../support/lab.ts"
import { reader } from "./truth.ts"

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
export interface Company {
  readonly baseUrl: string
  /** The first of them owns the Rooms. */
  readonly people: readonly Person[]
  readonly repositories: DemoRepositories
  /** Makes a Room with all the people as members. */
  room(title: string): Promise<Room>
}

const grants = [everything, everything, ["post_thread"]] as const

/** People who have come in, each in their browser, by their names. */
export async function companyOf(
  baseUrl: string,
  browsers: Readonly<Record<string, Browser>>,
  repositories: DemoRepositories,
): Promise<Company> {
  const lab = labAt(baseUrl, browsers)
  const people: Person[] = []
  for (const [username, browser] of Object.entries(browsers))
    people.push({ userId: (await browser.read("session")).person?.userId ?? "", username, browser })
  return {
    baseUrl,
    people,
    repositories,
    async room(title) {
      const { roomId, threadId: openingThreadId } = await lab.place(title, Object.keys(browsers))
      const credentials = new Map<string, Credential[]>()
      for (const { userId, username } of people) {
        const made: Credential[] = []
        for (const permissions of grants) {
          const { credentialId: id, token } = await lab.credential(username, roomId, { permissions })
          made.push({ id, token, permissions })
        }
        credentials.set(userId, made)
      }
      return { roomId, openingThreadId, founded: (await reader(baseUrl).feed(roomId)).length, credentials }
    },
  }
}
