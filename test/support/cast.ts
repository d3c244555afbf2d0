/** The demo's people in their browsers, and Rooms made for one scene each. */
import type { Browser, ResearchRoom } from "research-room/testing"
import { type Answer, ask } from "./ask.ts"
import { action, type Body } from "./bodies.ts"
import { held } from "./contract.ts"

export interface Scene {
  readonly roomId: string
  readonly threadId: string
}

export type Cast = Awaited<ReturnType<typeof castOf>>

/** Signs in all of them. */
export async function castOf(house: ResearchRoom) {
  const cookieOf = async ({ username, password }: { username: string; password: string }): Promise<string> => {
    const answer = await ask(`${house.baseUrl}/api/session`, {
      body: { username, password },
      headers: { origin: house.baseUrl },
    })
    return answer.headers.getSetCookie()[0]?.split(";")[0] ?? ""
  }
  const { owner, member, visitor } = house.people
  const cookies = {
    ada: await cookieOf(owner),
    grace: await cookieOf(member),
    mary: await cookieOf(visitor),
    nobody: "",
  }
  const ada: Browser = await house.browser("owner", { fetch: held })
  const grace: Browser = await house.browser("member", { fetch: held })
  const mary: Browser = await house.browser("visitor", { fetch: held })
  return {
    ada,
    grace,
    mary,
    ids: { ada: owner.userId, grace: member.userId, mary: visitor.userId },

    /** A write at a browser route, for any sender. */
    at: (who: keyof typeof cookies, method: string, path: string, body: Body = action()): Promise<Answer> =>
      ask(`${house.baseUrl}${path}`, {
        method,
        headers: { origin: house.baseUrl, cookie: cookies[who] },
        ...(method === "GET" ? {} : { body }),
      }),

    /** A new Room of ada's, with grace as a member. */
    async room(title = "A Room of its own"): Promise<Scene> {
      const { result } = await ada.write("create_room", { title })
      await ada.write("add_member", { roomId: result.roomId, username: member.username })
      return { roomId: result.roomId, threadId: result.openingThreadId }
    },
  }
}
