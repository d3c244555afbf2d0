/** The processes of the bench. Each is ended by its own handle, also when the bench fails. */
import { type ChildProcess, fork, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"

const running = new Set<ChildProcess>()

async function end(child: ChildProcess): Promise<void> {
  running.delete(child)
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, "exit")
  child.kill("SIGTERM")
  await ended
}

/** Ends whatever still runs. */
export const endAll = async (): Promise<void> => {
  await Promise.all([...running].map(end))
}

/** What the bench uses of the line that `demo --json` prints. */
export interface Demo {
  readonly baseUrl: string
  readonly rooms: Readonly<Record<"main" | "empty", { readonly roomId: string; readonly openingThreadId: string }>>
  readonly credentials: { readonly member_all: { readonly token: string } }
}

export interface Served<Told> {
  readonly told: Told
  readonly port: number
  end(): Promise<void>
}

const root = join(import.meta.dirname, "../..")

/** Starts `node dist/main.js …` and hands its first line of output to `read`. */
async function start<Told>(args: readonly string[], read: (line: string) => Told, address: (told: Told) => string): Promise<Served<Told>> {
  const child = spawn(process.execPath, [join(root, "dist/main.js"), ...args], { stdio: ["ignore", "pipe", "inherit"] })
  running.add(child)
  for await (const line of createInterface(child.stdout)) {
    const told = read(line)
    child.stdout.resume()
    return { told, port: Number(new URL(address(told)).port), end: () => end(child) }
  }
  throw new Error(`research-room ${args.join(" ")} ended before it served`)
}

/** The service on a new, seeded data folder. */
export const startDemo = (folder: string): Promise<Served<Demo>> =>
  start(
    ["demo", "--json", "--data", folder],
    (line) => JSON.parse(line) as Demo,
    ({ baseUrl }) => baseUrl,
  )

/** The service on a data folder that was filled before. */
export const startServe = (folder: string): Promise<Served<string>> =>
  start(
    ["serve", "--data", folder, "--port", "0"],
    (line) => line,
    (line) => line.slice(line.indexOf("http://")),
  )

/** A helper of the bench in a process of its own: answers each message with one. */
export class Helper<Ask extends object, Answer> {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, PromiseWithResolvers<Answer>>()
  #last = 0

  /** @param file in this folder */
  constructor(file: string) {
    this.#child = fork(join(import.meta.dirname, file))
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
}

/** The helper's side of it. */
export function answering<Ask, Answer>(work: (ask: Ask) => Answer | Promise<Answer>): void {
  process.once("disconnect", () => process.exit())
  process.on("message", async ({ id, ask }: { id: number; ask: Ask }) => {
    try {
      process.send?.({ id, answer: await work(ask) })
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
}
