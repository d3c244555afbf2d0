/** One connection of a client: one request at a time, and able to hang up in the middle. */
import { Line } from "../support/line.ts"

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
  readonly #line: Line

  constructor(baseUrl: string) {
    this.#line = new Line(baseUrl)
  }

  async send({ body, hangUp, ...asked }: Sent): Promise<Seen> {
    const start = performance.now()
    const answer = await this.#line.ask({
      ...asked,
      ...(body !== undefined && { text: JSON.stringify(body) }),
      ...(hangUp !== undefined && { hangUpAfter: hangUp === "sent" ? 0 : hangUp }),
    })
    if (answer === null) return { start, end: Infinity, status: 0, answer: "" }
    return { start, end: performance.now(), status: answer.status, answer: answer.text }
  }

  close(): void {
    this.#line.close()
  }
}
