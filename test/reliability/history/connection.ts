/** One connection of a client: one request at a time, and able to hang up in the middle. */
import { Agent, request } from "node:http"

export interface Sent {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly token?: string
  readonly body?: object
  /** Disconnects before the answer: as soon as the request is sent, or as soon as an answer begins. */
  readonly hangUp?: "sent" | "answering"
  readonly signal?: AbortSignal
}

export interface Seen {
  readonly start: number
  /** Infinity if no whole answer came. */
  readonly end: number
  readonly status: number
  readonly answer: string
}

export class Connection {
  readonly #baseUrl: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl
  }

  send({ method, path, token, body, hangUp, signal }: Sent): Promise<Seen> {
    return new Promise((resolve) => {
      const text = body === undefined ? undefined : JSON.stringify(body)
      const headers = {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(text !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
      }
      const start = performance.now()
      const nothing = () => resolve({ start, end: Infinity, status: 0, answer: "" })
      const going = request(
        `${this.#baseUrl}${path}`,
        { method, headers, agent: this.#agent, ...(signal && { signal }) },
        (response) => {
          if (hangUp === "answering") return void going.destroy()
          let answer = ""
          response.setEncoding("utf8")
          response.on("data", (part: string) => (answer += part))
          response.on("error", nothing)
          response.on("close", nothing)
          response.on("end", () => resolve({ start, end: performance.now(), status: response.statusCode ?? 0, answer }))
        },
      )
      going.on("error", nothing)
      going.on("close", nothing)
      going.end(text, () => hangUp === "sent" && going.destroy())
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}
