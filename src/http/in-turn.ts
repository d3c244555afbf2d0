/** Requests that come on one connection without waiting for the answers before them: each is begun when the one before is over. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/**
 * Answers the requests of a connection one after the other. All of them at once would be one long piece of work, behind which
 * everybody else waits; between two of them others have their turn.
 */
export function inTurn<R extends ServerResponse>(
  answer: (request: IncomingMessage, response: R) => void,
): (request: IncomingMessage, response: R) => void {
  const last = new WeakMap<Socket, R>()
  return (request, response) => {
    const { socket } = request
    const before = last.get(socket)
    last.set(socket, response)
    if (before === undefined || before.writableFinished) return answer(request, response)
    before.once("close", () =>
      setImmediate(() => {
        if (!socket.destroyed) answer(request, response)
      }),
    )
  }
}
