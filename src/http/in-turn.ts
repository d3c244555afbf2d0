/** Handles pipelined requests (several on one connection before the first response) one at a time. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/**
 * Answers the requests of a connection in order, at most one per turn of the event loop. All at once would be one long task
 * that blocks every other connection.
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
