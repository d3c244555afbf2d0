/** A client that speaks HTTP byte by byte, as a slow, broken or malicious one does. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"

export interface Line {
  /** Everything received so far. */
  readonly received: string
  send(text: string | Uint8Array): Promise<void>
  /** Resolves once the received text matches; rejects if the other side closes first. */
  until(pattern: RegExp): Promise<string>
  /** Resolves with everything received once the other side has closed. */
  closed(): Promise<string>
  /** Closes the connection abruptly. */
  hangUp(): void
}

/** Opens a connection to a service. */
export async function dial(baseUrl: string): Promise<Line> {
  const { hostname, port } = new URL(baseUrl)
  const socket: Socket = connect(Number(port), hostname)
  await once(socket, "connect")
  let received = ""
  let over = false
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const each of [...waiting]) each()
  }
  socket.setEncoding("latin1")
  socket.on("data", (text) => {
    received += text
    wake()
  })
  socket.on("error", () => {})
  socket.on("close", () => {
    over = true
    wake()
  })
  const met = (condition: () => boolean, orElse?: () => Error | null) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        if (condition()) resolve(received)
        else {
          const error = orElse?.() ?? null
          if (error === null) return
          reject(error)
        }
        waiting.delete(look)
      }
      waiting.add(look)
      look()
    })
  return {
    get received() {
      return received
    },
    send: (text) =>
      new Promise((resolve) => {
        // A write that the other side no longer accepts is finished too.
        if (socket.destroyed || !socket.writable) return resolve()
        socket.write(text, () => resolve())
      }),
    until: (pattern) =>
      met(
        () => pattern.test(received),
        () => (over ? new Error(`closed before ${pattern}: ${received}`) : null),
      ),
    closed: () => met(() => over),
    hangUp: () => socket.destroy(),
  }
}

/** The head of a request; `headers` are lines. */
export const head = (method: string, path: string, ...headers: string[]): string =>
  [`${method} ${path} HTTP/1.1`, ...headers, "", ""].join("\r\n")

/** The answers in the received text: status, head and body of each, as far as their lengths tell. */
export function answersIn(received: string): { status: number; head: string; body: string }[] {
  const answers = []
  for (let rest = received; rest.startsWith("HTTP/1.1 "); ) {
    const end = rest.indexOf("\r\n\r\n")
    if (end < 0) break
    const top = rest.slice(0, end)
    const length = Number(/^content-length: (\d+)$/im.exec(top)?.[1] ?? 0)
    answers.push({ status: Number(top.slice(9, 12)), head: top, body: rest.slice(end + 4, end + 4 + length) })
    rest = rest.slice(end + 4 + length)
  }
  return answers
}
