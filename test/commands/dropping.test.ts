/** `room forget`: a Room of another instance that is no longer wanted, or whose history parted from the one here. */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import tap, { test } from "tap"
import { openForward } from "../../src/app/compose/upgrade.ts"
import { checkData } from "../../src/check/check.ts"
import { databaseFile } from "../../src/ledger/storage/opening.ts"
import { hypothesis } from "../support/bodies.ts"
import { importCrate } from "../../src/app/imports/import.ts"
import { png } from "../support/pictures.ts"
import { endAll, executable, newPlace, run } from "../support/program.ts"
import { type Own, startOwn } from "../support/service.ts"

const program = executable()
const place = newPlace()
const data = join(place.folder, "data")
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

const there = await startOwn()
tap.teardown(() => there.close())
const ada = await there.setUp()
const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "Followed" })).result
const { versionId } = (await ada.write("publish_hypothesis", hypothesis({ roomId, threadId }))).result
const other = (await ada.write("create_room", { title: "Another" })).result
await ada.request("POST", "/api/account/description", { name: "Ada Lovelace" })
const picture = png({ shade: 101 })
const digest = `sha256:${createHash("sha256").update(picture).digest("hex")}`
there.instance.tables.attachments.keep(
  { digest, mediaType: "image/png", width: 12, height: 8, bytes: picture },
  "",
  new Date().toISOString(),
)
const figures = [{ digest, alt: "A plot that only the other Room shows." }]
await ada.write("post_message", { threadId: other.openingThreadId, text: "Only in the other one.", figures } as never)
await ada.write("reuse_record", { threadId: other.openingThreadId, versionId } as never)
/** Writes the export of a Room, and returns its path. */
async function exported(id: string): Promise<string> {
  const file = join(place.folder, `${id}.zip`)
  const response = await fetch(`${there.baseUrl}/api/research/rooms/${id}/export`)
  writeFileSync(file, Buffer.from(await response.arrayBuffer()))
  return file
}

// One caller makes one export at a time.
const exports = [await exported(roomId), await exported(other.roomId)]

/** Eve's data here: a Room of her own that refers to one that she imported, and another one that she imported. */
const own = await served(async (here) => {
  const eve = await here.setUp("eve")
  const made = (await eve.write("create_room", { title: "Eve's own" })).result
  for (const file of exports) await importCrate(here.instance, file)
  await eve.write("reuse_record", { threadId: made.openingThreadId, versionId } as never)
  await eve.write("post_message", { threadId: made.openingThreadId, text: "Eve's last word." } as never)
  return { ...made, feed: feed(here, made.roomId) }
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
  t.match(out, /^Another \(.*\) was dropped\./)
  t.strictSame(found("Only in the other one."), [])
  t.strictSame(found(picture), [], "its picture is gone with it")
  t.strictSame(problems(), [])
  t.notMatch((await command("room", "list")).out, other.roomId)
  await served(async (here) => {
    const response = await fetch(`${here.baseUrl}/api/research/rooms/${other.roomId}`)
    t.equal(response.status, 404)
    t.strictSame(feed(here, own.roomId), own.feed)
    const { owner } = here.instance.tables.rooms.summary(roomId) ?? {}
    const described = here.instance.tables.people.described(owner?.userId ?? "")
    t.match(described, { name: "Ada Lovelace" }, "whom a Room that stays names keeps her description")
  })
  // Imported again, it comes back.
  t.equal((await command("import", exports[1] ?? "")).code, 0)
  await served(async (here) => t.strictSame(feed(here, other.roomId), feed(there, other.roomId)))
  t.strictSame(problems(), [])
})
