/**
 * One connection to the service, as a client holds it: one request at a time, kept open, and sometimes dropped in the
 * middle.
 */
import { Agent as Connections, type ClientRequest, type IncomingMessage, request } from "node:http"
import { type Sent, stored } from "./journal.ts"

export interface Answer {
  readonly status: number
  readonly text: string
}

/** Something the service must never do, with the details for a diagnosis. */
export class Violation extends Error {
  override readonly name = "Violation"
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly token?: string
  readonly text?: string
  /** Drops the connection this many milliseconds after the whole request was sent, or as soon as an answer begins. */
  readonly hangUpAfter?: number | "answering"
  readonly signal?: AbortSignal
}

/** The whole body of an answer; rejects if the connection ends first. */
async function bodyOf(response: IncomingMessage): Promise<string> {
  let text = ""
  for await (const piece of response.setEncoding("utf8")) text += piece
  return text
}

export class Line {
  readonly #baseUrl: URL
  readonly #connections: Connections

  /** @param connections the most requests under way at once */
  constructor(baseUrl: string, connections = 1) {
    this.#baseUrl = new URL(baseUrl)
    this.#connections = new Connections({ keepAlive: true, maxSockets: connections })
  }

  /** @returns null if no whole answer came */
  ask({ method, path, token, text, hangUpAfter, signal }: Asked): Promise<Answer | null> {
    const { hostname, port } = this.#baseUrl
    return new Promise((resolve) => {
      const asked: ClientRequest = request({
        agent: this.#connections,
        ...(signal && { signal }),
        hostname,
        port,
        method,
        path,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(text !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
        },
      })
      let answered = false
      asked.on("error", () => resolve(null))
      asked.on("close", () => answered || resolve(null))
      asked.on("response", (response) => {
        if (hangUpAfter === "answering") return void asked.destroy()
        answered = true
        bodyOf(response).then(
          (body) => resolve({ status: response.statusCode ?? 0, text: body }),
          () => resolve(null),
        )
      })
      if (typeof hangUpAfter === "number") asked.on("finish", () => setTimeout(() => asked.destroy(), hangUpAfter))
      asked.end(text)
    })
  }

  get(path: string, token?: string): Promise<Answer | null> {
    return this.ask({ method: "GET", path, ...(token !== undefined && { token }) })
  }

  /** Sends a write, and records in it what its sender may now conclude. @returns null if no whole answer came */
  async send(sent: Sent, hangUpAfter?: number): Promise<Answer | null> {
    const { operation, path, text, agent } = sent
    const answer = await this.ask({
      method: operation.method,
      path,
      token: agent.token,
      text,
      ...(hangUpAfter !== undefined && { hangUpAfter }),
    })
    judge(sent, answer)
    return answer
  }

  close(): void {
    this.#connections.destroy()
  }
}

interface Envelope {
  readonly refusal?: string
  readonly committed?: boolean | null
}

/** What an answer lets its sender conclude. @throws Violation for an answer that the interface does not allow */
function judge(sent: Sent, answer: Answer | null): void {
  if (answer === null) {
    sent.tries.push("no answer")
    return
  }
  const { status, text } = answer
  const parsed = parse(text)
  sent.tries.push(`${status}${parsed?.refusal === undefined ? "" : ` ${parsed.refusal} committed ${parsed.committed}`}`)
  if (status === 200 && parsed !== undefined) {
    if (sent.rehearsed) sent.outcome = "declined"
    else if (sent.receiptText === null) stored(sent, text)
    return
  }
  if (parsed?.refusal === undefined || parsed.committed === undefined)
    throw new Violation(`${sent.operation.name} was answered ${status} without an envelope: ${text.slice(0, 300)}`)
  // A write found stored once stays stored, whatever a later try was answered.
  if (sent.outcome === "unknown" && parsed.committed === false) sent.outcome = "declined"
}

function parse(text: string): Envelope | undefined {
  try {
    return JSON.parse(text) as Envelope
  } catch {
    return undefined
  }
}

/** Does something for each item of a list, with a limit on how many at a time. */
export async function each<T>(list: readonly T[], lanes: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = list.values()
  const lane = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
