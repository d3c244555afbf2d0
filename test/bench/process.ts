/** The processes of the bench. Each is ended through its own handle, even if the bench fails. */
import { type ChildProcess, execFileSync, fork, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { Refusal } from "../../src/contract/refusals.ts"
import type { Demo } from "./data/demo.ts"
import { root } from "./machine.ts"

const running = new Set<ChildProcess>()

async function end(child: ChildProcess): Promise<void> {
  running.delete(child)
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, "exit")
  child.kill("SIGTERM")
  await ended
}

/** Ends everything that still runs. */
export const endAll = async (): Promise<void> => {
  await Promise.all([...running].map(end))
}

export interface Served {
  readonly port: number
  readonly pid: number
  /** Milliseconds from its start to the line with its address. */
  readonly readyAfter: number
  end(): Promise<void>
}

/** How the program runs: from its JavaScript, or as the single released file. */
export type Form = "node" | "executable"

/** The command of a form and its first arguments. @param from the checkout @throws Error if it was not built */
export function mustBeBuilt(form: Form, from = root): readonly [string, ...string[]] {
  if (form === "node") return [process.execPath, join(from, "dist/main.js")]
  const file = join(from, "dist", process.platform === "win32" ? "research-room.exe" : "research-room")
  if (!existsSync(file))
    throw new Error(`${file} does not exist: run \`npm run build\` first, or leave the part \`start\` out`)
  return [file]
}

/** Starts a program and waits for the first printed line for which `read` returns a value. */
export async function startOther<Told>(
  program: string,
  args: readonly string[],
  read: (line: string) => Told | undefined,
  env = process.env,
) {
  const startedAt = performance.now()
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], env })
  running.add(child)
  let log = ""
  child.stderr.on("data", (text: Buffer) => (log = `${log}${text.toString("utf8")}`.slice(-4_000)))
  for await (const line of createInterface(child.stdout)) {
    const told = read(line)
    if (told === undefined) continue
    const readyAfter = performance.now() - startedAt
    child.stdout.resume()
    return { told, readyAfter, pid: child.pid ?? 0, end: () => end(child) }
  }
  throw new Error(`${program} ${args.join(" ")} ended before it served:\n${log}`)
}

/** The same for the measured program. */
function start<Told>(form: Form, args: readonly string[], read: (line: string) => Told | undefined, from = root) {
  const [program, ...before] = mustBeBuilt(form, from)
  return startOther(program, [...before, ...args], read)
}

/** Makes a demo's data in a new folder, and returns its description. @param from the checkout whose program makes it */
export async function makeDemo(folder: string, from = root): Promise<Demo> {
  const { told, end } = await start(
    "node",
    ["demo", "--json", "--port", "0", "--data", folder],
    (line) => JSON.parse(line) as Demo,
    from,
  )
  await end()
  return told
}

/** Flags that turn off the limits for strangers, if the program has such limits. */
let unlimited: readonly string[] | undefined
function unlimitedFlags(): readonly string[] {
  const [program, ...before] = mustBeBuilt("node")
  unlimited ??= execFileSync(program, [...before, "serve", "--help"], { encoding: "utf8" }).includes("--rate-limits")
    ? ["--rate-limits", "off"]
    : []
  return unlimited
}

/**
 * The service on existing data. @param repositories the folder of bare repositories @param from the checkout @param
 * more flags
 */
export async function startServe(
  folder: string,
  repositories: string,
  form: Form = "node",
  from = root,
  more: readonly string[] = [],
): Promise<Served> {
  const flags = ["--data", folder, "--port", "0", "--repositories", repositories, ...unlimitedFlags(), ...more]
  const { told, ...served } = await start(
    form,
    ["serve", ...flags],
    (line) => / at http:\/\/[^/]*:(\d+)/.exec(line)?.[1],
    from,
  )
  return { ...served, port: Number(told) }
}

/** Microseconds of processor time of all threads of a process. */
export function processorOf(pid: number): number {
  if (process.platform !== "linux") return Number.NaN
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

/** A helper of the bench in a process of its own: answers each message with one message. */
export class Helper<Ask extends object, Answer> {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, PromiseWithResolvers<Answer>>()
  #last = 0

  /** @param file in this folder, or its absolute path */
  constructor(file: string) {
    this.#child = fork(resolve(import.meta.dirname, file), { execArgv: ["--conditions=research-room-source"] })
    running.add(this.#child)
    this.#child.on("message", ({ id, answer, error }: { id: number; answer: Answer; error?: string }) => {
      const asked = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (error === undefined) asked?.resolve(answer)
      else asked?.reject(new Error(`${file}: ${error}`))
    })
    this.#child.on("exit", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`${file} ended before it answered`))
    })
  }

  ask(ask: Ask): Promise<Answer> {
    const id = ++this.#last
    const asked = Promise.withResolvers<Answer>()
    this.#waiting.set(id, asked)
    this.#child.send({ id, ask })
    return asked.promise
  }

  end(): Promise<void> {
    return end(this.#child)
  }
}

/** The helper's side of it. */
export function answering<Ask, Answer>(work: (ask: Ask) => Answer | Promise<Answer>): void {
  process.once("disconnect", () => process.exit())
  process.on("message", async ({ id, ask }: { id: number; ask: Ask }) => {
    try {
      process.send?.({ id, answer: await work(ask) })
    } catch (error) {
      const said = error instanceof Error ? (error.stack ?? error.message) : String(error)
      process.send?.({ id, error: error instanceof Refusal ? `${said}\n${JSON.stringify(error.details)}` : said })
    }
  })
}
