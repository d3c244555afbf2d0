/**
 * More than one socket at the port. A process takes one connection from a socket in each turn of its work, so that at one socket
 * whoever comes anew waits as many turns as others came before; at eight they wait an eighth of them.
 */
import type { Server } from "node:http"
import { createServer as createSockets, type Server as Sockets } from "node:net"

/** Sockets at the port, where the system shares its connections out among several. */
const DOORS = 8

interface Place {
  readonly port: number
  readonly host: string
}

const opened = (server: Sockets, place: Place, reusePort: boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen({ ...place, reusePort }, () => {
      server.off("error", reject)
      resolve()
    })
  })

/** The port that a server listens on. */
export function portOf(server: Sockets): number {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("a server that listens has a port")
  return address.port
}

const closed = (server: Sockets): Promise<void> => new Promise((resolve) => void server.close(() => resolve()))

/** Whether the system lets a place be shared; takes it alone first: who shares it must not come to share it with a stranger. */
async function isShared(place: Place): Promise<boolean> {
  // Elsewhere several may listen, and one of them gets everything.
  if (process.platform !== "linux") return false
  const alone = createSockets()
  await opened(alone, place, false)
  await closed(alone)
  const shared = createSockets()
  return opened(shared, { ...place, port: 0 }, true).then(
    () => closed(shared).then(() => true),
    () => false,
  )
}

/**
 * Listens at a port through several sockets, where the system has such; `port` 0 lets the system pick. To the server all
 * connections are its own, and `close` closes every socket.
 * @throws Error as `listen` does: a port at which anybody else listens is in use, whether they would share it or not
 */
export async function open(server: Server, place: Place): Promise<void> {
  const shared = await isShared(place)
  await opened(server, place, shared)
  if (!shared) return
  const port = portOf(server)
  const others = Array.from({ length: DOORS - 1 }, () =>
    createSockets({ allowHalfOpen: true, noDelay: true }, (socket) => void server.emit("connection", socket)),
  )
  await Promise.all(others.map((other) => opened(other, { ...place, port }, true)))
  const close = server.close.bind(server)
  server.close = (done) => {
    const all = Promise.all(others.map(closed))
    return close((error) => void all.then(() => done?.(error)))
  }
}
