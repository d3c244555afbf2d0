/**
 * The workplace of the harnesses: a data folder with people, Rooms, credentials, keys and a public repository, made
 * once by the executable's own `demo` and copied for every story; and the executable on such a copy.
 */
import { cpSync } from "node:fs"
import { join } from "node:path"
import type { Cast } from "research-room/testing"
import { type Ended, executable, newPlace, type Place, type Running, run, start } from "../../support/program.ts"

/** A writer: a credential of a Room, or a personal key. */
export interface Agent {
  readonly name: string
  readonly token: string
  readonly userId: string
  readonly permissions: ReadonlySet<string>
  /** Null for a key of the Library. */
  readonly room: { readonly roomId: string; readonly openingThreadId: string } | null
  /** Its only Threads, if it is limited to some. */
  readonly threadIds: readonly string[] | null
}

export interface Ground {
  readonly program: string
  readonly place: Place
  /** Research agents of two Rooms and three keys of the Library. */
  readonly agents: readonly Agent[]
  readonly rooms: readonly string[]
  readonly repository: { readonly url: string; readonly commit: string }
  /** A copy of the data under its own name, in the workplace. */
  copy(name: string): string
  /** Starts to serve a data folder. */
  begin(data: string, options?: Serving): Running
  /** Serves a data folder, and returns its address. */
  serve(data: string, options?: Serving): Promise<Served>
  /** Runs `research-room check` on a data folder. */
  check(data: string): Promise<Ended>
  remove(): void
}

export type Served = Running & { readonly baseUrl: string }

export interface Serving {
  /** A line of `sh` that runs first, in the same process. */
  readonly shell?: string
  readonly uid?: number
}

const writing = [
  "owner_all",
  "member_all",
  "member_post_only",
  "member_publish_only",
  "member_work_only",
  "member_thread_scoped",
] as const
const elsewhere = ["main_owner_all", "main_member_all"] as const
const filing = ["all", "owned", "member_all"] as const

/** Load is not an attack: limits against attackers are off. A version without such limits ignores the setting. */
export const unlimited = { RESEARCH_ROOM_RATE_LIMITS: "off" }

/** Starts the executable's own demo, and tells of its people, Rooms and secrets. */
export async function startDemo(program: string, place: Place, data: string, ...flags: readonly string[]) {
  const running = start(program, ["demo", "--json", ...flags, "--port", "0", "--data", data], place)
  const [line] = await running.printed(/^\{.*\}$/m)
  const { baseUrl, ...cast } = JSON.parse(line) as Cast & { readonly baseUrl: string }
  return { running, baseUrl, cast }
}

function agentsOf({ people, rooms, credentials, keys }: Cast): Agent[] {
  const userIds = new Map(Object.values(people).map(({ username, userId }) => [username, userId]))
  const roomOf = new Map(Object.values(rooms).map((room) => [room.roomId, room]))
  const userId = (username: string) => userIds.get(username) as string
  return [
    ...[...writing, ...elsewhere].map((name): Agent => {
      const { token, username, roomId, permissions, threadIds } = credentials[name]
      const room = roomOf.get(roomId) ?? null
      return { name, token, userId: userId(username), permissions: new Set(permissions), room, threadIds }
    }),
    ...filing.map((name): Agent => {
      const { token, username, permissions } = keys[name]
      return {
        name: `key ${name}`,
        token,
        userId: userId(username),
        permissions: new Set(permissions),
        room: null,
        threadIds: null,
      }
    }),
  ]
}

/**
 * Makes the demo once and shuts it down cleanly. @param program another copy of the executable than the one just built
 */
export async function breakGround(program = executable()): Promise<Ground> {
  const { folder, remove } = newPlace()
  const place = { folder, env: unlimited }
  const { running, cast: told } = await startDemo(program, place, "seed")
  running.signal("SIGTERM")
  await running.ended()
  const agents = agentsOf(told)
  const repositories = join(folder, "seed", "repositories")
  const begin: Ground["begin"] = (data, { shell, uid } = {}) => {
    const args = ["serve", "--port", "0", "--data", data, "--repositories", repositories]
    const at = uid === undefined ? place : { ...place, uid }
    return shell === undefined
      ? start(program, args, at)
      : start("/bin/sh", ["-c", `${shell}; exec "$0" "$@"`, program, ...args], at)
  }
  return {
    program,
    place,
    agents,
    rooms: [...new Set(agents.flatMap(({ room }) => room?.roomId ?? []))],
    repository: { url: told.repositories.public.url, commit: told.repositories.public.commit },
    copy(name) {
      cpSync(join(folder, "seed"), join(folder, name), { recursive: true, filter: (path) => path !== repositories })
      return name
    },
    begin,
    async serve(data, options) {
      const started = begin(data, options)
      const [, baseUrl = ""] = await started.printed(/ at (http\S+)\n[^]*llms\.txt\n/)
      return Object.assign(started, { baseUrl })
    },
    check: (data) => run(program, ["check", "--data", data], place),
    remove,
  }
}
