/** A whole research-room instance inside a test process: seeded, silent, needing nothing from outside. */
import type { Cast, DemoPerson } from "../demo/cast.ts"
import { startDemo } from "../demo/demo.ts"
import { openLog } from "../log.ts"
import { Browser } from "./browser.ts"
import { type ClientOptions, ResearchRoomClient } from "./index.ts"
import type { TransportOptions } from "./transport.ts"

export interface TestInstanceOptions {
  /** The same ids, tokens and times on every start, for tests that compare whole answers. */
  readonly deterministic?: boolean | undefined
  /** An empty folder to keep the data in; a temporary one, removed at the end, when left out. */
  readonly data?: string | undefined
  /** 0, and when left out: the system picks one. */
  readonly port?: number | undefined
}

/** A running instance and everything it was seeded with, each thing by its name. */
export interface ResearchRoom extends Cast {
  readonly baseUrl: string
  /** A client with the Room credential of that name. @throws TypeError for a name the instance does not have */
  client(name: keyof Cast["credentials"], options?: Partial<Omit<ClientOptions, "token">>): ResearchRoomClient
  /** A client with the personal key of that name, for the Library. @throws TypeError for a name the instance does not have */
  library(name: keyof Cast["keys"], options?: Partial<Omit<ClientOptions, "token">>): ResearchRoomClient
  /** A person signed in to the browser: `owner`, `member`, `visitor`, or anybody by username and password. */
  browser(person: keyof Cast["people"] | Pick<DemoPerson, "username" | "password">, options?: Partial<TransportOptions>): Promise<Browser>
  /** Ends the instance; its temporary data goes with it. A second call waits for the first. */
  close(): Promise<void>
  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * The folder that keeps a demo told before, for the first instance of this process: two copies of one demo would be one instance.
 * Set by the tests' own runner, in the environment.
 */
let kept = process.env.TOLD_DEMO

/** Starts an instance in this process. @throws UsageError for a data folder that is not empty, ListenError for a port in use */
export async function startResearchRoom({ deterministic, data, port = 0 }: TestInstanceOptions = {}): Promise<ResearchRoom> {
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
    if (token === undefined) throw new TypeError(`There is no ${what} ${name}; there are ${Object.keys(tokens).join(", ")}.`)
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
    browser: (person, options) => Browser.signIn({ baseUrl, ...options }, typeof person === "string" ? people[person] : person),
    close,
    [Symbol.asyncDispose]: close,
  }
}

export type { Cast, DemoCredential, DemoKey, DemoPerson, DemoRoom } from "../demo/cast.ts"
export { Browser } from "./browser.ts"
