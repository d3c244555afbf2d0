/** Sends requests byte by byte, as no library would, and collects the answers. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { setImmediate as turn } from "node:timers/promises"
import { type Answer, readAnswer } from "./answers.ts"

/**
 * What the sender does after the last byte. `keep`: waits for the answer, and reuses the connection. `finish`: once
 * there is an answer, or none for a while, half-closes and waits for the other side to close. `half-close`: half-closes
 * at once, which lets Node leave out the answer. `wait`: sends nothing, and waits for the other side to close. `leave`:
 * disconnects at once. `leave-answered`: disconnects as soon as the first byte of an answer arrives. `deaf`: reads
 * nothing for a while, however much is sent, and disconnects.
 */
export type Ending = "keep" | "finish" | "half-close" | "wait" | "leave" | "leave-answered" | "deaf"

export interface Outcome {
  readonly answers: readonly Answer[]
  /** The fault in the framing of the answers; null if there is none. */
  readonly fault: string | null
  /** `open`: usable again. `reset`: the other side closed with bytes unread. `stuck`: nothing happened for too long. */
  readonly end: "open" | "closed" | "reset" | "stuck" | "left"
  /** Whether the sender had half-closed before an answer began: it may then be missing, or be cut. */
  readonly finishedFirst: boolean
}

/**
 * Milliseconds after which a request counts as lost: well above the service's own limit for a request that never ends.
 */
const STUCK = 90_000
/** Milliseconds without an answer after which a sender that finishes half-closes. */
const QUIET = 100

export class Wire {
  readonly #host: string
  readonly #port: number
  #kept: Socket | null = null

  constructor(baseUrl: string) {
    const { hostname, port } = new URL(baseUrl)
    this.#host = hostname
    this.#port = Number(port)
  }

  /** @param methods of the requests in `pieces`, in order; between two pieces the other side gets time to read */
  async exchange(pieces: readonly Uint8Array[], methods: readonly string[], ending: Ending): Promise<Outcome> {
    const kept = this.#kept
    this.#kept = null
    if (kept !== null && ending === "keep") {
      const outcome = await converse(kept, pieces, methods, ending)
      // A kept connection may have been closed meanwhile, for good reasons: then the request was not read.
      if (outcome.answers.length > 0 || outcome.fault !== null || outcome.end === "stuck")
        return this.#keeping(kept, outcome)
    } else kept?.destroy()
    const socket = connect({ host: this.#host, port: this.#port, noDelay: true })
    const connected = await once(socket, "connect").then(
      () => null,
      (error: Error) => error,
    )
    if (connected !== null)
      return { answers: [], fault: `no connection: ${connected.message}`, end: "closed", finishedFirst: false }
    return this.#keeping(socket, await converse(socket, pieces, methods, ending))
  }

  #keeping(socket: Socket, outcome: Outcome): Outcome {
    if (outcome.end === "open") this.#kept = socket
    else socket.destroy()
    return outcome
  }

  close(): void {
    this.#kept?.destroy()
    this.#kept = null
  }
}

async function converse(
  socket: Socket,
  pieces: readonly Uint8Array[],
  methods: readonly string[],
  ending: Ending,
): Promise<Outcome> {
  const received = collect(socket, methods, ending)
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await turn()
    if (socket.destroyed || !socket.writable) break
    socket.write(piece)
  }
  if (ending === "half-close") socket.end()
  if (ending === "leave") {
    // Written bytes are handed to the system first: the service sees the beginning, then the end.
    await turn()
    socket.destroy()
  }
  return received
}

function collect(socket: Socket, methods: readonly string[], ending: Ending): Promise<Outcome> {
  return new Promise((resolve) => {
    const answers: Answer[] = []
    let bytes: Buffer = Buffer.alloc(0)
    let waiting: Buffer[] = []
    let [reset, fault]: [boolean, string | null] = [false, null]
    const settle = (end: Outcome["end"]) => {
      clearTimeout(timer)
      clearTimeout(quiet)
      socket
        .removeAllListeners("data")
        .removeAllListeners("close")
        .removeAllListeners("end")
        .removeAllListeners("error")
      socket.on("error", () => undefined)
      resolve({ answers, fault, end, finishedFirst })
    }
    let finishedFirst = ending === "half-close"
    const timer = setTimeout(() => settle("stuck"), STUCK)
    const finish = () => {
      finishedFirst ||= answers.length === 0
      socket.end()
    }
    const pause = { finish, deaf: () => settle("left") }[ending as string]
    const quiet = pause === undefined ? undefined : setTimeout(pause, QUIET)
    if (ending === "deaf") {
      // Without a reader the answers pile up in the service: it must cope, and drop them when the connection is gone.
      socket.pause()
      return
    }
    const read = (over: boolean) => {
      bytes = Buffer.concat([bytes, ...waiting])
      waiting = []
      while (bytes.length > 0 && fault === null) {
        const front = readAnswer(bytes, methods[answers.length] ?? "GET", over)
        if ("more" in front) return
        if ("fault" in front) fault = front.fault
        else {
          answers.push(front.answer)
          bytes = front.rest
        }
      }
    }
    const closes = () => /close/i.test(answers.at(-1)?.headers.find(([name]) => name === "connection")?.[1] ?? "")
    socket.on("data", (chunk: Buffer) => {
      waiting.push(chunk)
      if (ending === "leave-answered") {
        settle("left")
        return
      }
      read(false)
      if (ending === "finish" && answers.length > 0 && !socket.writableEnded) finish()
      if (ending === "keep" && answers.length >= methods.length && fault === null && !closes()) settle("open")
    })
    socket.on("error", () => (reset = true))
    socket.on("end", () => void (socket.writableEnded || socket.end()))
    socket.on("close", () => {
      if (ending === "leave") return settle("left")
      // The other side may reset a connection whose request it did not read to its end: a truncated answer is then no
      // fault.
      if (!reset) read(true)
      settle(reset ? "reset" : "closed")
    })
  })
}
