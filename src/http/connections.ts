/**
 * Limits the number of open connections. Over the budget, the connection that has been idle longest is closed; if none
 * is idle, the first request of the new connection is answered 503. Far over the budget, new connections are closed at
 * once. The requests of a connection are handled one at a time.
 */
import { readFileSync } from "node:fs"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { sharedBy } from "../edge/limits/address.ts"
import { type BudgetNumbers, type Budgets, overBudget } from "../edge/limits/budgets.ts"

/** The number of connections over the budget that are still answered with a 503. */
const ANSWERED_OVER_BUDGET = 200

export class Connections {
  readonly #budgets: Budgets
  readonly #byAddress: boolean
  /** Connections without a request in progress, the longest idle first, with the key they count against. */
  readonly #idle = new Map<Socket, string | null>()
  readonly #owners = new WeakMap<Socket, string | null>()
  readonly #over = new WeakSet<Socket>()

  /** @param trustProxy whether all connections come from a proxy, whose address says nothing about the client */
  constructor(server: Server, budgets: Budgets, trustProxy: boolean) {
    this.#budgets = budgets
    this.#byAddress = !trustProxy
    const most = budgets.connections.total + ANSWERED_OVER_BUDGET
    let open = 0
    // The server's maxConnections would apply to each listening socket separately.
    server.on("connection", (socket: Socket) => {
      if (open >= most) return void socket.destroy()
      open += 1
      socket.once("close", () => (open -= 1))
      this.#add(socket)
    })
  }

  #keyOf(socket: Socket): string | null {
    return this.#byAddress && socket.remoteAddress !== undefined
      ? sharedBy(socket.remoteAddress.replace(/^::ffff:/, ""))
      : null
  }

  #add(socket: Socket): void {
    const { connections } = this.#budgets
    const key = this.#keyOf(socket)
    if (connections.isOver(key) && !this.#closeIdle(key, connections.isOver(null))) this.#over.add(socket)
    connections.add(key)
    this.#owners.set(socket, key)
    this.#idle.set(socket, key)
    socket.once("close", () => {
      this.#idle.delete(socket)
      connections.add(key, -1)
    })
  }

  /** Closes an idle connection. @param any whether it may belong to another address @returns whether there was one */
  #closeIdle(key: string | null, any: boolean): boolean {
    for (const [socket, owner] of this.#idle) {
      if (!any && owner !== key) continue
      this.#idle.delete(socket)
      socket.destroy()
      return true
    }
    return false
  }

  /** Marks the connection of a finished request as idle. */
  ends(socket: Socket): void {
    if (!socket.destroyed) this.#idle.set(socket, this.#owners.get(socket) ?? null)
  }

  /** Marks the connection of a new request as busy. @throws Refusal if the connection is over the budget */
  begins({ socket }: IncomingMessage): void {
    this.#idle.delete(socket)
    if (this.#over.has(socket)) throw overBudget("The service has too many connections")
  }
}

/**
 * Files that the service itself opens at most: the database on each thread, child processes, requests to other
 * services.
 */
const OWN = 200
const LEAST = 16

/** The system's limit on open files; null if unknown. */
export function openFilesLimit(): number | null {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? []
    if (soft !== undefined) return Number(soft)
  } catch {
    // Without /proc, the slower process report has the limit too.
  }
  const report = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } }
  }
  const soft = report.userLimits?.open_files?.soft
  return typeof soft === "number" ? soft : null
}

/** Reduces the budget for connections to fit a limit on open files. */
export function belowLimit(numbers: BudgetNumbers, limit: number | null): BudgetNumbers {
  if (limit === null) return numbers
  const { total, each } = numbers.connections
  const most = Math.min(total, Math.max(LEAST, limit - OWN - ANSWERED_OVER_BUDGET))
  return { ...numbers, connections: { total: most, each: Math.min(each, most) } }
}

/**
 * Answers the pipelined requests of a connection (several before the first response) in order, at most one per turn of
 * the event loop. All at once would be one long task that blocks every other connection.
 */
export function inTurn<R extends ServerResponse>(
  answer: (request: IncomingMessage, response: R) => void,
): (request: IncomingMessage, response: R) => void {
  const last = new WeakMap<Socket, R>()
  /** Connections served in this turn. After an immediate answer, Node reads the next request in the same turn. */
  const served = new WeakSet<Socket>()

  const begin = (request: IncomingMessage, response: R) => {
    const { socket } = request
    if (socket.destroyed) return
    served.add(socket)
    setImmediate(() => served.delete(socket))
    answer(request, response)
  }
  return (request, response) => {
    const { socket } = request
    const before = last.get(socket)
    last.set(socket, response)
    // "finish" is of no use here: it fires while the requests behind are still being parsed.
    response.once("close", () => {
      if (last.get(socket) === response) last.delete(socket)
    })
    const next = () => setImmediate(begin, request, response)
    if (before !== undefined) before.once("close", next)
    else if (served.has(socket)) next()
    else begin(request, response)
  }
}
