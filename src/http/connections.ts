/**
 * How many connections are open. Over the budget, the one closes on which nothing has been asked for longest; where something is
 * asked on all of them, the first request of the newcomer is answered 503. Far beyond that it is closed at once.
 */
import type { IncomingMessage, Server } from "node:http"
import type { Socket } from "node:net"
import { sharedBy } from "../edge/limits/address.ts"
import type { Budgets } from "../edge/limits/budgets.ts"
import { overBudget } from "../edge/limits/counts.ts"

/** How many connections over the budget get an answer that says so. */
export const TOLD = 200

export class Connections {
  readonly #budgets: Budgets
  readonly #byAddress: boolean
  /** Those on which no request is under way, the one that is so for longest first, and whose they are. */
  readonly #quiet = new Map<Socket, string | null>()
  readonly #owners = new WeakMap<Socket, string | null>()
  readonly #over = new WeakSet<Socket>()

  /** @param trustProxy whether every connection is the proxy's, whose address stands for nobody */
  constructor(server: Server, budgets: Budgets, trustProxy: boolean) {
    this.#budgets = budgets
    this.#byAddress = !trustProxy
    const most = budgets.connections.total + TOLD
    let open = 0
    // The server's own bound would count each of its sockets at the port apart.
    server.on("connection", (socket: Socket) => {
      if (open >= most) return void socket.destroy()
      open += 1
      socket.once("close", () => (open -= 1))
      this.#opened(socket)
    })
  }

  /** Whose share the connection is taken from. */
  #keyOf(socket: Socket): string | null {
    return this.#byAddress && socket.remoteAddress !== undefined ? sharedBy(socket.remoteAddress.replace(/^::ffff:/, "")) : null
  }

  #opened(socket: Socket): void {
    const { connections } = this.#budgets
    const key = this.#keyOf(socket)
    if (connections.isOver(key) && !this.#closeOne(key, connections.isOver(null))) this.#over.add(socket)
    connections.add(key)
    this.#owners.set(socket, key)
    this.#quiet.set(socket, key)
    socket.once("close", () => {
      this.#quiet.delete(socket)
      connections.add(key, -1)
    })
  }

  /** Closes a quiet connection: any, or one of that address. @returns whether there was one */
  #closeOne(key: string | null, any: boolean): boolean {
    for (const [socket, owner] of this.#quiet) {
      if (!any && owner !== key) continue
      this.#quiet.delete(socket)
      socket.destroy()
      return true
    }
    return false
  }

  /** A request is over, as its connection may be. */
  ends({ socket }: IncomingMessage): void {
    if (!socket.destroyed) this.#quiet.set(socket, this.#owners.get(socket) ?? null)
  }

  /** A request begins. @throws Refusal on a connection that is over the budget */
  begins({ socket }: IncomingMessage): void {
    this.#quiet.delete(socket)
    if (this.#over.has(socket)) throw overBudget("The service has too many connections")
  }
}
