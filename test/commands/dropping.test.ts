/**
 * `mirror add --afresh` and `room forget`: a Room of another instance whose journal was replaced, or that is no longer
 * wanted.
 */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import tap, { test } from "tap"
import { openForward } from "../../src/app/compose/upgrade.ts"
import { backUp, restore } from "../../src/check/backup.ts"
import { checkData } from "../../src/check/check.ts"
import { databaseFile } from "../../src/ledger/storage/data.ts"
import { hypothesis } from "../support/bodies.ts"
import { elsewhere } from "../support/elsewhere.ts"
import { png } from "../support/pictures.ts"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"
import { type Own, startOwn, temporaryFolder } from "../support/service.ts"

const program = executable()
const place = newPlace()
const data = join(place.folder, "data")
const origin = temporaryFolder()
tap.teardown(() => {
  endAll()
  place.remove()
})
const command = (...args: string[]) => run(program, [...args, "--data", "data"], place)
const served = async <T>(work: (own: Own) => Promise<T>): Promise<T> => {
  const own = await startOwn({ folder: data, keeps: true })
  try {
    return await work(own)
  } finally {
    await own.close()
  }
}
async function until(what: string, look: () => boolean | undefined): Promise<void> {
  for (const end = performance.now() + 30_000; !look(); ) {
    if (performance.now() > end) throw new Error(`never: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
const feed = ({ instance }: Own, roomId: string) =>
  instance.ledger.activity.after(roomId, 0, undefined, 1_000).map(({ body }) => body)
const found = (words: string | Buffer) =>
  readdirSync(data).filter((name) => /\.db/.test(name) && readFileSync(join(data, name)).includes(words))
const problems = () => {
  const { db } = openForward(databaseFile(data))
  try {
    return checkData(db).problems
  } finally {
    db.close()
  }
}

let there = await startOwn({ folder: origin, keeps: true })
const ada = await there.setUp()
const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "Followed" })).result
const { versionId } = (await ada.write("publish_hypothesis", hypothesis(roomId, threadId))).result
const other = (await ada.write("create_room", { title: "Another" })).result
const picture = png({ shade: 101 })
const digest = `sha256:${createHash("sha256").update(picture).digest("hex")}`
there.instance.tables.figures.keep(
  { digest, mediaType: "image/png", width: 12, height: 8, bytes: picture },
  "",
  new Date().toISOString(),
)
const figures = [{ digest, alt: "A plot that only the other Room shows." }]
await ada.write("post_message", { threadId: other.openingThreadId, text: "Only in the other one.", figures } as never)
const copy = join(place.folder, "copy.db")
backUp(there.instance.db, copy)
await ada.write("post_message", { threadId, text: "It was said before the loss." } as never)
await ada.write("reuse_record", { threadId: other.openingThreadId, versionId } as never)
const { baseUrl } = there

/** Eve's data here: a Room of her own that refers to the one she follows, and another one that she follows. */
const own = await served(async (here) => {
  const eve = await here.setUp("eve")
  const made = (await eve.write("create_room", { title: "Eve's own" })).result
  await here.instance.ledger.transact(() =>
    [roomId, other.roomId].forEach((each) =>
      here.instance.tables.mirrors.put(each, baseUrl, "2026-01-01T00:00:00.000Z"),
    ),
  )
  await until("both are here", () => feed(here, roomId).length === 3 && feed(here, other.roomId).length === 3)
  await eve.write("reuse_record", { threadId: made.openingThreadId, versionId } as never)
  await eve.write("post_message", { threadId: made.openingThreadId, text: "Eve's last word." } as never)
  return { ...made, feed: feed(here, made.roomId) }
})

test("a restored origin stops the mirror; only --afresh resumes it, and the old Room is kept", async (t) => {
  await there.close()
  restore(copy, origin, { force: true })
  const port = there.port
  const first = await startOwn({ folder: origin, keeps: true })
  const again = first.stranger()
  await again.request("POST", "/api/session", { username: "ada", password: "the long password of ada" })
  for (const text of ["Said since.", "And more."]) await again.write("post_message", { threadId, text } as never)
  await first.close()
  there = await startOwn({ folder: origin, keeps: true, port })
  await served((here) =>
    until("it stops", () =>
      here.instance.tables.mirrors.all().some((each) => each.roomId === roomId && /^Entry 3 /.test(each.stopped ?? "")),
    ),
  )

  const mark = await command("check", "--mark", "mark.json")
  t.equal(mark.code, 0, mark.err)
  const plain = await command("mirror", "add", baseUrl, roomId)
  t.match(plain, {
    code: 2,
    err: /Entry 3 of Room .* is a different one at the origin now.* use mirror add --afresh\. Nothing was changed\./,
  })
  const service = await serve(program, ["--data", "data"], place)
  t.match(await command("mirror", "add", baseUrl, roomId, "--afresh"), { code: 1 }, "not while it is served")
  service.signal("SIGTERM")
  await service.ended()

  const { code, out, err } = await command("mirror", "add", baseUrl, roomId, "--afresh")
  t.equal(code, 0, err)
  t.match(
    out,
    /followed-.*-through-3\.crate\.zip holds Room .* as it was here\. Its entries from 3 on are dropped\.\nFollowed \(/,
  )
  t.strictSame(found("It was said before the loss."), [], "it is removed from the files")
  t.strictSame(problems(), [])
  const kept = readdirSync(data).find((name) => /through-3\.crate\.zip$/.test(name)) ?? ""
  const beside = elsewhere(t)
  t.equal((await beside.import(readFileSync(join(data, kept)))).origin.throughSequence, 3, "and whole in the export")
  const since = await command("check", "--mark", "mark.json")
  t.equal(since.code, 0, `${since.out}${since.err}`)
  await served(async (here) => {
    await until("it is as it is there", () => feed(here, roomId).join() === feed(there, roomId).join())
    t.strictSame(feed(here, own.roomId), own.feed, "Eve's own Room is unchanged")
  })
  t.match(await command("audit"), { out: /dropped a Room|forget_room/ })
  t.match((await command("mirror", "add", baseUrl, roomId, "--afresh")).out, /^Nothing was dropped: /)
})

test("a Room that another Room here refers to stays; any other is dropped whole", async (t) => {
  t.match(await command("room", "forget", own.roomId), { code: 2, err: /is this instance's own/ })
  t.match(await command("room", "forget", own.openingThreadId), { code: 2, err: /There is no Room/ })
  t.match(await command("room", "forget", roomId), {
    code: 2,
    err: new RegExp(`Entry \\d of Room .* refers to Room ${roomId}.*Nothing was changed`),
  })
  t.not(found(picture).length, 0)
  const { code, out, err } = await command("room", "forget", other.roomId)
  t.equal(code, 0, err)
  t.match(out, /^Another \(.*\) was dropped and is no longer followed\./)
  t.strictSame(found("Only in the other one."), [])
  t.strictSame(found(picture), [], "its picture is gone with it")
  t.strictSame(problems(), [])
  t.notMatch((await command("room", "list")).out, other.roomId)
  t.notMatch((await command("mirror", "list")).out, other.roomId)
  await served(async (here) => {
    const response = await fetch(`${here.baseUrl}/api/research/rooms/${other.roomId}`)
    t.equal(response.status, 404)
    t.strictSame(feed(here, own.roomId), own.feed)
  })
  // Followed again, it comes back.
  t.equal((await command("mirror", "add", baseUrl, other.roomId)).code, 0)
  await served((here) =>
    until("it is here again", () => feed(here, other.roomId).join() === feed(there, other.roomId).join()),
  )
  t.strictSame(problems(), [])
  await there.close()
})
