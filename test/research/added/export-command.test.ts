/**
 * `research-room export`: writes the same crate as HTTP, even while the Room is served, and a clear message when it
 * cannot.
 */
import { pattern } from "../../support/pattern.ts"
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { freshId } from "../../support/bodies.ts"
import { folderFor } from "../../support/service.ts"
import { bytesOf, unpack } from "./unpacked.ts"

const folder = folderFor(t)
const data = join(folder, "data")
mkdirSync(join(folder, "out"))
const room = await startResearchRoom({ data })
t.teardown(() => room.close())
const { roomId } = room.rooms.main

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}
const program = join(import.meta.dirname, "../../../src/main.ts")
const run = (...args: string[]): Promise<Ended> =>
  promisify(execFile)(process.execPath, [program, "export", ...args], { cwd: join(folder, "out"), env: {} }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      code,
      out: stdout,
      err: stderr,
    }),
  )

// shows: Added: the Room as an RO-Crate 1.2 with its feed.
t.test("It writes the same crate that is served, while the service is running", async (t) => {
  const file = join(folder, "room.zip")
  const { code, out, err } = await run(
    roomId.toUpperCase(),
    "--data",
    data,
    "--output",
    file,
    "--base-url",
    room.baseUrl,
  )
  t.strictSame([code, err], [0, ""])
  t.match(
    out,
    pattern(
      /^\S+room\.zip holds the Room as an RO-Crate, [0-9]+ bytes\. Unpacked, python3 verify\.py recomputes /,
      /its digests\.\n$/,
    ),
  )
  const served = await bytesOf(await room.client("member_all").download("room_export", { roomId }))
  t.equal(Buffer.compare(readFileSync(file), served), 0, "byte for byte")
})

t.test("Without a file name it is named after the Room, and no other file is left behind", async (t) => {
  const { code } = await run(roomId, "--data", data)
  t.equal(code, 0)
  t.strictSame(readdirSync(join(folder, "out")), ["does-rl-add-solutions-or-only-find-them-faster.crate.zip"])
  t.strictSame(
    unpack(readFileSync(join(folder, "out", "does-rl-add-solutions-or-only-find-them-faster.crate.zip"))).faults(),
    [],
  )
})

t.test("A failure is reported in one line, and nothing is written", async (t) => {
  const file = join(folder, "kept.zip")
  writeFileSync(file, "mine")
  const cases: [string[], number, RegExp][] = [
    [
      [freshId(), "--data", data, "--output", join(folder, "no.zip")],
      2,
      /^research-room: There is no such Room\. research-room room list prints the ids of the Rooms\.\n$/,
    ],
    [["main", "--data", data], 2, /^research-room: main is not the id of a Room/],
    [[roomId, "--data", data, "--output", file], 2, /^research-room: \S+kept\.zip exists already; nothing was written/],
    [[roomId, "--data", join(folder, "nowhere")], 1, /^research-room: There is no research-room data in/],
    [
      [roomId, "--data", data, "--output", join(folder, "nowhere", "room.zip")],
      1,
      /^research-room: The export could not be written to/,
    ],
    [[roomId, "--data", data, "--base-url", "here"], 2, /must be an address/],
  ]
  for (const [args, code, told] of cases) {
    const ended = await run(...args)
    t.equal(ended.code, code, args.join(" "))
    t.match(ended.err, told)
  }
  t.equal(readFileSync(file, "utf8"), "mine")
  t.notOk(existsSync(join(folder, "no.zip")) || existsSync(join(folder, "nowhere")))
})
