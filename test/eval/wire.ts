/** Counts every byte between clients and a service: a plain connection in between, which changes nothing. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface Wire {
  /** The address that clients use, and the service gives as its own. */
  readonly baseUrl: string
  /** The bytes that have passed, both ways, with every header. */
  readonly bytes: () => number
  /** Says where the service listens. */
  leadTo(port: number): void
  close(): Promise<void>
}

export async function openWire(): Promise<Wire> {
  let [bytes, target] = [0, 0]
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1")
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from)
      from.on("data", (piece) => (bytes += piece.length))
      from.on("error", () => to.destroy())
      from.on("close", () => open.delete(from))
      from.pipe(to)
    }
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    bytes: () => bytes,
    leadTo: (port) => void (target = port),
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}
