/** Acts as a person in the browser, without one: with the session cookie and Origin header that a page would send. */
import { actions } from "../contract/operations/actions.ts"
import { browserPath } from "../contract/definitions/operation.ts"
import { browserReadPath } from "../contract/definitions/read.ts"
import type { CalledName } from "../contract/operations/index.ts"
import { readRequest } from "../contract/definitions/requests.ts"
import { deliver, membersOf, operationOf, readOf, type WriteOptions } from "./requests.ts"
import { Transport, type TransportOptions } from "./transport.ts"
import type { AnswerOf, BrowserRead, ReadArguments, ReceiptOf, WriteInput } from "./types.ts"

export class Browser {
  readonly #transport: Transport
  readonly #origin: string
  readonly #cookies = new Map<string, string>()

  private constructor(options: TransportOptions) {
    this.#transport = new Transport(options)
    this.#origin = new URL(options.baseUrl).origin
  }

  static anonymous(options: TransportOptions): Browser {
    return new Browser(options)
  }

  /** Signs a person in. @throws Error with the status if the service refuses */
  static async signIn(
    options: TransportOptions,
    { username, password }: { username: string; password: string },
  ): Promise<Browser> {
    const browser = new Browser(options)
    const signIn = actions.find(({ name }) => name === "sign_in")
    if (signIn === undefined) throw new Error("the contract has no sign_in")
    const response = await browser.request(signIn.method, signIn.path, { username, password })
    if (!response.ok) throw new Error(`${username} could not sign in: ${response.status} ${await response.text()}`)
    return browser
  }

  /**
   * Sends an operation to its browser route, as a page would, with the client's retries.
   * @throws RefusedError, UncertainDelivery
   */
  async write<N extends CalledName>(name: N, input: WriteInput<N>, options: WriteOptions = {}): Promise<ReceiptOf<N>> {
    const operation = operationOf(name)
    const route = { path: browserPath(operation), headers: this.#headers(operation.method) }
    return deliver(this.#transport, operation, route, membersOf(input), options)
  }

  /** Reads as the signed-in person. @throws RefusedError */
  read<N extends BrowserRead>(name: N, ...[input]: ReadArguments<N, never>): Promise<AnswerOf<N>> {
    const read = readOf(name)
    const path = browserReadPath(read) ?? read.path
    return this.#transport.ask({
      ...readRequest({ ...read, path }, membersOf(input)),
      headers: this.#headers(read.method),
    })
  }

  /** Sends one request as a page would, without retries or redirects, and keeps the cookies it sets. */
  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const json = body === undefined ? {} : { "content-type": "application/json" }
    const response = await this.#transport.once(
      method,
      path,
      { ...this.#headers(method), ...json, ...headers },
      body === undefined ? undefined : JSON.stringify(body),
    )
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";")
      this.#cookies.set(pair.split("=")[0] ?? "", pair)
    }
    return response
  }

  #headers(method: string): Record<string, string> {
    return {
      ...(method === "GET" || method === "HEAD" ? {} : { origin: this.#origin }),
      ...(this.#cookies.size === 0 ? {} : { cookie: [...this.#cookies.values()].join("; ") }),
    }
  }
}
