/**
 * Run by hand: `node --conditions=research-room-source test/research/record/scale.ts`. Compares a Room's
 * research-context with a bare run of its queries and one JSON.stringify, and pages of records and links in short and
 * in long lists.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Database from "better-sqlite3"
import { versioned } from "../../../src/edge/answers/answer.ts"
import { createInstance, type Instance } from "../../../src/app/compose/instance.ts"
import { openData } from "../../../src/ledger/storage/opening.ts"
import type { ReadName } from "../../../src/contract/reads/index.ts"
import { Filler } from "./filler.ts"
import { Recorder, type Step } from "./recorder.ts"
import { fillLists, fillRoom, size } from "./scale-fill.ts"

const folder = mkdtempSync(join(tmpdir(), "research-room-scale-"))
const file = join(folder, "research-room.db")
const median = (numbers: readonly number[]) =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN

/**
 * Measures each function in milliseconds, as the median of the rounds. They take turns, so that a disturbance affects
 * all of them.
 */
function timed<Name extends string>(work: Readonly<Record<Name, () => unknown>>, rounds: number): Record<Name, number> {
  const names = Object.keys(work) as Name[]
  const found = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, number[]>
  for (let round = -3; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const before = performance.now()
      work[name]()
      if (round >= 0) found[name].push(performance.now() - before)
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(found[name])])) as Record<Name, number>
}

type Answer = Parameters<typeof versioned>[0]
const asking =
  ({ ask }: Instance) =>
  (name: ReadName, params: Record<string, string> = {}, query: Record<string, unknown> = {}) =>
    ask(name, { params, query, actor: null, basePath: "" }) as Answer
const print = (...cells: readonly (string | number)[]) =>
  console.log(cells.map((cell, index) => (index === 0 ? String(cell).padEnd(52) : String(cell).padStart(14))).join(""))
const ms = (milliseconds: number) => `${milliseconds.toFixed(3)} ms`

/** Runs the statements of a read on a bare connection, with one JSON.stringify over all rows. */
function bare(database: Database.Database, steps: readonly Step[]) {
  const ready = steps.map(({ sql, values }) => ({ statement: database.prepare(sql), values }))
  return () => JSON.stringify(ready.map(({ statement, values }) => statement.all(...values)))
}

async function context(
  instance: Instance,
  recorder: Recorder,
  database: Database.Database,
  { roomId, threadId }: { roomId: string; threadId: string },
): Promise<void> {
  const ask = asking(instance)
  const reads = {
    room: () => ask("room_context", { roomId }),
    thread: () => ask("thread_research_context", { threadId }),
  }
  print("research-context", "service", "bare", "ratio", "bytes", "bare bytes")
  for (const [name, read] of Object.entries(reads)) {
    const rows = bare(database, await recorder.readsDuring(read))
    const answer = () => versioned(read())
    const { service, queries } = timed({ service: answer, queries: rows }, 40)
    print(
      `  ${name}`,
      ms(service),
      ms(queries),
      (service / queries).toFixed(2),
      Buffer.byteLength(answer()),
      Buffer.byteLength(rows()),
    )
  }
}

type List = Awaited<ReturnType<typeof fillLists>>

/** Measures a page at the beginning, middle and end of each list. */
function pages(instance: Instance, lists: Readonly<Record<string, List>>): void {
  const ask = asking(instance)
  const opaque = (id: string | undefined) => Buffer.from(JSON.stringify([id])).toString("base64url")
  const places = ({ linkIds, versionIds }: List, share: number) => ({
    link: linkIds[Math.floor((linkIds.length - 51) * share)],
    record: versionIds[Math.floor((versionIds.length - 51) * share)],
    newer: versionIds[Math.floor(50 + (versionIds.length - 51) * share)],
  })
  const reads: Readonly<Record<string, (list: List, share: number) => Answer>> = {
    "publications of a Room": (list, share) =>
      ask("room_publications", { roomId: list.roomId }, { after: opaque(places(list, share).newer) }),
    "publications of all Rooms": (list, share) => ask("publications", {}, { after: opaque(places(list, share).newer) }),
    "hypotheses of a Room": (list, share) =>
      ask("hypotheses", {}, { roomId: list.roomId, after: places(list, share).record }),
    "links of a Room": (list, share) => ask("room_links", { roomId: list.roomId }, { after: places(list, share).link }),
    "links by kind": (list, share) =>
      ask("room_links", { roomId: list.roomId }, { kind: "corrects", after: places(list, share).link }),
    "links by target": (list, share) =>
      ask(
        "room_links",
        { roomId: list.roomId },
        { targetVersionId: places(list, share).record, targetAuthorId: list.ownerId },
      ),
    "links by author of the target and kind": (list, share) =>
      ask(
        "room_links",
        { roomId: list.roomId },
        { kind: "disputes", targetAuthorId: list.ownerId, after: places(list, share).link },
      ),
    concepts: (list, share) =>
      ask(
        "concepts",
        {},
        { after: Buffer.from(JSON.stringify([places(list, share).newer, "lowers"])).toString("base64url") },
      ),
    "one record": (list, share) => ask("record", { versionId: places(list, share).record ?? "" }),
  }
  print(
    "a page of fifty, as text",
    ...Object.keys(lists).flatMap((name) => ["begin", "middle", "end"].map((place) => `${name} ${place}`)),
  )
  for (const [name, read] of Object.entries(reads)) {
    const work = Object.fromEntries(
      Object.entries(lists).flatMap(([count, list]) =>
        [0, 0.5, 1].map((share) => [`${count} ${share}`, () => versioned(read(list, share))]),
      ),
    )
    print(`  ${name}`, ...Object.values(timed(work, 60)).map(ms))
  }
}

try {
  const filler = new Filler(file)
  filler.db.exec("PRAGMA synchronous = OFF")
  const started = performance.now()
  const { userId } = await filler.instance.accounts.add("ada", "a password that nobody needs")
  const owner = { userId, username: "ada" }
  const room = await fillRoom(filler, owner)
  const lists = {
    "1,000": await fillLists(filler, owner, 1_000, "2401.00001"),
    "100,000": await fillLists(filler, owner, 100_000, "2401.00002"),
  }
  filler.close()
  console.log(
    `Filled in ${((performance.now() - started) / 1000).toFixed(0)} s, ${(statSync(file).size / 1e6).toFixed(0)} MB: ` +
      `a Room of ${JSON.stringify(size)}, and Rooms of 1,000 and 100,000 records, each with a link.`,
  )

  const { db, world, instanceId } = openData(file)
  const recorder = new Recorder(db)
  const instance = createInstance({ db: recorder, world, instanceId })
  const database = new Database(file, { readonly: true })
  await context(instance, recorder, database, room)
  pages(instance, lists)
  database.close()
  db.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
