/** A whole research-room instance inside a test process, with the demo's data and without a log or network. */
import type { Cast, DemoPerson } from "../demo/story.ts"
import { startDemo } from "../demo/demo.ts"
import { openLog } from "../log.ts"
import { type ClientOptions, ResearchRoomClient } from "./index.ts"
import { type TransportOptions, Transport } from "./transport.ts"
import { actions } from "../contract/operations/actions.ts"
import { browserPath } from "../contract/definitions/operation.ts"
import { browserReadPath } from "../contract/definitions/read.ts"
import type { CalledName } from "../contract/operations/index.ts"
import { readRequest } from "../contract/definitions/requests.ts"
import {
  deliver,
  membersOf,
  operationOf,
  readOf,
  type WriteOptions,
  type AnswerOf,
  type BrowserRead,
  type ReadArguments,
  type ReceiptOf,
  type WriteInput,
} from "./requests.ts"

// Acts as a person in the browser, without one: with the session cookie and Origin header that a page would send.

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

export interface TestInstanceOptions {
  /** Whether ids, tokens and times are the same on every start, for tests that compare whole answers. */
  readonly deterministic?: boolean | undefined
  /** An empty folder for the data; if left out, a temporary one that is removed at the end. */
  readonly data?: string | undefined
  /** The port; if 0 or left out, the system chooses one. */
  readonly port?: number | undefined
}

/** A running instance, with the demo's data by name. */
export interface ResearchRoom extends Cast {
  readonly baseUrl: string
  /** A client with the credential of this name. @throws TypeError for an unknown name */
  client(name: keyof Cast["credentials"], options?: Partial<Omit<ClientOptions, "token">>): ResearchRoomClient
  /** A client with the personal key of this name, for the Library. @throws TypeError for an unknown name */
  library(name: keyof Cast["keys"], options?: Partial<Omit<ClientOptions, "token">>): ResearchRoomClient
  /** A browser session for `owner`, `member`, `visitor`, or any person with username and password. */
  browser(
    person: keyof Cast["people"] | Pick<DemoPerson, "username" | "password">,
    options?: Partial<TransportOptions>,
  ): Promise<Browser>
  /** Stops the instance and removes temporary data. A second call waits for the first. */
  close(): Promise<void>
  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * The folder with a cached demo, for the first instance of this process only: two copies of one demo would be the same
 * instance. The test runner sets it in the environment.
 */
let kept = process.env.TOLD_DEMO

/**
 * Starts an instance in this process. @throws UsageError for a data folder that is not empty, ListenError for a port
 * that is in use
 */
export async function startResearchRoom({
  deterministic,
  data,
  port = 0,
}: TestInstanceOptions = {}): Promise<ResearchRoom> {
  const from = kept
  kept = undefined
  const demo = await startDemo({ host: "127.0.0.1", port, data, deterministic, kept: from, log: openLog("silent") })
  const { baseUrl, people, rooms, credentials, keys, repositories } = demo
  let closing: Promise<void> | undefined
  const close = () => (closing ??= demo.close())

  const client = (
    tokens: Readonly<Record<string, { readonly token: string }>>,
    what: string,
    name: string,
    options: Partial<ClientOptions> | undefined,
  ) => {
    const token = tokens[name]?.token
    if (token === undefined)
      throw new TypeError(`There is no ${what} ${name}; there are ${Object.keys(tokens).join(", ")}.`)
    return new ResearchRoomClient({ baseUrl, token, ...options })
  }

  return {
    baseUrl,
    people,
    rooms,
    credentials,
    keys,
    repositories,
    client: (name, options) => client(credentials, "credential", name, options),
    library: (name, options) => client(keys, "personal key", name, options),
    browser: (person, options) =>
      Browser.signIn({ baseUrl, ...options }, typeof person === "string" ? people[person] : person),
    close,
    [Symbol.asyncDispose]: close,
  }
}

export type { Cast, DemoCredential, DemoKey, DemoPerson, DemoRoom } from "../demo/story.ts"
