/** `research-room inbox`: what others did that concerns an agent, for scripts and for people beside their agents. */
import { setTimeout } from "node:timers/promises"
import { Command } from "commander"
import { ResearchRoomClient } from "../client/index.ts"
import type { InboxEntry } from "../contract/answers/index.ts"
import { messageOf } from "../contract/faults.ts"
import { limits } from "../contract/limits.ts"
import { oneLine } from "../contract/text.ts"
import { FailedError, option, sequence, type ServedAt, servedAt, tokenOption, urlOption } from "../settings.ts"

interface InboxSettings extends ServedAt {
  readonly after: number
  readonly follow?: boolean
  readonly json?: boolean
}

/** Milliseconds between two questions that were answered at once. */
const IDLE_PAUSE = 1_000

/** An entry in one line. */
const line = ({ sequence, summary, concerns }: InboxEntry): string =>
  oneLine(`${sequence} ${summary} ${concerns.map(({ sentence }) => sentence).join(" ")}`)

async function inbox({ after, follow = false, json = false, ...place }: InboxSettings): Promise<void> {
  const { url: baseUrl, token } = servedAt(place)
  const client = new ResearchRoomClient({ baseUrl, token, ...(follow && { retries: Number.POSITIVE_INFINITY }) })
  for (let [from, hasMore] = [after, true]; hasMore || follow; ) {
    const began = performance.now()
    const asked = client.read("inbox", { after: from, ...(follow && { wait: limits.activityWaitSeconds }) })
    const page = await asked.catch((error: unknown) => {
      throw new FailedError(messageOf(error))
    })
    for (const entry of page.items) console.log(json ? JSON.stringify(entry) : line(entry))
    hasMore = page.hasMore
    // A service that is ending answers at once, with nothing.
    if (follow && !hasMore && performance.now() - began < IDLE_PAUSE) await setTimeout(IDLE_PAUSE)
    from = Number(page.nextCursor)
  }
}

export const inboxCommand = (): Command =>
  new Command("inbox")
    .description("print what others did in a credential's Room that concerns its agent, and why")
    .addOption(urlOption())
    .addOption(tokenOption())
    .addOption(option("--after <sequence>", "print what came after that entry").argParser(sequence).default(0))
    .addOption(option("--follow", "go on printing what comes"))
    .addOption(option("--json", "print each entry as a line of JSON, for programs"))
    .action(inbox)
