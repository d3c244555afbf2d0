/**
 * A service of the test's own: its data is in its own folder, the test moves its clock, and the database is accessible.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Logger } from "pino"
import type { Test } from "tap"
import { Browser } from "research-room/testing"
import { realWorld } from "../../src/ledger/world.ts"
import { openLog } from "../../src/log.ts"
import { type Service, startService, type EntranceSettings } from "../../src/app/service.ts"
import type { SendingSettings } from "../../src/app/webhooks/sending.ts"
import { held } from "./contract.ts"

export interface Own extends Service {
  readonly folder: string
  /** Moves the service's time ahead of the machine's. */
  pass(milliseconds: number): void
  /** A browser that is not signed in. */
  stranger(): Browser
  /** Sets up the first person and returns their browser. */
  setUp(username?: string): Promise<Browser>
  /** Makes another person, as the operator can, and signs them in. */
  person(username: string): Promise<Browser>
}

export interface OwnOptions {
  readonly baseUrl?: string
  /** If omitted, the system picks one. */
  readonly port?: number
  readonly folder?: string
  /** Keeps the data when the service is closed. */
  readonly keeps?: boolean
  /** The stand-ins for arXiv and for Crossref, and the milliseconds between two requests to them. */
  readonly arxiv?: { readonly api: string; readonly pause: number }
  readonly crossref?: { readonly api: string; readonly contact?: string; readonly pause: number }
  readonly entrance?: EntranceSettings
  /** Milliseconds by which its clock is ahead of the machine's at the start. */
  readonly ahead?: number
  /** The clock in place of the machine's. */
  readonly clock?: () => number
  readonly log?: Logger
  /** The base address of its repositories; if omitted, there are none. */
  readonly repositories?: string
  /** The addresses webhooks may be sent to, with short pauses. */
  readonly webhooks?: Partial<SendingSettings>
}

export const DAY = 86_400_000

/** The password of everyone in these stories. */
export const passwordOf = (username: string): string => `the long password of ${username}`

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), "research-room-test-"))

/**
 * A folder for the tests of a file. All files of a process would share the one that `t.testdir` makes outside of a
 * test.
 */
export function folderFor(t: Test): string {
  const folder = temporaryFolder()
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a service in this process on a port that the system picks. */
export async function startOwn({
  baseUrl,
  port = 0,
  folder = temporaryFolder(),
  keeps = false,
  arxiv,
  crossref,
  entrance,
  ahead = 0,
  clock = Date.now,
  log = openLog("silent"),
  repositories,
  webhooks,
}: OwnOptions = {}): Promise<Own> {
  const service = await startService({
    data: folder,
    host: "127.0.0.1",
    port,
    baseUrl,
    log,
    repositories: { folders: repositories === undefined ? [] : [repositories], github: null },
    ...(arxiv && { arxiv }),
    ...(crossref && { crossref }),
    entrance,
    webhooks,
    world: realWorld(() => clock() + ahead),
  })
  const stranger = () => Browser.anonymous({ baseUrl: service.baseUrl, fetch: held })
  const signedIn = async (username: string, path: string, body: object) => {
    const browser = stranger()
    const response = await browser.request("POST", path, { username, password: passwordOf(username), ...body })
    if (!response.ok) throw new Error(`${username} does not come in: ${await response.text()}`)
    return browser
  }
  return {
    ...service,
    folder,
    stranger,
    pass: (milliseconds) => void (ahead += milliseconds),
    setUp: (username = "ada") =>
      signedIn(username, "/api/setup", { token: new URL(service.setUpLink ?? "").searchParams.get("token") }),
    async person(username) {
      await service.instance.accounts.add(username, passwordOf(username))
      return signedIn(username, "/api/session", {})
    },
    async close() {
      await service.close()
      if (!keeps) rmSync(folder, { recursive: true, force: true })
    },
  }
}
