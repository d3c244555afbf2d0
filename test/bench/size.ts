/**
 * The size of the file beside the texts written into it: `node --conditions=research-room-source test/bench/size.ts
 * [--megabytes 18] [--kinds prose,…]`. Long messages of four kinds, the same ones in each run, each in a transaction of
 * its own: prose, long runs of letters and digits like base64 and hex, and words that occur only once, which no index
 * can hold in less space than they take.
 */
import { join } from "node:path"
import { parseArgs } from "node:util"
import { createInstance } from "../../src/app/compose/instance.ts"
import { openData } from "../../src/ledger/storage/opening.ts"
import type { Db } from "../../src/ledger/storage/database.ts"
import { addPerson } from "../support/people.ts"
import { delivery } from "./data/house.ts"
import { remove } from "./data/demo.ts"
import { scratchFolder } from "./machine.ts"
import { Chance, texts, type TextKind } from "./texts.ts"

const { values: flags } = parseArgs({
  options: {
    megabytes: { type: "string", default: "18" },
    kinds: { type: "string", default: Object.keys(texts).join(",") },
  },
})
const kinds = flags.kinds.split(",").filter((kind): kind is TextKind => Object.hasOwn(texts, kind))
const wanted = Number(flags.megabytes) * 1e6

/** Which part of the file a table or index belongs to. */
function partOf(name: string): string {
  if (name.startsWith("search_index")) return "index"
  if (name.startsWith("journal")) return "journal"
  if (name.startsWith("timeline") || name.includes("timeline_entries")) return "timeline"
  return "rest"
}

/** Bytes of each part of a file. */
function sizes(db: Db): Record<string, number> {
  const found: Record<string, number> = { index: 0, journal: 0, timeline: 0, rest: 0 }
  for (const { name, bytes } of db
    .prepare<{ name: string; bytes: number }>("SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name")
    .all())
    found[partOf(name)] = (found[partOf(name)] ?? 0) + bytes
  return found
}

/** Writes messages of a kind until their texts have the wanted size. */
async function measured(kind: TextKind, folder: string) {
  const { db, world, instanceId } = openData(join(folder, `${kind}.db`))
  db.exec("PRAGMA synchronous = OFF")
  const instance = createInstance({ db, world, instanceId })
  const person = addPerson(instance, "ada")
  const does = (name: "create_room" | "post_message", said: object) =>
    instance.ledger.transact(
      () =>
        JSON.parse(
          instance.ledger.admitWithin({ ...delivery(name, said as never), actor: { ...person, grant: null } }),
        ) as {
          result: { openingThreadId: string }
        },
    )
  const threadId = (await does("create_room", { title: "Sizes" })).result.openingThreadId
  const chance = new Chance(20_261_122)
  let [text, messages, seconds] = [0, 0, 0]
  while (text < wanted) {
    const said = texts[kind](chance, 2_000 + chance.below(16_000))
    const before = performance.now()
    await does("post_message", { threadId, text: said })
    seconds += (performance.now() - before) / 1000
    text += Buffer.byteLength(said)
    messages += 1
  }
  const parts = sizes(db)
  const file = db
    .prepare<{ bytes: number }>("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size")
    .one().bytes
  db.close()
  return { text, messages, seconds, file, parts }
}

const { folder, remove: removeScratch } = scratchFolder()
try {
  for (const kind of kinds) {
    const { text, messages, seconds, file, parts } = await measured(kind, folder)
    const beside = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB (${(bytes / text).toFixed(3)})`
    const told = Object.entries({ file, ...parts }).map(([name, bytes]) => `${name} ${beside(bytes)}`)
    console.log(
      `${kind}: ${(text / 1e6).toFixed(1)} MB of text in ${messages} messages, ` +
        `${seconds.toFixed(1)} s; ${told.join(", ")}`,
    )
    remove(join(folder, `${kind}.db`))
  }
} finally {
  removeScratch()
}
