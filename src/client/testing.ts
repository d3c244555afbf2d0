/** A whole research-room instance inside a test process, with the demo's data and without a log or network. */
import type { Cast, DemoPerson } from "../demo/cast.ts"
import { startDemo } from "../demo/demo.ts"
import { openLog } from "../log.ts"
import { Browser } from "./browser.ts"
import { type ClientOptions, ResearchRoomClient } from "./index.ts"
import type { TransportOptions } from "./transport.ts"

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

export type { Cast, DemoCredential, DemoKey, DemoPerson, DemoRoom } from "../demo/cast.ts"
export { Browser } from "./browser.ts"
