/**
 * A person's own machine: a git repository, the Python client beside it, and a connection to a service that can be cut.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { createServer, request, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { ResearchRoomClient } from "research-room/client"
import { ResearchRoomClient as Client } from "research-room/client"
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"
import { newPlace, type Running, start } from "../support/program.ts"

const ADDRESS = "https://example.org/lab/train"

const path = "import sys; print(sys.executable); sys.exit(sys.version_info < (3, 9))"
const asked = spawnSync(process.env.REACH_PYTHON ?? "python3", ["-c", path], { encoding: "utf8" })
/** This machine's Python. Its whole path, so that it is found with any PATH. */
export const python = asked.stdout?.trim() ?? ""

/** Says what this machine lacks to run a command with the Python client; null if it has git and Python 3.9. */
export function missing(): string | null {
  if (spawnSync("git", ["--version"]).status !== 0) return "there is no git on this machine"
  return asked.status === 0 ? null : "there is no Python 3.9 or newer on this machine"
}

/** Forwards requests to a service, or drops them. */
async function wayTo(baseUrl: string) {
  const { port } = new URL(baseUrl)
  let server: Server
  const open = (at: number) =>
    new Promise<number>((resolve) => {
      server = createServer((asked, answer) => {
        const { host: _, ...headers } = asked.headers
        const onwards = request(
          { port, method: asked.method, path: asked.url, headers: { ...headers, host: `127.0.0.1:${port}` } },
          (got) => {
            answer.writeHead(got.statusCode ?? 502, got.headers)
            got.pipe(answer)
          },
        )
        asked.pipe(onwards)
      }).listen(at, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
    })
  const own = await open(0)
  return {
    url: `http://127.0.0.1:${own}`,
    cut: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
    mend: () => open(own),
  }
}

export type Machine = Awaited<ReturnType<typeof machine>>

/** @throws Error if there is no git */
export async function machine() {
  const place = newPlace()
  const { folder } = place
  const home = join(folder, "home")
  const work = join(folder, "work")
  mkdirSync(work)
  const env = { HOME: home, PATH: process.env.PATH ?? "", GIT_CONFIG_NOSYSTEM: "1" }
  const git = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync("git", words, { cwd: work, encoding: "utf8", env })
    if (status !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`)
    return stdout.trim()
  }
  git("init", "--quiet")
  git("config", "user.name", "Grace")
  git("config", "user.email", "grace@example.org")
  writeFileSync(join(work, "train.py"), "print('trained')\n")
  writeFileSync(join(work, ".gitignore"), "out/\n")
  git("add", ".")
  git("commit", "--quiet", "-m", "Train")
  git("remote", "add", "origin", `git@example.org:lab/train.git`)
  const bare = join(folder, "repositories/example.org/lab/train.git")
  git("clone", "--quiet", "--bare", ".", bare)
  writeFileSync(join(bare, "git-daemon-export-ok"), "")
  mkdirSync(join(work, "out"))

  const { baseUrl, credentials, rooms, close } = await startDemo({
    host: "127.0.0.1",
    port: 0,
    kept: process.env.TOLD_DEMO,
    repositories: { folders: [join(folder, "repositories")], github: null },
    log: openLog("silent"),
  })
  const program = join(folder, "research_room.py")
  writeFileSync(program, await (await fetch(`${baseUrl}/research_room.py`)).text())
  const way = await wayTo(baseUrl)
  const { token } = credentials.member_all
  const client: ResearchRoomClient = new Client({ baseUrl, token })
  const { roomId, openingThreadId: threadId } = rooms.empty
  const spool = join(folder, "spool")

  return {
    ...way,
    folder,
    work,
    spool,
    token,
    client,
    roomId,
    git,
    commit: git("rev-parse", "HEAD"),
    address: ADDRESS,
    /** An experiment that the person holds. */
    async experiment(question: string): Promise<string> {
      const { targetId } = await client.write("propose_experiment", {
        roomId,
        threadId,
        question,
        scope: "Here.",
        hypotheses: [],
      })
      await client.write("take_experiment", { experimentId: targetId, expectedRevision: 1, expectedStatus: "open" })
      return targetId
    },
    /** `python3 research_room.py`, started by the person in the repository. */
    program: (words: readonly string[], more: Readonly<Record<string, string>> = {}): Running =>
      start(python, [program, ...words], {
        folder: work,
        env: { ...env, RESEARCH_ROOM_URL: way.url, RESEARCH_ROOM_TOKEN: token, RESEARCH_ROOM_SPOOL: spool, ...more },
      }),
    /** The folder of what could not be delivered. */
    spooled: join(spool, new URL(way.url).host.replace(":", "_")),
    /** The folders of runs that are not delivered. */
    waiting: (): string[] => {
      const runs = join(spool, new URL(way.url).host.replace(":", "_"), "runs")
      return existsSync(runs) ? readdirSync(runs).map((name) => join(runs, name)) : []
    },
    attempts: async (experimentId: string) => (await client.read("attempts", { experimentId, order: "label" })).items,
    attempt: (attemptId: string) => client.read("attempt", { attemptId }),
    async close() {
      await way.cut()
      await close()
      place.remove()
    },
  }
}
