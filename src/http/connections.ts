/**
 * Limits the number of open connections. Over the budget, the connection that has been idle longest is closed; if none is idle,
 * the first request of the new connection is answered 503. Far over the budget, new connections are closed at once.
 */
import type { IncomingMessage, Server } from "node:http"
import type { Socket } from "node:net"
import { sharedBy } from "../edge/limits/address.ts"
import type { Budgets } from "../edge/limits/budgets.ts"
import { overBudget } from "../edge/limits/counts.ts"

/** The number of connections over the budget that are still answered with a 503. */
export const ANSWERED_OVER_BUDGET = 200

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

  /** The key that the connection counts against. */
  #keyOf(socket: Socket): string | null {
    return this.#byAddress && socket.remoteAddress !== undefined ? sharedBy(socket.remoteAddress.replace(/^::ffff:/, "")) : null
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
  ends({ socket }: IncomingMessage): void {
    if (!socket.destroyed) this.#idle.set(socket, this.#owners.get(socket) ?? null)
  }

  /** Marks the connection of a new request as busy. @throws Refusal if the connection is over the budget */
  begins({ socket }: IncomingMessage): void {
    this.#idle.delete(socket)
    if (this.#over.has(socket)) throw overBudget("The service has too many connections")
  }
}
