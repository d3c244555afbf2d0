/**
 * The service under fuzz: the built executable as a process of its own, with the demo's people and Rooms, and some that
 * may be damaged.
 */
import { join } from "node:path"
import type { Cast } from "research-room/testing"
import { Browser } from "research-room/testing"
import { sessionCookie } from "../../../src/contract/operations/actions.ts"
import { SUFFIX } from "../../../src/edge/answers/as-markdown.ts"
import { executable, newPlace, type Running, run } from "../../support/program.ts"
import { startDemo, unlimited } from "../support/ground.ts"
import { memoryOf } from "../support/proving.ts"
import { type Anchors, explore, gather } from "./anchors.ts"
import { type Caller, type Target, targetsWith } from "./targets.ts"

/** The secrets for each kind of caller, the best first. */
export type Proofs = Readonly<Record<Caller, readonly string[]>>

export interface Ground {
  readonly baseUrl: string
  /** The address of the requests, as in `Host` and `Origin`. */
  readonly host: string
  readonly cast: Cast
  readonly proofs: Proofs
  /** A session cookie that may be lost: requests that sign out use this one. */
  readonly spare: string
  /** The only sender of requests that may be cut off: its receipts are not counted. */
  readonly uncertain: string
  /** Objects for agents to work on, and objects that people may damage in the browser. */
  readonly agents: Anchors
  readonly people: Anchors
  readonly database: string
  readonly running: Running
  /** Whether it has ended; it should not before `end`. */
  readonly hasEnded: () => boolean
  /** Bytes of memory in use; null if the system gives no figure. */
  memory(): number | null
  /** Shuts it down cleanly, and runs `check` on the data. */
  end(): Promise<{ readonly code: number | null; readonly check: string; readonly isSound: boolean }>
  remove(): void
}

async function cookieOf(
  baseUrl: string,
  { username, password }: { username: string; password: string },
): Promise<string> {
  const response = await fetch(`${baseUrl}/api/session`, {
    method: "POST",
    headers: { origin: baseUrl, "content-type": "application/json" },
    body: JSON.stringify({ username, password }),
  })
  const cookie = response.headers.getSetCookie()[0]?.split(";")[0]
  if (cookie === undefined) throw new Error(`${username} does not come in: ${response.status}`)
  return cookie
}

/** Header lines that authorise a request to a target. */
export function proofLines(caller: Caller, proof: string, baseUrl: string, method: string): string[] {
  if (caller === "anyone") return []
  if (caller !== "session") return [`Authorization: Bearer ${proof}`]
  return [`Cookie: ${proof}`, ...(method === "GET" || method === "HEAD" ? [] : [`Origin: ${baseUrl}`])]
}

/** Objects of the owner's that people in the browser may archive, revoke and delete. */
async function toSpoil(baseUrl: string, cast: Cast): Promise<Anchors> {
  const owner = await Browser.signIn({ baseUrl }, cast.people.owner)
  const anchors = new Map<string, unknown[]>()
  const tell = (receipt: { result: object }) => gather(anchors, receipt.result)
  for (const title of ["A Room to spoil", "Another Room to spoil"]) {
    const room = await owner.write("create_room", { title })
    tell(room)
    const { roomId } = room.result
    tell(await owner.write("add_member", { roomId, username: cast.people.member.username }))
    tell(await owner.write("issue_credential", { roomId, label: "to spoil", permissions: ["post_thread"] }))
    const collection = await owner.write("create_collection", { name: title })
    tell(collection)
    const { collectionId } = collection.result
    tell(await owner.write("add_papers", { collectionId, arxivIds: ["1706.03762", "hep-th/9711200"] }))
    tell(await owner.write("post_note", { collectionId, arxivId: "1706.03762", text: "To be spoilt." }))
    tell(await owner.write("invite_to_collection", { collectionId, username: cast.people.visitor.username }))
    tell(
      await owner.write("issue_key", {
        label: "to spoil",
        permissions: ["read_library"],
        reach: "selected",
        collectionIds: [collectionId],
      }),
    )
  }
  anchors.set("username", [cast.people.visitor.username, cast.people.member.username])
  anchors.set("userId", [cast.people.visitor.userId, cast.people.member.userId])
  anchors.set("threadId", [...(anchors.get("threadId") ?? []), ...(anchors.get("openingThreadId") ?? [])])
  anchors.set("arxivId", ["1706.03762", "hep-th/9711200", "2401.01234"])
  return anchors
}

/** Everything that the agents of the demo can find by reading. */
function toWorkOn(baseUrl: string, cast: Cast): Promise<Anchors> {
  const reads = targetsWith(
    ({ method, path, isPage, isOther, query }) =>
      method === "GET" && !isPage && !isOther && !path.endsWith(SUFFIX) && !("bundle" in query),
  )
  const bearer = { credential: cast.credentials.main_member_all.token, key: cast.keys.all.token }
  const ask = async (path: string, { caller }: Target): Promise<unknown> => {
    const token = caller === "credential" || caller === "key" ? bearer[caller] : null
    const response = await fetch(
      baseUrl + path,
      token === null ? {} : { headers: { authorization: `Bearer ${token}` } },
    )
    const text = await response.text()
    return response.ok && response.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : null
  }
  const { main, empty, archived } = cast.rooms
  return explore(reads, ask, {
    roomId: [main.roomId, empty.roomId, archived.roomId],
    threadId: [main.openingThreadId, empty.openingThreadId, archived.openingThreadId],
    repository: [{ url: cast.repositories.public.url, commit: cast.repositories.public.commit }],
    arxivId: ["1706.03762", "hep-th/9711200"],
  })
}

/**
 * Starts it. @param same whether it has the same ids each time, which needs a single thread: a served program has three
 */
export async function openGround({ same = true } = {}): Promise<Ground> {
  const place = { ...newPlace(), env: unlimited }
  const data = join(place.folder, "data")
  const program = executable()
  const { running, baseUrl, cast } = await startDemo(program, place, data, ...(same ? ["--deterministic"] : []))
  const { credentials, keys, people } = cast
  const agents = await toWorkOn(baseUrl, cast)
  const spoilt = await toSpoil(baseUrl, cast)
  const [owner, member, spare] = [
    await cookieOf(baseUrl, people.owner),
    await cookieOf(baseUrl, people.member),
    await cookieOf(baseUrl, people.visitor),
  ]
  const best = [credentials.main_member_all, credentials.member_all, credentials.owner_all]
  const uncertain = credentials.main_owner_all
  const others = Object.values(credentials).filter((each) => !best.includes(each) && each !== uncertain)
  let hasEnded = false
  void running.ended().then(() => {
    hasEnded = true
  })
  return {
    baseUrl,
    host: new URL(baseUrl).host,
    cast,
    proofs: {
      credential: [...best, ...others].map(({ token }) => token),
      key: [keys.all, keys.owned, keys.selected, ...Object.values(keys)].map(({ token }) => token),
      session: [owner, owner, member, `${sessionCookie}=nobody`],
      anyone: [""],
    },
    spare,
    uncertain: uncertain.token,
    agents,
    people: spoilt,
    database: join(data, "research-room.db"),
    running,
    hasEnded: () => hasEnded,
    memory: () => memoryOf(running.pid),
    async end() {
      running.signal("SIGTERM")
      const { code, err } = await running.ended()
      const checked = await run(program, ["check", "--data", data], place)
      return { code, check: `${err}${checked.out}${checked.err}`.trim(), isSound: checked.code === 0 }
    },
    remove: () => place.remove(),
  }
}
