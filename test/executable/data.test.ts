/**
 * Data that cannot be served: each case gets one sentence and a non-zero exit, and the data stays byte for byte the
 * same.
 */
import { pattern } from "../support/pattern.ts"
import { createHash } from "node:crypto"
import { chmodSync, chownSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import Database from "better-sqlite3"
import tap, { test } from "tap"
import { ask } from "../support/ask.ts"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})
/** Good data, to be damaged in copies. */
await run(program, ["user", "add", "ada", "--data", "good"], place)
const good = join(place.folder, "good", "research-room.db")

/** A data folder of its own with the good file in it. */
function copy(name: string): string {
  mkdirSync(join(place.folder, name))
  const file = join(place.folder, name, "research-room.db")
  copyFileSync(good, file)
  return file
}
const digest = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex")
const spoil = (file: string, change: (bytes: Buffer) => void) => {
  const bytes = readFileSync(file)
  change(bytes)
  writeFileSync(file, bytes)
}

const spoilt: Readonly<Record<string, { make: (file: string) => void; told: RegExp }>> = {
  "a beginning that is garbage": {
    make: (file) => spoil(file, (bytes) => bytes.fill(0x5a, 0, 100)),
    told: /is not a research-room database, or its beginning is damaged\. Nothing was changed\. Restore a backup/,
  },
  "flipped bytes in the middle": {
    make: (file) =>
      spoil(file, (bytes) =>
        bytes.subarray(4096, 5 * 4096).forEach((byte, index, page) => (page[index] = byte ^ 0xff)),
      ),
    told: /is damaged\. Nothing was changed\. Restore a backup/,
  },
  "a file cut off": {
    make: (file) => writeFileSync(file, readFileSync(file).subarray(0, 6 * 4096)),
    told: /is damaged\. Nothing was changed\./,
  },
  "a newer schema": {
    make: (file) => void new Database(file).exec("PRAGMA user_version = 999").close(),
    told: pattern(
      /was written by a newer research-room \(schema 999; this program knows up to \d+\)\. /,
      /Nothing was changed\. Use the newer program\./,
    ),
  },
  "another program's SQLite file": {
    make: (file) => {
      writeFileSync(file, "")
      new Database(file).exec("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('bread')").close()
    },
    told: /is an SQLite database of another program\. Nothing was changed\. Choose another --data folder\./,
  },
  "a letter": { make: (file) => writeFileSync(file, "Dear Ada,\n"), told: /is not a research-room database/ },
}

for (const [what, { make, told }] of Object.entries(spoilt)) {
  test(`${what}: reported, and left alone`, async (t) => {
    const name = what.replaceAll(" ", "-")
    const file = copy(name)
    make(file)
    const before = digest(file)
    for (const command of [
      ["serve", "--port", "0"],
      ["user", "list"],
    ]) {
      const { code, out, err } = await run(program, [...command, "--data", name], place)
      t.strictSame([code, out], [1, ""], command.join(" "))
      t.match(err, told, command.join(" "))
      t.match(err, /^research-room: \S.*\n$/, "one line, no stack trace")
      t.equal(digest(file), before, `${command.join(" ")} changed nothing`)
    }
    t.notOk(existsSync(`${file}-wal`), "no log is left beside it")
  })
}

test("a folder without write permission, or a path that cannot be a folder", async (t) => {
  // Root may write anywhere, so the program runs as another user.
  const uid = process.getuid?.() === 0 ? 65_534 : undefined
  const file = copy("read-only")
  const folder = join(place.folder, "read-only")
  if (uid !== undefined) for (const path of [place.folder, file, folder]) chownSync(path, uid, uid)
  const before = digest(file)
  chmodSync(file, 0o444)
  chmodSync(folder, 0o555)
  writeFileSync(join(place.folder, "a-file"), "")
  const cases: readonly [data: string, sentence: RegExp][] = [
    ["read-only", /read-only\/.* cannot be opened for writing/],
    ["read-only/new", /The data folder read-only\/new cannot be made \(EACCES\)\./],
    ["a-file", /The data folder a-file cannot be made \(EEXIST\)\./],
    ["a-file/data", /The data folder a-file\/data cannot be made \(ENOTDIR\)\./],
  ]
  for (const [data, sentence] of cases) {
    const { code, err } = await run(program, ["serve", "--port", "0", "--data", data], {
      ...place,
      ...(uid !== undefined && { uid }),
    })
    t.equal(code, 1, data)
    t.match(err, sentence)
    t.match(err, /^research-room: \S.*\n$/, "one line, no stack trace")
  }
  t.equal(digest(file), before)
  chmodSync(folder, 0o755)
})

test("a second process on the same data says which process has it, and the first keeps serving", async (t) => {
  const first = await serve(program, ["--data", "good"], place)
  const second = await run(program, ["serve", "--port", "0", "--data", "good"], place)
  t.strictSame([second.code, second.out], [1, ""])
  t.equal(
    second.err,
    `research-room: Another research-room process (${first.pid}) serves good already. ` +
      "Stop it, or choose another --data folder.\n",
  )
  t.equal((await ask(`${first.baseUrl}/api/health/ready`)).status, 200)
  first.signal("SIGKILL")
  await first.ended()
  const third = await serve(program, ["--data", "good"], place)
  t.equal((await ask(`${third.baseUrl}/api/health/ready`)).status, 200, "a killed process leaves no lock behind")
  third.signal("SIGTERM")
  await third.ended()
})

test("a port in use is reported, and the data is released again", async (t) => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve))
  const { port } = other.address() as { port: number }
  const { code, out, err } = await run(program, ["serve", "--data", "good", "--port", String(port)], place)
  t.strictSame([code, out], [1, ""])
  t.equal(err, `research-room: Port ${port} on 127.0.0.1 is in use: end the other program, or choose another --port.\n`)
  other.close()
  const { err: nowhere, code: failed } = await run(
    program,
    ["serve", "--data", "good", "--port", "0", "--host", "203.0.113.7", "--base-url", "https://rooms.example.org"],
    place,
  )
  t.equal(failed, 1)
  t.match(nowhere, /^research-room: 203\.0\.113\.7 is not an address of this machine: choose another --host\.\n$/)
  const service = await serve(program, ["--data", "good"], place)
  service.signal("SIGTERM")
  t.equal((await service.ended()).code, 0)
})
