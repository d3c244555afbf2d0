/**
 * `check --quick` skips the replay and says so; `check --mark` refuses a journal that was rewritten since it was
 * marked.
 */
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Database from "better-sqlite3"
import tap, { test } from "tap"
import { startResearchRoom } from "research-room/testing"
import { sealOf } from "../../src/ledger/storage/not-replayed.ts"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})
const at = (name: string) => join(place.folder, name)

const demo = await startResearchRoom({ data: at("told") })
const { roomId, openingThreadId: threadId } = demo.rooms.empty
const { token } = demo.credentials.member_all
await demo.close()

const check = (data: string, ...flags: string[]) => run(program, ["check", "--data", data, ...flags], place)
const copied = (name: string, from = "told") => {
  cpSync(at(from), at(name), { recursive: true })
  return name
}

/** Serves the data, and posts a message in the Room. */
async function says(data: string, text: string): Promise<void> {
  const service = await serve(program, ["--data", data], place)
  const answer = await fetch(`${service.baseUrl}/api/agent/threads/${threadId}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ schemaVersion: 3, clientMessageId: crypto.randomUUID(), text }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  service.signal("SIGTERM")
  await service.ended()
}

test("--quick skips the replay, and says so", async (t) => {
  const data = copied("quick")
  const quick = await check(data, "--quick")
  t.equal(quick.code, 0)
  t.match(quick.out, /: all whole\. The history was not replayed: what its tables say was not compared with it\.\n$/)
  t.notMatch((await check(data)).out, /not replayed/)

  const database = new Database(join(at(data), "research-room.db"))
  database.exec("DELETE FROM standings")
  database.close()
  t.equal((await check(data, "--quick")).code, 0, "it does not notice a deleted row")
  const { code, err } = await check(data)
  t.equal(code, 1)
  t.match(err, /^standings \(version_id \S+\) is missing, but a replay of the journal makes it\.$/m)
})

test("a mark is set at the end of every Room, accepts what comes after it, and moves on", async (t) => {
  const data = copied("marked")
  const first = await check(data, "--mark", "mark.json")
  t.match(first, { code: 0, out: /^mark\.json marks the newest entry of every Room\.$/m })
  const before = JSON.parse(readFileSync(at("mark.json"), "utf8")) as {
    rooms: { roomId: string; sequence: number; digest: string }[]
  }
  t.equal(before.rooms.length, 4)

  await says(data, "After the mark.")
  t.equal((await check(data, "--quick", "--mark", "mark.json")).code, 0)
  const after = JSON.parse(readFileSync(at("mark.json"), "utf8")) as typeof before
  const of = ({ rooms }: typeof before) => rooms.find((room) => room.roomId === roomId)?.sequence ?? 0
  t.equal(of(after), of(before) + 1)
})

test("a journal that was rewritten, or lost, since it was marked is refused, and the mark stays", async (t) => {
  const data = copied("rewritten")
  await says(data, "This was said.")
  t.equal((await check(data, "--quick", "--mark", "kept.json")).code, 0)
  const mark = readFileSync(at("kept.json"), "utf8")

  const lost = await check(copied("lost"), "--mark", "kept.json")
  t.equal(lost.code, 1)
  t.match(
    lost.err,
    new RegExp(`^Room ${roomId} stood at entry \\d+ when kept\\.json was written, and has no such entry\\.$`, "m"),
  )

  // With the program and an older file anyone can make a journal that is consistent but different.
  const other = copied("other")
  await says(other, "Something else was said.")
  t.equal((await check(other)).code, 0, "it is consistent in itself")
  const rewritten = await check(other, "--mark", "kept.json")
  t.equal(rewritten.code, 1)
  t.match(
    rewritten.err,
    new RegExp(`^The activity of Room ${roomId} up to entry \\d+ is not the one that kept\\.json marks\\.$`, "m"),
  )
  t.equal(readFileSync(at("kept.json"), "utf8"), mark)

  const restored = await run(program, ["backup", "copy.db", "--data", data], place)
  t.match(restored.out, /tables were not compared with a replay of the history, which `research-room check` does\./)
  const back = await run(program, ["restore", "copy.db", "--data", "back"], place)
  t.match(back, { code: 0, out: /not compared with a replay of the history/ })
  t.equal((await check("back", "--quick", "--mark", "kept.json")).code, 0, "data restored from it matches the mark")
})

test("the newest lines of the audit log cannot be removed without failing the mark", async (t) => {
  const data = copied("audited")
  t.equal((await check(data, "--quick", "--mark", "audited.json")).code, 0)
  const database = new Database(join(at(data), "research-room.db"))
  database.exec("DROP TRIGGER audit_entries_stay; DELETE FROM audit_entries WHERE sequence > 1")
  database.close()
  await check(data, "--quick")
  t.equal((await check(data, "--quick")).code, 0, "the remaining lines are consistent")
  const { code, err } = await check(data, "--quick", "--mark", "audited.json")
  t.equal(code, 1)
  t.match(err, /^The audit log up to line \d+ is not the one that audited\.json marks\.$/m)
})

test("another instance's mark, and a file that is not a mark, are refused", async (t) => {
  mkdirSync(at("stranger"))
  const stranger = await startResearchRoom({ data: at("stranger") })
  await stranger.close()
  const data = copied("own")
  t.equal((await check(data, "--quick", "--mark", "own.json")).code, 0)
  const database = new Database(join(at("stranger"), "research-room.db"))
  database.function("row_seal", { varargs: true }, (...values) => sealOf(values))
  database.prepare("UPDATE instance SET instance_id = '01990000-0000-7000-8000-000000000000'").run()
  database.close()
  const { code, err } = await check("stranger", "--quick", "--mark", "own.json")
  t.equal(code, 1)
  t.match(err, /^own\.json marks another instance \(\S+\)\.$/m)

  writeFileSync(at("letter.json"), "Dear reader")
  t.match(await check(data, "--quick", "--mark", "letter.json"), {
    code: 1,
    err: /letter\.json is not a mark of this program; nothing was written to it\./,
  })
  t.equal(readFileSync(at("letter.json"), "utf8"), "Dear reader")
  t.match(await check(data, "--quick", "--mark", "nowhere/mark.json"), {
    code: 1,
    err: /nowhere\/mark\.json could not be written \(ENOENT\)\./,
  })
  t.notOk(existsSync(at("nowhere")))
  copyFileSync(at("own.json"), at("again.json"))
  t.equal((await check(data, "--quick", "--mark", "again.json")).code, 0)
})
