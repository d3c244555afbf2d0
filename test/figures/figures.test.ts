/**
 * Pictures: uploaded, named by writes, readable by anyone, included in exports and mirrors, and withheld with their
 * text.
 */
import { createHash } from "node:crypto"
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { ResearchRoomClient } from "research-room/client"
import { checkData } from "../../src/check/check.ts"
import { openForward } from "../../src/app/compose/upgrade.ts"
import { databaseFile } from "../../src/ledger/storage/opening.ts"
import { untilClean } from "../support/clean.ts"
import { ask } from "../support/ask.ts"
import { message } from "../support/bodies.ts"
import { bring, elsewhere } from "../support/elsewhere.ts"
import { bytesOfOpen } from "../support/open-files.ts"
import { encoded, png } from "../support/pictures.ts"
import { DAY, type Own, startOwn, temporaryFolder } from "../support/service.ts"
import { forged } from "../research/added/forged.ts"
import { bytesOf, unpack } from "../research/added/unpacked.ts"

const PATH = "/api/agent/research/figures"
const demo = await startResearchRoom()
t.teardown(() => demo.close())
const { baseUrl } = demo
const { roomId, openingThreadId: threadId } = demo.rooms.empty
const owner = demo.client("owner_all")
const { token } = demo.credentials.owner_all
const shown = (digest: string, at = baseUrl) => fetch(`${at}/api/research/figures/${digest}`)
const send = (raw: Buffer, type = "image/png", more = {}) =>
  ask(`${baseUrl}${PATH}`, { raw: new Uint8Array(raw), headers: { "content-type": type }, token, ...more })
const upload = async (raw: Buffer, type?: string): Promise<string> => String((await send(raw, type)).body.digest)

t.test("a picture is uploaded, and is public once a write names it", async (t) => {
  const { status, body } = await send(png())
  t.equal(status, 200)
  t.match(body, { schemaVersion: 3, digest: /^sha256:[0-9a-f]{64}$/, width: 12, height: 8 })
  const digest = String(body.digest)
  t.equal(await upload(png()), digest, "the same picture again gets the same digest")
  t.equal((await shown(digest)).status, 404, "nothing names it yet")

  const figures = [{ digest, alt: "Loss by step: both arms fall together." }]
  const { entry } = await owner.write("post_message", { threadId, text: "See the curve.", figures })
  const response = await shown(digest)
  t.equal(response.status, 200)
  t.match(Object.fromEntries(response.headers), {
    "content-type": "image/png",
    "x-content-type-options": "nosniff",
    "cache-control": "public, max-age=86400",
    "access-control-allow-origin": "*",
  })
  const again = await fetch(`${baseUrl}/api/research/figures/${digest}`, {
    headers: { "if-none-match": response.headers.get("etag") ?? "" },
  })
  t.equal(again.status, 304, "after a day a cache asks again, with its tag")
  const bytes = Buffer.from(await response.arrayBuffer())
  t.equal(`sha256:${createHash("sha256").update(bytes).digest("hex")}`, digest, "its digest matches the served bytes")
  const { items } = await owner.read("thread_timeline", { threadId, after: (entry?.sequence ?? 1) - 1 })
  t.match(items[0], { message: { figures } })
})

t.test("a JPEG and a WebP are accepted, and metadata in the file is not kept", async (t) => {
  const secret = "GPS 48.2082 N, 16.3738 E"
  const { jpeg, webp } = await encoded(png({ shade: 60 }))
  const files = { "image/png": png({ comment: secret }), "image/jpeg": jpeg, "image/webp": webp }
  for (const [type, file] of Object.entries(files)) {
    const digest = await upload(Buffer.concat([file, Buffer.from(secret)]), type)
    await owner.write("post_message", { threadId, text: type, figures: [{ digest, alt: "A shade." }] })
    const response = await shown(digest)
    t.equal(response.headers.get("content-type"), type)
    t.notOk(Buffer.from(await response.arrayBuffer()).includes(secret), type)
  }
})

t.test("the demo shows one: the plot of the data that its first finding rests on", async (t) => {
  const [room] = (await owner.read("rooms", { query: "By how much, and how sure?" })).items
  const { items } = await owner.read("publications", { roomId: String(room?.roomId), kinds: ["finding"] })
  const { content, execution } = await owner.read("record", {
    versionId: String(items.find(({ label }) => label === "F1")?.versionId),
  })
  const [{ digest, alt } = { digest: "", alt: "" }] =
    (content as { figures?: { digest: string; alt: string }[] }).figures ?? []
  const response = await shown(digest)
  const file = Buffer.from(await response.arrayBuffer())
  t.match(
    (await send(file, "image/webp")).body,
    { digest, width: 940, height: 256 },
    "it is stored as an upload would be",
  )
  const { experimentId } = execution as { experimentId: string }
  const { groups } = await owner.read("experiment_measurements", {
    ...{ experimentId, metric: "coverage", by: ["arm"], over: "seed", intents: ["planned"] },
  })
  // These are in the picture: if they change, `node build/demo-picture.ts` makes it again.
  const pictured = { early: 0.5978, "groups of 10": 0.5538, penalty: 0.60233, plain: 0.5596 }
  for (const { key, mean } of groups) {
    const arm = String(key.arm) as keyof typeof pictured
    t.ok(Math.abs((mean ?? 0) - pictured[arm]) < 0.00005, `${arm} ${String(mean)}`)
    t.match(alt, `${arm} ${mean?.toFixed(3)}`)
  }
  t.equal(groups.length, 4)
})

t.test("a file that is not a picture, or not of the declared type, is refused, and nothing is kept", async (t) => {
  const refusedAs = async (raw: Buffer, type?: string, more = {}) => {
    const { status, body } = await send(raw, type, more)
    return `${status} ${String(body.refusal)}`
  }
  t.equal(
    await refusedAs(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), "image/svg+xml"),
    "422 invalid_schema",
  )
  t.equal(await refusedAs(png(), "image/jpeg"), "422 invalid_schema", "a PNG that claims to be a JPEG")
  t.equal(await refusedAs(Buffer.from("<script>alert(1)</script>")), "422 invalid_schema")
  t.equal(await refusedAs(png().subarray(0, 60)), "422 invalid_schema", "truncated")
  t.equal(await refusedAs(png({ width: 5_001, height: 4_000 })), "422 invalid_schema", "more pixels than allowed")
  t.equal(
    await refusedAs(png({ width: 60_000, height: 60_000, rows: 10 })),
    "422 invalid_schema",
    "one that would take all memory",
  )
  t.equal(await refusedAs(Buffer.alloc(0)), "422 invalid_schema")
  for (let count = 0; count < 3; count += 1) await refusedAs(png({ width: 60_000, height: 60_000, rows: 10 }))
  t.equal((await send(png({ width: 5_000, height: 4_000 }))).status, 200, "after them a large one is still accepted")
  t.equal(await refusedAs(Buffer.alloc(1_000_001)), "413 request_too_large")
  t.equal(await refusedAs(png(), "image/png", { token: undefined }), "401 not_authenticated")
  t.equal(
    await refusedAs(png(), "image/png", { headers: { "content-type": "image/png", origin: baseUrl } }),
    "403 browser_origin",
  )
  t.equal((await shown("sha256:0")).status, 404)
})

t.test("a write names stored pictures, each with a description, and no more than eight", async (t) => {
  const digest = await upload(png({ shade: 3 }))
  const post = async (figures: unknown) => {
    const { status, body } = await ask(`${baseUrl}/api/agent/threads/${threadId}/messages`, {
      token,
      body: message("See.", { figures }),
    })
    return `${status} ${String(body.refusal)} ${String(body.issues?.[0]?.path)}`
  }
  const unknown = `sha256:${"0".repeat(64)}`
  t.equal(
    await post([
      { digest, alt: "One." },
      { digest: unknown, alt: "Two." },
    ]),
    "422 unknown_reference /figures/1/digest",
  )
  t.equal(await post([{ digest }]), "422 invalid_schema /figures/0/alt")
  t.equal(await post([{ digest, alt: " " }]), "422 invalid_schema /figures/0/alt")
  t.equal(await post(Array.from({ length: 9 }, () => ({ digest, alt: "One." }))), "422 invalid_schema /figures")
  t.equal((await shown(digest)).status, 404, "a refused write names nothing")
})

t.test("an export holds the pictures, and an import accepts them only if their digests match", async (t) => {
  const digest = await upload(png({ shade: 9 }))
  await owner.write("post_message", { threadId, text: "To be exported.", figures: [{ digest, alt: "A dark one." }] })
  const zip = Buffer.from(await bytesOf(await owner.download("room_export", { roomId })))
  const path = `figures/${digest.slice(7)}.png`
  t.ok(unpack(zip).files.has(path), [...unpack(zip).files.keys()].filter((name) => name.startsWith("figures/")).join())
  const here = elsewhere(t)
  await here.import(zip)
  t.ok((await here.export(roomId)).equals(zip), "exporting it again gives the same bytes")
  t.strictSame(here.problems(), [])
})

t.test("a different picture under a digest is not accepted from a crate", async (t) => {
  const [there, here] = [await startOwn(), await startOwn()]
  t.teardown(() => Promise.all([there.close(), here.close()]))
  const ada = await there.setUp()
  await here.setUp("eve")
  const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "With a picture" })).result
  const say = (digest: string) =>
    ada.write("post_message", { threadId, ...message("See.", { figures: [{ digest, alt: "One." }] }) } as never)
  const { digest } = await kept(there, 7)
  await say(digest)
  const reader = new ResearchRoomClient({ baseUrl: there.baseUrl })
  const zip = Buffer.from(await bytesOf(await reader.download("room_export", { roomId })))
  const other = forged(zip, { [`figures/${digest.slice(7)}.png`]: () => "no picture" })
  await t.rejects(elsewhere(t).import(other), {
    message: /in the crate: The picture is not the one that sha256:/,
  } as never)
})

t.test(
  "a withheld text takes its picture with it, from every file, and from an instance that imports a newer export",
  async (t) => {
    const folders = [temporaryFolder(), temporaryFolder()] as const
    t.teardown(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))
    const there = await startOwn({ folder: folders[0], keeps: true })
    const here = await startOwn({ folder: folders[1], keeps: true })
    const ada = await there.setUp()
    await here.setUp("eve")
    const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "With pictures" })).result
    const [secret, shared] = [await kept(there, 101), await kept(there, 202)]
    const say = (text: string, ...digests: string[]) =>
      ada.write("post_message", {
        threadId,
        ...message(text, { figures: digests.map((digest) => ({ digest, alt: `Picture of ${text}` })) }),
      } as never)
    const { entry } = await say("both", secret.digest, shared.digest)
    await say("one", shared.digest)
    await bring(t, here.instance, there.baseUrl, roomId)
    const statuses = (at: string) =>
      Promise.all([secret, shared].map(async ({ digest }) => (await shown(digest, at)).status))
    t.strictSame(await statuses(here.baseUrl), [200, 200])

    const fields = ["/figures/0/alt", "/figures/1/alt"]
    await ada.write("withhold_content", {
      roomId,
      of: { entryId: entry?.entryId },
      fields,
      reason: "rights",
      explanation: "Not ours.",
    } as never)
    t.strictSame(await statuses(there.baseUrl), [404, 200], "a picture that another message shows stays")
    await bring(t, here.instance, there.baseUrl, roomId)
    t.strictSame(await statuses(here.baseUrl), [404, 200])
    const timeline = await (await fetch(`${there.baseUrl}/api/research/threads/${threadId}/timeline?after=0`)).text()
    t.match(timeline, /"alt":\{"withheld":/)
    for (const each of [there, here]) {
      await untilClean(databaseFile(each.folder))
      await until(
        "no file holds it",
        async () =>
          !readdirSync(each.folder).some((name) => bytesOfOpen(join(each.folder, name)).includes(secret.bytes)),
      )
      await each.close()
      const { db } = openForward(databaseFile(each.folder))
      t.strictSame(checkData(db).problems, [])
      db.close()
    }
  },
)

t.test("an unused picture is deleted after a day", async (t) => {
  const own = await startOwn()
  t.teardown(() => own.close())
  const ada = await own.setUp()
  await ada.write("create_room", { title: "Kept" })
  const { attachments: figures } = own.instance.tables
  const keep = async (shade: number) => (await kept(own, shade)).digest
  const first = await keep(1)
  own.pass(DAY / 2)
  const second = await keep(2)
  t.equal(figures.sizesOf([first, second]).size, 2)
  own.pass(DAY / 2 + 60_000)
  const third = await keep(3)
  t.strictSame([...figures.sizesOf([first, second, third]).keys()].sort(), [second, third].sort())
  own.pass(DAY + 60_000)
  t.equal(await keep(3), third)
  t.ok(figures.sizesOf([third]).size, "a picture uploaded again stays for another day")
  for (let shade = 4; shade < 60; shade += 1) await keep(shade)
  t.notOk(figures.sizesOf([second]).size, "the unused pictures of one person are bounded")
})

/** Stores a picture; under another digest than its own, as a forger would, if one is given. */
async function kept(
  { instance: { ledger, tables, world } }: Own,
  shade: number,
  as?: string,
): Promise<{ digest: string; bytes: Buffer }> {
  const bytes = png({ shade })
  const digest = as ?? `sha256:${createHash("sha256").update(bytes).digest("hex")}`
  const at = new Date(world.now()).toISOString()
  await ledger.transact(() =>
    tables.attachments.keep({ digest, mediaType: "image/png", width: 12, height: 8, bytes }, "ada", at),
  )
  return { digest, bytes }
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`never: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
