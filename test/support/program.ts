/** The program as an operator runs it: the built executable, in an empty folder of its own. */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { temporaryFolder } from "./service.ts"

const root = join(import.meta.dirname, "../..")

/**
 * The executable that `npm run build` makes, or the program that RESEARCH_ROOM_PROGRAM names. @throws Error if it was
 * not built
 */
export function executable(): string {
  if (process.env.RESEARCH_ROOM_PROGRAM !== undefined) return process.env.RESEARCH_ROOM_PROGRAM
  const command = join(root, "dist", process.platform === "win32" ? "research-room.exe" : "research-room")
  if (!existsSync(command)) throw new Error(`${command} does not exist: run \`npm run build\` first.`)
  return command
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

export interface Running {
  readonly pid: number
  /** Everything printed so far. */
  readonly out: string
  readonly err: string
  /** Resolves with the match once the output matches. @throws Error if the program ends first */
  printed(pattern: RegExp): Promise<RegExpMatchArray>
  /** Sends a signal to this process, by its id. */
  signal(signal: NodeJS.Signals): void
  ended(): Promise<Ended>
}

export interface Place {
  /** The working directory of the program, empty except for what the test put there. */
  readonly folder: string
  readonly env?: Readonly<Record<string, string>>
  readonly uid?: number
}

const running = new Set<ChildProcess>()
/** Ends every process that a failed test left behind, each by its handle. */
export const endAll = (): void => {
  for (const child of running) child.kill("SIGKILL")
}

/** A new folder with an empty home in it. The caller removes it. */
export function newPlace(): { folder: string; remove(): void } {
  const folder = temporaryFolder()
  mkdirSync(join(folder, "home"))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Starts the program. Its PATH has no programs and its HOME is empty: it must need neither. */
export function start(program: string, args: readonly string[], { folder, env = {}, uid }: Place): Running {
  const child = spawn(program, args, {
    cwd: folder,
    env: { HOME: join(folder, "home"), PATH: join(folder, "nothing"), ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  running.add(child)
  let [out, err] = ["", ""]
  const looking = new Set<() => void>()
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text
    for (const look of looking) look()
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text))
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code, signal) => {
      running.delete(child)
      resolve({ code, signal, out, err })
    })
  })
  return {
    pid: child.pid ?? 0,
    get out() {
      return out
    },
    get err() {
      return err
    },
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(out)
          if (match === null) return
          looking.delete(look)
          resolve(match)
        }
        looking.add(look)
        look()
        void ended.then(
          (how) =>
            reject(
              new Error(`ended with ${how.code ?? how.signal} before it printed ${pattern}:\n${how.out}\n${how.err}`),
            ),
          reject,
        )
      }),
    signal: (signal) => void child.kill(signal),
    ended: () => ended,
  }
}

/** Runs the program until it exits. */
export const run = (program: string, args: readonly string[], place: Place): Promise<Ended> =>
  start(program, args, place).ended()

/** Starts `serve` on a port that the system picks, and returns its address. */
export async function serve(
  program: string,
  args: readonly string[],
  place: Place,
): Promise<Running & { readonly baseUrl: string }> {
  const started = start(program, ["serve", "--port", "0", ...args], place)
  const [, baseUrl = ""] = await started.printed(/ at (http\S+)\n[^]*llms\.txt\n/)
  return Object.assign(started, { baseUrl })
}
