/** Writes over HTTP beside a bare loop of the same statements. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import type { Answer, Ask } from "./bare.ts"
import { freshId } from "./load.ts"
import { line, ratio } from "./numbers.ts"
import { type Demo, Helper, startDemo } from "./process.ts"
import { postRequest } from "./requests.ts"
import type { Settings } from "./settings.ts"

/** How many writes the bare loop puts into one transaction, and how many connections write over HTTP. */
const MANY = 16

export const postIn = ({ rooms, credentials }: Demo): string =>
  postRequest(rooms.empty.openingThreadId, credentials.member_all.token, freshId)

/** Writes per second at one connection and at sixteen, against a new instance. */
async function overHttp({ scratch, seconds, loader }: Settings) {
  const folder = join(scratch, "writes")
  const { told, port, end } = await startDemo(folder)
  const requests = [postIn(told)]
  const one = await loader.ask({
    port,
    connections: 1,
    seconds,
    warmUp: seconds / 2,
    requests,
  })
  const many = await loader.ask({
    port,
    connections: MANY,
    seconds,
    warmUp: seconds / 4,
    requests,
  })
  await end()
  rmSync(folder, { recursive: true, force: true })
  return { one, many }
}

/** Starts the bare loop's process, on the data of a demo that has ended. */
async function startBare({ scratch, recorded }: Settings): Promise<{ bare: Helper<Ask, Answer>; statements: Answer }> {
  const folder = join(scratch, "base")
  const { told, end } = await startDemo(folder)
  await end()
  const bare = new Helper<Ask, Answer>("bare.ts")
  const threadId = told.rooms.empty.openingThreadId
  const statements = await bare.ask({
    record: {
      folder,
      scratch,
      threadId,
      token: told.credentials.member_all.token,
      writes: recorded,
    },
  })
  return { bare, statements }
}

/** The lines of the statements that one write runs. */
function told({ before, inside }: Answer): string[] {
  const short = (sql: string) => `      ${sql.replace(/\s+/g, " ").slice(0, 110)}`
  return [
    `  One post_message runs ${before.length + inside.length} statements: ${before.length} before its transaction, ${inside.length} inside. BEGIN, COMMIT and triggers are not counted.`,
    ...before.map(short),
    "      BEGIN IMMEDIATE",
    ...inside.map(short),
    "      COMMIT",
  ]
}

export async function writes(settings: Settings): Promise<string[]> {
  const { bare, statements } = await startBare(settings)
  const http: Awaited<ReturnType<typeof overHttp>>[] = []
  const loops: { single: number; groups: number }[] = []
  for (let round = 0; round < settings.rounds; round += 1) {
    const loop = async (group: number) => (await bare.ask({ loop: { group, seconds: settings.seconds } })).perSecond
    if (settings.backwards(round)) http.push(await overHttp(settings))
    loops.push({ single: await loop(1), groups: await loop(MANY) })
    if (!settings.backwards(round)) http.push(await overHttp(settings))
  }
  const one = http.map(({ one }) => one.perSecond)
  const many = http.map(({ many }) => many.perSecond)
  const single = loops.map((loop) => loop.single)
  const groups = loops.map((loop) => loop.groups)
  return [
    "Writes: post_message of 1 KB, each with an id of its own",
    ...told(statements),
    line("over HTTP, 1 connection", one, "/s", 0),
    line(`over HTTP, ${MANY} connections`, many, "/s", 0),
    line("bare loop, one transaction each", single, "/s", 0),
    line(`bare loop, ${MANY} in a transaction, each in a savepoint`, groups, "/s", 0),
    line("HTTP 1 / bare one each", ratio(one, single), "", 2),
    line(`HTTP ${MANY} / bare one each`, ratio(many, single), "", 2, "first aim 1.3"),
    line(`HTTP ${MANY} / bare ${MANY} in a transaction`, ratio(many, groups), "", 2, "first aim 0.5"),
    line(
      "time of a write, 1 connection: p50",
      http.map(({ one }) => one.p50),
      "ms",
      2,
    ),
    line(
      "time of a write, 1 connection: p99",
      http.map(({ one }) => one.p99),
      "ms",
      2,
    ),
    line(
      `time of a write, ${MANY} connections: p50`,
      http.map(({ many }) => many.p50),
      "ms",
      2,
    ),
    line(
      `time of a write, ${MANY} connections: p99`,
      http.map(({ many }) => many.p99),
      "ms",
      2,
    ),
  ]
}
