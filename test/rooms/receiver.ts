/** A program that receives webhooks, and verifies each with the standard's own library. */
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { Webhook } from "standardwebhooks"

export interface Received {
  readonly id: string
  readonly event: {
    readonly roomId: string
    readonly sequence: number
    readonly kind: string
    readonly label: string | null
    readonly url: string
  }
  readonly body: string
  readonly headers: IncomingHttpHeaders
}

export class Receiver {
  readonly received: Received[] = []
  /** Its answer to each delivery; 204 by default. */
  answer: (response: ServerResponse) => void = (response) => void response.writeHead(204).end()
  secret = ""
  /** Milliseconds by which its clock is ahead of the machine's. */
  ahead = 0
  /** Deliveries with an invalid signature. */
  forged = 0
  #server: Server | null = null
  #port = 0

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`
  }

  async open(): Promise<this> {
    this.#server = createServer(async (request, response) => {
      const body = await text(request)
      try {
        const event = this.#verified(body, request.headers as Record<string, string>)
        this.received.push({ id: String(request.headers["webhook-id"]), event, body, headers: request.headers })
      } catch {
        this.forged += 1
      }
      this.answer(response)
    }).listen(this.#port, "127.0.0.1")
    await once(this.#server, "listening")
    this.#port = (this.#server.address() as AddressInfo).port
    return this
  }

  /** Verifies a delivery. The library uses the machine's clock, which this receiver's may be ahead of. */
  #verified(body: string, headers: Record<string, string>): Received["event"] {
    const { now } = Date
    Date.now = () => now() + this.ahead
    try {
      return new Webhook(this.secret).verify(body, headers) as Received["event"]
    } finally {
      Date.now = now
    }
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections()
    await new Promise((resolve) => this.#server?.close(resolve))
  }

  /** The received sequences, in order of arrival. */
  get sequences(): number[] {
    return this.received.map(({ event }) => event.sequence)
  }
}

/** Waits until a condition holds. @throws Error if it never does */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, seconds = 20): Promise<void> {
  for (let looks = 0; looks < seconds * 50; looks += 1) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`timed out; expected: ${what}`)
}
