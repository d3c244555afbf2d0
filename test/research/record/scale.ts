/**
 * Run by hand: `node --conditions=research-room-source test/research/record/scale.ts`. A Room's research-context beside a
 * bare run of its queries and one JSON.stringify, and pages of records and links in short and in long lists.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Database from "better-sqlite3"
import { pageText, versioned } from "../../../src/edge/answer.ts"
import { createInstance, type Instance } from "../../../src/app/instance.ts"
import { openData } from "../../../src/ledger/data.ts"
import { Page } from "../../../src/ledger/paging.ts"
import { moment } from "../../../src/ledger/world.ts"
import { Filler } from "./filler.ts"
import { Recorder, type Step } from "./recorder.ts"
import { fillLists, fillRoom, size } from "./scale-fill.ts"

const folder = mkdtempSync(join(tmpdir(), "research-room-scale-"))
const file = join(folder, "research-room.db")
const median = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN

/** Milliseconds that each of these takes, in turns so that what disturbs one disturbs the other: the median of the rounds. */
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

const asked = (params: Record<string, string>, query: object = {}) => ({ params, query, actor: null, basePath: "" })
const print = (...cells: readonly (string | number)[]) =>
  console.log(cells.map((cell, index) => (index === 0 ? String(cell).padEnd(52) : String(cell).padStart(14))).join(""))
const ms = (milliseconds: number) => `${milliseconds.toFixed(3)} ms`

/** The statements of a read on a bare connection, and one JSON.stringify over all their rows. */
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
  const reads = {
    room: () => instance.readers.room_context(asked({ roomId })),
    thread: () => instance.readers.thread_research_context(asked({ threadId })),
  } as Record<string, () => Parameters<typeof versioned>[0]>
  print("research-context", "service", "bare", "ratio", "bytes", "bare bytes")
  for (const [name, read] of Object.entries(reads)) {
    const rows = bare(database, await recorder.readsDuring(read))
    const answer = () => versioned(read())
    const { service, queries } = timed({ service: answer, queries: rows }, 40)
    print(`  ${name}`, ms(service), ms(queries), (service / queries).toFixed(2), Buffer.byteLength(answer()), Buffer.byteLength(rows()))
  }
}

type List = Awaited<ReturnType<typeof fillLists>>

/** A page of each list from its beginning, its middle and its end. */
function pages(instance: Instance, lists: Readonly<Record<string, List>>): void {
  const url = new URL("http://localhost/api/research/x")
  const opaque = (id: string | undefined) => Buffer.from(JSON.stringify([id])).toString("base64url")
  const places = ({ linkIds, versionIds }: List, share: number) => ({
    link: linkIds[Math.floor((linkIds.length - 51) * share)],
    record: versionIds[Math.floor((versionIds.length - 51) * share)],
    newer: versionIds[Math.floor(50 + (versionIds.length - 51) * share)],
  })
  const reads: Readonly<Record<string, (list: List, share: number) => unknown>> = {
    "publications of a Room": (list, share) =>
      instance.readers.room_publications(asked({ roomId: list.roomId }, { after: opaque(places(list, share).newer) })),
    "publications of all Rooms": (list, share) => instance.readers.publications(asked({}, { after: opaque(places(list, share).newer) })),
    "hypotheses of a Room": (list, share) =>
      instance.readers.hypotheses(asked({}, { roomId: list.roomId, after: places(list, share).record })),
    "links of a Room": (list, share) => instance.readers.room_links(asked({ roomId: list.roomId }, { after: places(list, share).link })),
    "links by kind": (list, share) =>
      instance.readers.room_links(asked({ roomId: list.roomId }, { kind: "corrects", after: places(list, share).link })),
    "links by target": (list, share) =>
      instance.readers.room_links(
        asked({ roomId: list.roomId }, { targetVersionId: places(list, share).record, targetAuthorId: list.ownerId }),
      ),
    "links by author of the target and kind": (list, share) =>
      instance.readers.room_links(
        asked({ roomId: list.roomId }, { kind: "disputes", targetAuthorId: list.ownerId, after: places(list, share).link }),
      ),
    concepts: (list, share) =>
      instance.readers.concepts(
        asked({}, { after: Buffer.from(JSON.stringify([places(list, share).newer, "lowers"])).toString("base64url") }),
      ),
    "one record": (list, share) => instance.readers.record(asked({ versionId: places(list, share).record as string })),
  }
  print("a page of fifty, as text", ...Object.keys(lists).flatMap((name) => ["begin", "middle", "end"].map((place) => `${name} ${place}`)))
  for (const [name, read] of Object.entries(reads)) {
    const work = Object.fromEntries(
      Object.entries(lists).flatMap(([count, list]) =>
        [0, 0.5, 1].map((share) => [
          `${count} ${share}`,
          () => {
            const found = read(list, share)
            return found instanceof Page ? pageText(found, url, "", moment(0)) : versioned(found as Parameters<typeof versioned>[0])
          },
        ]),
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
    `Filled in ${((performance.now() - started) / 1000).toFixed(0)} s, ${(statSync(file).size / 1e6).toFixed(0)} MB: a Room of ${JSON.stringify(size)}, and Rooms of 1,000 and 100,000 records, each with a link.`,
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
