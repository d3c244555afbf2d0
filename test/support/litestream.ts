/**
 * Stands in for Litestream's control socket: the same HTTP, answers and errors as version 0.5.18, without a copy behind
 * it. A test sets how long a sync takes, and whether and how it fails.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { join } from "node:path"
import { temporaryFolder } from "./service.ts"

/** The result of a sync: confirmed, failed with an error of Litestream, or a closed connection. */
export type Fate = "confirmed" | "failed" | "cut"

export interface StandIn {
  readonly socket: string
  /** Syncs requested, in order of arrival; `path` as the request named it. */
  readonly syncs: { readonly path: string; readonly wait: boolean }[]
  /** Each request to release the file, or to take it up again. */
  readonly turns: readonly ("stopped" | "started")[]
  /** The most syncs that were under way at once. */
  readonly mostAtOnce: number
  /** The result of the next syncs. */
  fate: Fate
  /** From now on a sync waits until it is released. */
  hold(): void
  /** Resolves once this many syncs wait to be released. */
  held(count: number): Promise<void>
  letGo(): void
  close(): Promise<void>
}

interface Options {
  /** The databases it claims to copy. */
  readonly paths: readonly string[]
  /** The process id it claims; if omitted, the parent of this process. */
  readonly pid?: number
}

const json = (response: ServerResponse, status: number, body: object): void => {
  // As Go's encoder ends it.
  response.writeHead(status, { "content-type": "application/json" }).end(`${JSON.stringify(body)}\n`)
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

export async function startStandIn({ paths, pid = process.ppid }: Options): Promise<StandIn> {
  const socket = join(temporaryFolder(), "litestream.sock")
  let gate: PromiseWithResolvers<void> | null = null
  let [underWay, most, txid] = [0, 0, 0]
  const looking = new Set<() => void>()
  const syncs: StandIn["syncs"] = []
  const turns: ("stopped" | "started")[] = []

  async function sync(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let asked: { path?: string; wait?: boolean; timeout?: number }
    try {
      asked = JSON.parse(await textOf(request)) as typeof asked
    } catch (error) {
      return json(response, 400, { error: "invalid request body", details: String(error) })
    }
    const { path = "", wait = false } = asked
    if (path === "") return json(response, 400, { error: "path required" })
    if (!paths.includes(path)) return json(response, 404, { error: `database not found: ${path}` })
    syncs.push({ path, wait })
    most = Math.max(most, (underWay += 1))
    for (const look of looking) look()
    await gate?.promise
    underWay -= 1
    if (standIn.fate === "cut") return void request.socket.destroy()
    if (standIn.fate === "failed")
      return json(response, 500, { error: "sync database: replica sync: write ltx file: connection refused" })
    txid += 1
    json(response, 200, { status: "synced", path, txid, replicated_txid: txid })
  }

  /** Releases the file, or takes it up again. */
  async function turn(
    to: "stopped" | "started",
    already: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { path = "" } = JSON.parse(await textOf(request)) as { path?: string }
    if (!paths.includes(path)) return json(response, 500, { error: `database not found: ${path}` })
    const status = turns.length > 0 ? (turns.at(-1) === to ? already : to) : to === "started" ? already : to
    turns.push(to)
    if (to === "stopped" && standIn.fate === "failed")
      return json(response, 500, { error: "close database: replica sync: connection refused" })
    json(response, 200, { status, path, txid })
  }

  const routes: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
    "GET /info": (_, response) =>
      json(response, 200, {
        version: "v0.5.18",
        pid,
        uptime_seconds: 1,
        started_at: new Date().toISOString(),
        database_count: paths.length,
      }),
    "GET /list": (_, response) =>
      json(response, 200, { databases: paths.map((path) => ({ path, status: "replicating" })) }),
    "POST /sync": (request, response) => void sync(request, response),
    "POST /stop": (request, response) => void turn("stopped", "already_stopped", request, response),
    "POST /start": (request, response) => void turn("started", "already_running", request, response),
  }
  const server = createServer((request, response) => {
    const route = routes[`${request.method} ${request.url}`]
    if (route !== undefined) return route(request, response)
    const known = Object.keys(routes).find((each) => each.endsWith(` ${request.url}`))
    const [status, text] = known === undefined ? [404, "404 page not found\n"] : [405, "Method Not Allowed\n"]
    response
      .writeHead(status, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" })
      .end(text)
  })
  await new Promise<void>((resolve) => void server.listen(socket, resolve))
  const standIn: StandIn = {
    socket,
    syncs,
    turns,
    get mostAtOnce() {
      return most
    },
    fate: "confirmed",
    hold: () => void (gate = Promise.withResolvers()),
    held: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (underWay < count) return
          looking.delete(look)
          resolve()
        }
        looking.add(look)
        look()
      }),
    letGo() {
      gate?.resolve()
      gate = null
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return standIn
}
