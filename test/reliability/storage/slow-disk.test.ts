/**
 * A disk on which every synchronisation or every write is slow: a reader waits for two synchronisations at most, and
 * every write is completed.
 */
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Browser } from "research-room/testing"
import tap, { test } from "tap"
import { untilClean } from "../../support/clean.ts"
import { endAll, executable, newPlace, run, serve } from "../../support/program.ts"
import { exportedDemo } from "../import/kills.ts"
import { passwordOf } from "../../support/service.ts"
import { type SlowDisk, slowDisk } from "./slow-disk.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})
const disk = slowDisk(place.folder)
const skip = disk === null ? "this machine has no C compiler that makes a library to stand before the system's" : false
/** Milliseconds that a synchronisation takes, and the most that a reader may wait. */
const [SLOW, PROMPT] = [1_000, 700]
/** Milliseconds that one write to a file takes: a transaction has some five to fifty. */
const SLOW_WRITE = 30
const passing = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Sends small reads again and again until `work` has settled. @returns its result, and the longest wait of a reader */
async function whileReading<T>(
  baseUrl: string,
  paths: readonly string[],
  work: () => Promise<T>,
): Promise<{ value: T; longest: number }> {
  let [isOver, longest] = [false, 0]
  const reading = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      const began = performance.now()
      const response = await fetch(baseUrl + paths[turn % paths.length])
      await response.arrayBuffer()
      if (response.status !== 200) throw new Error(`${paths[turn % paths.length]}: ${response.status}`)
      longest = Math.max(longest, performance.now() - began)
      await passing(10)
    }
  })()
  const value = await work().finally(() => (isOver = true))
  await reading
  return { value, longest }
}

const ways = [
  ["synchronises slowly", "synced", (slow: SlowDisk, isSlow: boolean) => slow.takes(isSlow ? SLOW : 0), 2 * SLOW],
  [
    "writes slowly",
    "written",
    (slow: SlowDisk, isSlow: boolean) => slow.writesTake(isSlow ? SLOW_WRITE : 0),
    50 * SLOW_WRITE,
  ],
] as const

for (const [what, data, makeSlow, most] of ways)
  test(`a reader waits for one transaction and the next at most, on a disk that ${what}`, { skip }, async (t) => {
    if (disk === null) return
    const at = { ...place, env: disk.env }
    t.match(await run(program, ["user", "add", "eve", "--password", passwordOf("eve"), "--data", data], at), {
      code: 0,
    })
    const service = await serve(program, ["--data", data], at)
    const { baseUrl } = service
    const eve = Browser.anonymous({ baseUrl })
    const signIn = () => eve.request("POST", "/api/session", { username: "eve", password: passwordOf("eve") })
    t.equal((await signIn()).status, 200)
    const { roomId, openingThreadId: threadId } = (await eve.write("create_room", { title: "Slowly written" })).result
    const paths = [
      "/api/health/live",
      "/api/research/rooms",
      `/api/research/rooms/${roomId}`,
      `/api/research/threads/${threadId}/timeline?after=0`,
    ]
    for (const path of [...paths, ...paths]) await fetch(baseUrl + path)
    makeSlow(disk, true)

    const lasts: Record<string, number> = {}
    async function during<T>(what: string, work: () => Promise<T>): Promise<T> {
      const { value, longest } = await whileReading(baseUrl, paths, work)
      lasts[what] = Math.round(longest)
      return value
    }
    const { entry } = await during("a write", () =>
      eve.write("post_message", { threadId, text: "The token is hf_slow." } as never),
    )
    const began = performance.now()
    t.equal((await during("a sign-in", signIn)).status, 200)
    t.ok(performance.now() - began >= SLOW_WRITE, "a write is answered once it is safe on the disk")
    const of = { entryId: entry?.entryId }
    await during("withholding", () =>
      eve.write("withhold_content", {
        roomId,
        of,
        fields: ["/text"],
        reason: "secret",
        explanation: "It was revoked.",
      } as never),
    )
    t.match(await during("readiness", () => fetch(`${baseUrl}/api/health/ready`)), { status: 200 })
    t.comment(JSON.stringify(lasts))
    t.strictSame(
      // Removing withheld words from the files takes several synchronisations.
      Object.entries(lasts).filter(([during, longest]) => during !== "withholding" && longest > most + PROMPT),
      [],
      `no reader waits longer than ${most} ms and what an answer takes`,
    )
    makeSlow(disk, false)
    await untilClean(join(place.folder, data, "research-room.db"))
    service.signal("SIGTERM")
    t.equal((await service.ended()).code, 0)
    t.match(await run(program, ["check", "--data", data], place), { code: 0 })
  })

test("an adoption and a drill complete on a slow disk, and a service running beside the drill answers at once", {
  skip,
}, async (t) => {
  if (disk === null) return
  const at = { ...place, env: disk.env }
  const { file, roomId } = await exportedDemo(program, place, "empty")
  await run(program, ["user", "add", "zoe", "--password", passwordOf("zoe"), "--data", "adopting"], place)
  const adopt = ["import", file, "--adopt", "--owner", "zoe", "--data", "adopting"]
  disk.takes(SLOW)
  disk.writesTake(SLOW_WRITE)
  t.match(await run(program, adopt, at), { code: 0, out: /This instance owns the Room now, and zoe is its owner/ })
  disk.takes(0)
  disk.writesTake(0)
  t.match(await run(program, ["room", "list", "--data", "adopting"], place), { code: 0, out: new RegExp(roomId) })

  const [litestream, scratch] = [join(place.folder, "litestream"), join(place.folder, "scratch")]
  writeFileSync(litestream, '#!/bin/sh\nexec /bin/cp "$4" "$3"\n')
  chmodSync(litestream, 0o755)
  mkdirSync(scratch)
  t.match(await run(program, ["backup", "copy", "--data", "adopting"], place), { code: 0 })
  const service = await serve(program, ["--data", "adopting"], at)
  const paths = ["/api/health/live", `/api/research/rooms/${roomId}`]
  for (const path of paths) await fetch(service.baseUrl + path)
  disk.takes(SLOW)
  disk.writesTake(SLOW_WRITE)
  const beside = async (work: () => ReturnType<typeof run>) => {
    const { value, longest } = await whileReading(service.baseUrl, paths, work)
    t.ok(longest <= PROMPT, `a reader waited for ${Math.round(longest)} ms at most`)
    return value
  }
  t.match(
    await beside(() => run(program, adopt, at)),
    { code: 1, err: /serves \S* already/ },
    "nothing is adopted into data that is being served",
  )
  const drill = [
    "drill",
    join(place.folder, "copy"),
    "--litestream",
    litestream,
    "--scratch",
    scratch,
    "--data",
    "adopting",
  ]
  t.match(await beside(() => run(program, drill, at)), { code: 0, out: /It lacks nothing\.\nThe copy is good\.\n$/ })
  t.strictSame(readdirSync(scratch), [])
  disk.takes(0)
  disk.writesTake(0)
  service.signal("SIGTERM")
  t.equal((await service.ended()).code, 0)
  t.match(await run(program, ["check", "--data", "adopting"], place), { code: 0 })
})
