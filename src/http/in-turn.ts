/** Requests that come on one connection without waiting for the answers before them: each has a turn of its own. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/**
 * Answers the requests of a connection one after the other, at most one in each turn of the thread's work. All of them at once
 * would be one long piece of work, behind which everybody else waits; between two of them others have their turn.
 */
export function inTurn<R extends ServerResponse>(
  answer: (request: IncomingMessage, response: R) => void,
): (request: IncomingMessage, response: R) => void {
  const last = new WeakMap<Socket, R>()
  /** Connections that had their turn. Where an answer is there at once, the next request is read before the turn is over. */
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
    // What an answer says of itself is of no use here: it counts as finished while the requests behind it are still being read.
    response.once("close", () => {
      if (last.get(socket) === response) last.delete(socket)
    })
    const next = () => setImmediate(begin, request, response)
    if (before !== undefined) before.once("close", next)
    else if (served.has(socket)) next()
    else begin(request, response)
  }
}
