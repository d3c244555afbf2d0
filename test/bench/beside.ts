/**
 * This checkout beside another one, in one run: writes a second over HTTP and the size of the file after the same writes.
 * `node --conditions=research-room-source test/bench/beside.ts --before FOLDER [--rounds 6] [--writes 8000] [--kinds post_message,mixed]`; both are built before.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import type { OperationName } from "../../src/contract/operations/index.ts"
import { copyData, dataFile, type Demo, remove, repositoriesOf } from "./data/demo.ts"
import { delivery } from "./data/house.ts"
import type { Load, Loaded } from "./load/load.ts"
import { freshId, post, writeShots } from "./load/shots.ts"
import { root, scratchFolder } from "./machine.ts"
import { median, ratio } from "./numbers.ts"
import { endAll, Helper, makeDemo, startServe } from "./process.ts"
import { backwards } from "./settings.ts"
import { messageText } from "./writes/recipes/discussion.ts"

const { values: flags } = parseArgs({
  options: {
    before: { type: "string" },
    rounds: { type: "string", default: "6" },
    writes: { type: "string", default: "8000" },
    kinds: { type: "string", default: "post_message,publish_hypothesis,mixed" },
  },
})
if (flags.before === undefined) throw new Error("name the other checkout with --before")
const sides = { before: flags.before, now: root }
type Side = keyof typeof sides
const [rounds, count] = [Number(flags.rounds), Number(flags.writes)]
const WARM_UP = 1_600

/** What is written: of each kind what needs nothing before it. */
function shotsOf({ rooms, credentials }: Demo, kind: string) {
  const { roomId, openingThreadId: threadId } = rooms.empty
  const shot = <N extends OperationName>(name: N, said: object) => {
    const { operation, params, body } = delivery(name, said as never, freshId)
    const path = operation.path.replace(/\{([a-zA-Z]+)\}/g, (_, id: string) => params[id] as string)
    return post(path, credentials.member_all.token, body)
  }
  const all = {
    post_message: shot("post_message", { threadId, text: messageText }),
    publish_hypothesis: shot("publish_hypothesis", { roomId, threadId, premises: [], references: [] }),
    propose_experiment: shot("propose_experiment", { roomId, threadId, hypotheses: [] }),
    create_thread: shot("create_thread", { roomId, allowDuplicate: true }),
  }
  return kind === "mixed" ? Object.values(all) : [all[kind as keyof typeof all]]
}

interface Figures {
  readonly perSecond: number
  readonly bytes: number
}

const { folder: scratch, remove: removeScratch } = scratchFolder()
const loader = new Helper<Load, Loaded>("load/load.ts")
try {
  const demos = {
    before: await makeDemo(join(scratch, "demo-before"), sides.before),
    now: await makeDemo(join(scratch, "demo-now"), sides.now),
  }
  for (const kind of flags.kinds.split(",")) {
    const file = (side: Side) => join(scratch, `shots-${side}.json`)
    const measured = async (side: Side): Promise<Figures> => {
      writeShots(file(side), shotsOf(demos[side], kind))
      const demo = join(scratch, `demo-${side}`)
      const copy = copyData(demo, join(scratch, "served"))
      const { port, end } = await startServe(copy, repositoriesOf(demo), "node", sides[side])
      const { perSecond } = await loader.ask({ port, file: file(side), connections: 16, count, warmUp: WARM_UP })
      await end()
      const bytes = statSync(dataFile(copy)).size - statSync(dataFile(demo)).size
      remove(copy)
      return { perSecond, bytes }
    }
    const found: Record<Side, Figures[]> = { before: [], now: [] }
    for (let round = 0; round < rounds; round += 1)
      for (const side of backwards(round) ? (["now", "before"] as const) : (["before", "now"] as const))
        found[side].push(await measured(side))
    const of = (what: keyof Figures) => {
      const [before, now] = [found.before.map((each) => each[what]), found.now.map((each) => each[what])]
      return `${median(before).toFixed(0)} before, ${median(now).toFixed(0)} now, ${median(ratio(now, before)).toFixed(3)} times`
    }
    console.log(
      `${kind}, ${count} at 16 connections, ${rounds} rounds: writes a second ${of("perSecond")}; bytes that they add ${of("bytes")}`,
    )
  }
} finally {
  await endAll()
  removeScratch()
}
