/**
 * `research-room drill`: what the copy would give if it was needed now. A script stands in for Litestream, and restores
 * by copying a file.
 */
import { pattern } from "../support/pattern.ts"
import { chmodSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import { defineFunctions } from "../../src/ledger/storage/database.ts"
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { endAll, executable, newPlace, run } from "../support/program.ts"

const place = newPlace()
const at = (...names: string[]) => join(place.folder, ...names)
tap.teardown(() => {
  endAll()
  place.remove()
})
mkdirSync(at("scratch"))
// litestream restore -o FILE SOURCE
writeFileSync(
  at("litestream"),
  '#!/bin/sh\n[ -f "$4" ] || { echo "no matching backup files available" >&2; exit 1; }\nexec /bin/cp "$4" "$3"\n',
)
chmodSync(at("litestream"), 0o755)
const house = await startResearchRoom({ data: at("data") })
await house.close()
const program = executable()
const drill = (source: string, ...flags: string[]) =>
  run(program, ["drill", at(source), "--litestream", at("litestream"), "--scratch", at("scratch"), ...flags], place)
const copied = await run(program, ["backup", at("copy"), "--data", "data"], place)

test("a copy that is whole and lacks nothing is good enough", async (t) => {
  t.equal(copied.code, 0, copied.err)
  const { code, out, err } = await drill("copy", "--data", "data", "--max-age", "0")
  t.strictSame([code, err], [0, ""])
  t.match(
    out,
    pattern(
      /^Restored in \d+\.\d s: 4 Rooms, \d+ activity entries, \d+ records\.\nIts newest write was accepted /,
      /at \d{4}-\S+Z, \d+ s ago\.\nIt lacks nothing\.\nThe copy is good\.\n$/,
    ),
  )
  t.strictSame(readdirSync(at("scratch")), [], "no file of it is left")
})

test("a copy that lacks recent writes falls short once they are too old", async (t) => {
  t.equal((await run(program, ["user", "add", "late", "--data", "data"], place)).code, 0)
  t.match(await drill("copy", "--data", "data", "--quick"), {
    code: 0,
    out: /not replayed.*\n.*\nIt lacks 1 writes, the oldest accepted at .* s ago\.\nThe copy is good/,
  })
  t.match(await drill("copy", "--data", "data", "--quick", "--max-age", "0"), {
    code: 1,
    err: /more than 0 s behind/,
    out: /The copy is not good enough/,
  })
  t.match(
    await drill("copy", "--quick", "--max-age", "0"),
    { code: 1, err: /older than 0 s/ },
    "without the data, its newest write decides",
  )
})

test("a damaged copy falls short, and a copy of other data is told apart from it", async (t) => {
  copyFileSync(at("copy"), at("tampered"))
  const db = new Database(at("tampered"))
  defineFunctions(db)
  db.prepare("UPDATE rooms SET title = 'Another title'").run()
  db.close()
  t.match(await drill("tampered"), { code: 1, err: /rooms/, out: /The copy is not good enough/ })
  t.match(await drill("nothing"), {
    code: 1,
    err: /Litestream could not restore .*nothing: no matching backup files available/,
  })
  t.match(await run(program, ["drill", at("copy"), "--litestream", at("none")], place), {
    code: 1,
    err: /Give the path of Litestream with --litestream/,
  })
  const other = await startResearchRoom({ data: at("other") })
  await other.close()
  t.match(await drill("copy", "--data", "other", "--quick"), { code: 1, err: /is not in other/ })
  t.strictSame(readdirSync(at("scratch")), [])
})
