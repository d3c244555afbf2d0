/**
 * `research-room inbox`: prints the activity of others that concerns an agent, for scripts and for people who watch
 * their agents.
 */
import { setTimeout } from "node:timers/promises"
import { Command } from "commander"
import type { InboxEntry } from "../contract/answers/index.ts"
import { FailedError, messageOf } from "../contract/faults.ts"
import { limits } from "../contract/limits.ts"
import { oneLine } from "../contract/text.ts"
import { option, sequence, type RemoteOptions, requireService, tokenOption, urlOption } from "../settings.ts"

interface InboxSettings extends RemoteOptions {
  readonly after: number
  readonly follow?: boolean
  readonly json?: boolean
}

/** Milliseconds between two requests if the service answers at once. */
const IDLE_PAUSE = 1_000

const line = ({ sequence, summary, concerns }: InboxEntry): string =>
  oneLine(`${sequence} ${summary} ${concerns.map(({ sentence }) => sentence).join(" ")}`)

async function inbox({ after, follow = false, json = false, ...remote }: InboxSettings): Promise<void> {
  const { url: baseUrl, token } = requireService(remote)
  const { ResearchRoomClient } = await import("../client/index.ts")
  const client = new ResearchRoomClient({ baseUrl, token, ...(follow && { retries: Number.POSITIVE_INFINITY }) })
  for (let [from, hasMore] = [after, true]; hasMore || follow; ) {
    const startedAt = performance.now()
    const request = client.read("inbox", { after: from, ...(follow && { wait: limits.activityWaitSeconds }) })
    const page = await request.catch((error: unknown) => {
      throw new FailedError(messageOf(error))
    })
    for (const entry of page.items) console.log(json ? JSON.stringify(entry) : line(entry))
    hasMore = page.hasMore
    // A service that is shutting down answers at once with an empty page.
    if (follow && !hasMore && performance.now() - startedAt < IDLE_PAUSE) await setTimeout(IDLE_PAUSE)
    from = Number(page.nextCursor)
  }
}

export const inboxCommand = (): Command =>
  new Command("inbox")
    .description("print what others did in the Room of a credential that concerns its agent, and why")
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(option("--after <sequence>", "print only later entries").argParser(sequence).default(0))
    .addOption(option("--follow", "keep printing new entries as they arrive"))
    .addOption(option("--json", "print each entry as a line of JSON, for programs"))
    .action(inbox)
