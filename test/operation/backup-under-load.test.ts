/** `backup` of the built executable beside a service that takes writes: complete, and without holding anyone up. */
import { pattern } from "../support/pattern.ts"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import tap, { test } from "tap"
import { ResearchRoomClient } from "research-room/client"
import type { Cast } from "../../src/demo/story.ts"
import { defineFunctions } from "../../src/ledger/storage/database.ts"
import { endAll, executable, newPlace, run, start } from "../support/program.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})
const data = join(place.folder, "data")
const file = join(data, "research-room.db")
const copy = join(place.folder, "copy.db")

const demo = start(program, ["demo", "--json", "--data", "data"], place)
const [line] = await demo.printed(/^.*\n/)
const { baseUrl, rooms, credentials } = JSON.parse(line) as Cast & { baseUrl: string }

/** Posts until stopped. Keeps every receipt, in order of arrival. */
function writer(name: keyof Cast["credentials"], until: AbortSignal) {
  const agent = new ResearchRoomClient({ baseUrl, token: credentials[name].token })
  const { openingThreadId: threadId } =
    Object.values(rooms).find(({ roomId }) => roomId === credentials[name].roomId) ?? rooms.empty
  const written: { readonly roomId: string; readonly sequence: number; readonly digest: string }[] = []
  const ended = (async () => {
    while (!until.aborted) {
      const { roomId, activity } = await agent.write("post_message", {
        threadId,
        text: `${name} writes on: ${"word ".repeat(200)}`,
      })
      written.push({ roomId: roomId ?? "", sequence: activity?.sequence ?? 0, digest: activity?.digest ?? "" })
    }
  })()
  return { written, ended }
}

/** Resolves once each of the writers has had another answer. */
async function further(writers: readonly ReturnType<typeof writer>[]): Promise<void> {
  const before = writers.map(({ written }) => written.length)
  while (writers.some(({ written }, index) => written.length <= (before[index] ?? 0)))
    await new Promise((resolve) => setImmediate(resolve))
}

test("a backup made beside writers is whole, and holds every write answered before it began", async (t) => {
  const end = new AbortController()
  const names = ["owner_all", "member_all", "member_post_only", "main_owner_all", "main_member_all"] as const
  const writers = names.map((name) => writer(name, end.signal))
  await further(writers)
  await further(writers)
  const acknowledged = writers.flatMap(({ written }) => [...written])

  const backup = run(program, ["backup", copy, "--data", "data"], place)
  const { code, out, err } = await backup
  await further(writers)
  end.abort()
  await Promise.all(writers.map(({ ended }) => ended))
  t.strictSame([code, err], [0, ""])
  const [, bytes] =
    pattern(
      /^\S+ holds 4 Rooms, \d+ activity entries, \d+ records, verified: (\d+) bytes in \d+\.\d s\.\n/,
      /The file and its chains of digests are whole/,
    ).exec(out) ?? []
  t.equal(Number(bytes), statSync(copy).size, out)

  const held = new Database(copy, { readonly: true })
  const live = new Database(file, { readonly: true })
  const entry = `SELECT 'sha256:' || lower(hex(activity_digest))
    FROM journal
    WHERE room = (SELECT place FROM places WHERE id = ?) AND room_sequence = ?`
  for (const { roomId, sequence, digest } of acknowledged)
    t.equal(held.prepare(entry).pluck().get(roomId, sequence), digest)
  t.ok(acknowledged.length >= 2 * names.length)
  const feed = (database: Database.Database, roomId: string) =>
    database
      .prepare(
        `SELECT hex(activity_digest)
          FROM journal
          WHERE room = (SELECT place FROM places WHERE id = ?) AND room_sequence > 0
          ORDER BY room_sequence`,
      )
      .pluck()
      .all(roomId)
  for (const { roomId } of Object.values(rooms)) {
    const [kept, all] = [feed(held, roomId), feed(live, roomId)]
    t.strictSame(kept, all.slice(0, kept.length), "each Room's activity is there up to one moment")
  }
  const after = writers.flatMap(({ written }) => written).length
  t.ok(after > acknowledged.length, "writes were answered meanwhile")
  held.close()
  live.close()
})

test("check passes, also on the running service", async (t) => {
  const restored = await run(program, ["restore", copy, "--data", "restored"], place)
  t.match(restored, { code: 0, err: "", out: /^restored holds 4 Rooms/ })
  t.match(await run(program, ["check", "--data", "restored"], place), { code: 0, err: "", out: /all whole/ })
  t.match(await run(program, ["check", "--data", "data"], place), { code: 0, err: "", out: /all whole/ })
})

test("the backup does not hold the log back: it is checkpointed to its end, and shrinks to nothing", (t) => {
  const database = new Database(file)
  const [{ busy, log, checkpointed }] = database.pragma("wal_checkpoint(TRUNCATE)") as [
    { busy: number; log: number; checkpointed: number },
  ]
  t.strictSame({ busy, log, checkpointed }, { busy: 0, log: 0, checkpointed: 0 })
  t.equal(statSync(`${file}-wal`).size, 0)
  database.close()
  t.end()
})

test("a backup over an existing one is refused, and a backup that runs out of space leaves nothing", async (t) => {
  const before = readFileSync(copy)
  t.match(await run(program, ["backup", copy, "--data", "data"], place), {
    code: 1,
    out: "",
    err: /^research-room: \S+ exists already; [^\n]*\n$/,
  })
  t.same(readFileSync(copy), before)
  // The backup below may write 8 MB per file, and has 16 MB to copy.
  const database = new Database(join(place.folder, "restored", "research-room.db"))
  defineFunctions(database)
  database.exec(
    `INSERT INTO papers (paper_id, origin, recorded_at, record)
      VALUES ('large', 'import', '2026', hex(zeroblob(8000000)))`,
  )
  database.close()
  const small = join(place.folder, "small.db")
  const limited = ["-c", 'ulimit -f 16384; exec "$0" "$@"', program, "backup", small, "--data", "restored"]
  const { code, out, err } = await run("/bin/sh", limited, place)
  t.strictSame([code, out], [1, ""])
  t.match(err, /^research-room: [^\n]*small\.db[^\n]*; nothing was left there\.\n$/)
  t.notMatch((await run("/bin/ls", [place.folder], place)).out, /small/)
  demo.signal("SIGTERM")
  t.match(await demo.ended(), { code: 0 })
})
