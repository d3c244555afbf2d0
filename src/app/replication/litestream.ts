/** Litestream as a service sees it that was started by it: its control socket, which speaks HTTP. Of version 0.5.18. */
import { realpathSync } from "node:fs"
import { Agent, request } from "node:http"
import { basename, dirname, join } from "node:path"
import * as v from "valibot"
import { messageOf } from "../../contract/faults.ts"
import { DataError } from "../../ledger/storage/opening.ts"

/** Seconds that Litestream may take for a sync; a proxy waits for longer. */
const PATIENCE = 5
/** Seconds that it may take to let go of the file: it tries to copy what is left. */
const LETTING_GO = 30
/** Milliseconds more for its answer, after which it is given up. */
const GRACE = 500

const Info = v.object({ version: v.string(), pid: v.number() })
const List = v.object({ databases: v.array(v.object({ path: v.string() })) })
const Started = v.object({ status: v.picklist(["started", "already_running"]) })
const Synced = v.object({ status: v.picklist(["synced", "no_change"]), replicated_txid: v.pipe(v.number(), v.minValue(1)) })
const Failed = v.object({ error: v.string() })

interface Said {
  readonly status: number
  readonly body: unknown
}

/** The one name of a file that may not be there yet, whatever links lead to its folder. */
function whole(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch {
    return path
  }
}

export class Litestream {
  readonly #socket: string
  readonly #patience: number
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  #path = ""
  /** The process that started this one. */
  readonly parent = process.ppid

  /** @param patience seconds for a sync, a whole number */
  constructor(socket: string, patience = PATIENCE) {
    this.#socket = socket
    this.#patience = patience
  }

  /**
   * Makes sure that Litestream runs this process, and copies this file. Beside a Litestream that runs on by itself, a service
   * that is killed leaves a log that Litestream takes for whole, and a copy that cannot be restored.
   * @throws DataError in a sentence that says why not
   */
  async mustHaveStarted(file: string): Promise<void> {
    const asked = async <S extends v.GenericSchema>(path: string, schema: S): Promise<v.InferOutput<S>> => {
      try {
        return v.parse(schema, (await this.#ask("GET", path)).body)
      } catch (error) {
        throw new DataError(
          `Litestream does not answer at its control socket ${this.#socket} (${messageOf(error)}); see socket in its configuration.`,
        )
      }
    }
    const { pid } = await asked("/info", Info)
    if (pid !== this.parent)
      throw new DataError(
        `Litestream (process ${pid}) did not start this service. Beside it, a service that is killed can leave a copy that cannot be restored: let Litestream start it, with exec in its configuration.`,
      )
    const { databases } = await asked("/list", List)
    const listed = databases.find(({ path }) => whole(path) === whole(file))
    if (listed === undefined)
      throw new DataError(`Litestream keeps no copy of ${file}; it has ${databases.map(({ path }) => path).join(", ") || "none"}.`)
    this.#path = listed.path
  }

  /**
   * Makes Litestream start a new copy, with the whole file. A service that is killed in the midst of a commit leaves one in the
   * log that SQLite's index of it does not know: Litestream copies it, and may write over it a moment later.
   * @param emptied writes the log into the file while nobody else has it open, and says whether it could
   * @throws DataError where Litestream does not let go of the file, or does not take it up again
   */
  async copyAnew(emptied: () => boolean): Promise<void> {
    // Where the store does not answer it says that it failed, and has let go all the same.
    await this.#ask("POST", "/stop", { path: this.#path, timeout: LETTING_GO }, LETTING_GO)
    const isEmptied = emptied()
    const { status, body } = await this.#ask("POST", "/start", { path: this.#path, timeout: LETTING_GO }, LETTING_GO)
    if (!isEmptied || status !== 200 || !v.is(Started, body))
      throw new DataError(
        `The service before was cut off, and Litestream could not be made to copy ${this.#path} anew: ${isEmptied ? (v.is(Failed, body) ? body.error : `it answers ${status}`) : "it did not let go of it"}.`,
      )
  }

  /** Whether Litestream has ended: who started this process is another then. */
  hasEnded(): boolean {
    return process.ppid !== this.parent
  }

  /** Settles once everything committed now is in the copy. @throws Error if that fails or takes too long */
  async sync(): Promise<void> {
    const { status, body } = await this.#ask("POST", "/sync", { path: this.#path, wait: true, timeout: this.#patience })
    if (status === 200 && v.is(Synced, body)) return
    throw new Error(v.is(Failed, body) ? body.error : `it answers ${status}`)
  }

  close(): void {
    this.#agent.destroy()
  }

  #ask(method: "GET" | "POST", path: string, body?: object, seconds = this.#patience): Promise<Said> {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? "" : JSON.stringify(body)
      const headers = body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }
      const asking = request({ socketPath: this.#socket, agent: this.#agent, method, path, headers }, (answer) => {
        let said = ""
        answer.setEncoding("utf8").on("data", (part: string) => (said += part))
        answer.on("error", reject)
        answer.on("end", () => {
          try {
            resolve({ status: answer.statusCode ?? 0, body: JSON.parse(said) })
          } catch {
            resolve({ status: answer.statusCode ?? 0, body: said })
          }
        })
      })
      const late = setTimeout(() => asking.destroy(new Error("it does not answer in time")), seconds * 1_000 + GRACE)
      asking.on("error", reject)
      asking.on("close", () => {
        clearTimeout(late)
        reject(new Error("it ended the connection"))
      })
      asking.end(text)
    })
  }
}
