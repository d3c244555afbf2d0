/**
 * `check_text`: a text of 60,000 characters that is dense in numbers, in Rooms of 500 and 2,000 attempts, and how long
 * writers wait beside such requests.
 */
import { join } from "node:path"
import { Filler } from "../research/record/filler.ts"
import { measuredRoom } from "../research/numbers/measured-room.ts"
import { statementsAbout } from "../research/numbers/statements.ts"
import { copyData, dataFile, readDemo, remove, repositoriesOf } from "./data/demo.ts"
import type { Loaded } from "./load/load.ts"
import { freshId, post, writeShots } from "./load/shots.ts"
import { ratio } from "./numbers.ts"
import { processorOf, startServe } from "./process.ts"
import { progress } from "./progress.ts"
import { backwards, type Bench } from "./settings.ts"
import { messageText } from "./writes/recipes/discussion.ts"

const SIZES = [500, 2_000]
/** Milliseconds that a check may take, and texts that are checked in turn. No statement stands in one twice. */
const [WANTED, TEXTS] = [200, 3]
const LONG = 60_000
/** Writes per second, at fixed times. */
const RATE = 100

export async function checkedTexts(bench: Bench): Promise<void> {
  const { scratch, demo, loader, report } = bench
  const { credentials, rooms, people } = readDemo(demo)
  const folder = copyData(demo, join(scratch, "checked-texts"))
  const filler = new Filler(dataFile(folder))
  const owner = filler.person(people.owner.username)
  const made = []
  for (const size of SIZES) {
    const room = await filler.fill(() => measuredRoom(filler, owner, size))
    const texts = Array.from({ length: TEXTS }, (_, seed) =>
      [...new Set(statementsAbout(room, 1_600, seed).map(({ text }) => text))]
        .map((text, at) => `${text}${at % 4 === 3 ? "\n\n" : " "}`)
        .join("")
        .slice(0, LONG),
    )
    made.push({ size, roomId: room.roomId, texts })
  }
  filler.close()

  const service = await startServe(folder, repositoriesOf(demo))
  const check = async (roomId: string, text: string) => {
    const response = await fetch(`http://127.0.0.1:${service.port}/api/research/rooms/${roomId}/check_text`, {
      ...{ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ text }) },
    })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as { readonly summary: { readonly numbers: number } }
  }
  const rows = []
  for (const { size, roomId, texts } of made) {
    const [clock, processor]: [number[], number[]] = [[], []]
    let numbers = 0
    for (let round = -2 * TEXTS; round < bench.reads / 5; round += 1) {
      const text = texts.at(round % TEXTS) ?? ""
      const [began, used] = [performance.now(), processorOf(service.pid)]
      numbers = (await check(roomId, text)).summary.numbers
      // The first requests work the Room's quantities out, and the program is compiled meanwhile.
      if (round < 0) continue
      clock.push(performance.now() - began)
      processor.push((processorOf(service.pid) - used) / 1_000)
    }
    rows.push({ name: `${size} attempts`, cells: [clock, [Math.max(...clock)], processor, [numbers]] })
    report.aimOf(`check_text of ${LONG} characters beside ${size} attempts, ms`, clock, { atMost: WANTED })
  }
  report.table({
    title: `check_text of ${LONG.toLocaleString("en")} characters; times in ms`,
    notes: ["Each request waits for the one before. The processor time is that of all threads of the service."],
    columns: [
      { name: "median", digits: 0 },
      { name: "longest", digits: 0 },
      { name: "processor", digits: 0 },
      { name: "numbers", digits: 0 },
    ],
    rows,
  })

  const messages = join(scratch, "messages-beside-checks.json")
  const path = `/api/agent/threads/${rooms.empty.openingThreadId}/messages`
  const message = { schemaVersion: 3, clientMessageId: freshId, text: messageText }
  writeShots(messages, [post(path, credentials.owner_all.token, message)])
  const count = RATE * Math.max(3, 5 * bench.seconds)
  const load = { port: service.port, connections: 8, file: messages, rate: RATE, count }
  await loader.ask({ port: service.port, connections: 1, file: messages, count: bench.warmUp })
  const found: { readonly alone: Loaded[]; readonly beside: Loaded[] } = { alone: [], beside: [] }
  const rounds = bench.rounds + 2
  const shown = progress("checked-texts", rounds)
  const { roomId = "", texts = [] } = made.at(-1) ?? {}
  for (let round = 0; round < rounds; round += 1) {
    shown.step(`round ${round + 1}`)
    for (const side of backwards(round) ? (["beside", "alone"] as const) : (["alone", "beside"] as const)) {
      let isOver = false
      const asking = (async () => {
        for (let at = 0; side === "beside" && !isOver; at += 1) await check(roomId, texts[at % TEXTS] ?? "")
      })()
      found[side].push(await loader.ask(load))
      isOver = true
      await asking
    }
  }
  shown.end()
  await service.end()
  remove(folder)
  const of = (side: keyof typeof found, what: "p50" | "p99") => found[side].map(({ write }) => write[what])
  const beside = (what: "p50" | "p99") => ratio(of("beside", what), of("alone", what))
  report.table({
    title: "Writes beside check_text; times in ms",
    notes: [`${RATE} writes a second are due at fixed moments; one check_text follows another meanwhile.`],
    columns: [
      { name: "p50", digits: 2 },
      { name: "p99", digits: 2 },
    ],
    rows: [
      { name: "a write alone", cells: [of("alone", "p50"), of("alone", "p99")] },
      { name: "a write beside check_text", cells: [of("beside", "p50"), of("beside", "p99")] },
      { name: "beside / alone", cells: [beside("p50"), beside("p99")] },
    ],
  })
  report.aimOf("p99 of a write beside check_text / alone", beside("p99"), { atMost: 2 })
}
