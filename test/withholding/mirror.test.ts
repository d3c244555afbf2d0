/**
 * A mirror follows withholdings at its origin: existing text is removed, later text arrives without the words, and
 * forgeries stop it.
 */
import { readdirSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import t, { type Test } from "tap"
import { checkData } from "../../src/check/check.ts"
import { openForward } from "../../src/app/compose/upgrade.ts"
import { databaseFile } from "../../src/ledger/storage/data.ts"
import { ask } from "../support/ask.ts"
import { message } from "../support/bodies.ts"
import { bytesOfOpen } from "../support/open-files.ts"
import { type Own, startOwn, temporaryFolder } from "../support/service.ts"

const SECRET = "hf_kT9sQ2mV7xLpB4nR8wZ1cD6y"

async function two(t: Test, writer?: "thread") {
  const folder = temporaryFolder()
  const there = await startOwn()
  const ada = await there.setUp()
  const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "Followed from afar" })).result
  const { entry } = await ada.write("post_message", { threadId, ...message(`The token is ${SECRET}.`) } as never)
  const here = await startOwn({ folder, keeps: true, ...(writer && { writer }) })
  await here.setUp("eve")
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const withhold = (fields: readonly string[] = ["/text"]) =>
    ada.write("withhold_content", {
      roomId,
      of: { entryId: entry?.entryId },
      fields,
      reason: "secret",
      explanation: "Revoked.",
    } as never)
  return { there, here, ada, roomId, threadId, withhold }
}
/** Adds a mirror as `mirror add` does. */
const mirror = ({ instance }: Own, roomId: string, baseUrl: string) =>
  instance.ledger.transact(() => instance.tables.mirrors.put(roomId, baseUrl, new Date().toISOString()))

async function until<T>(what: string, look: () => T | undefined): Promise<T> {
  const end = performance.now() + 60_000
  for (;;) {
    const found = look()
    if (found !== undefined) return found
    if (performance.now() > end) throw new Error(`never: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
const reaches = ({ instance }: Own, roomId: string, sequence: number) =>
  until(`entry ${sequence}`, () => instance.ledger.activity.watermark(roomId) >= sequence || undefined)
const foundIn = ({ folder }: Own) =>
  readdirSync(folder).filter((name) => bytesOfOpen(join(folder, name)).includes(SECRET))
const shown = async ({ baseUrl }: Own, threadId: string) =>
  (await ask(`${baseUrl}/api/research/threads/${threadId}/messages`)).text

async function ended(t: Test, here: Own, there: Own): Promise<void> {
  await here.close()
  t.strictSame(foundIn(here), [])
  const { db } = openForward(databaseFile(here.folder))
  t.strictSame(checkData(db).problems, [])
  db.close()
  await there.close()
}

for (const writer of [undefined, "thread"] as const) {
  const where = writer === undefined ? "" : ", with a writer thread"
  t.test(`Text that it already has is removed, from its files too${where}`, async (t) => {
    const { there, here, roomId, threadId, withhold } = await two(t, writer)
    await mirror(here, roomId, there.baseUrl)
    await reaches(here, roomId, 2)
    t.match(await shown(here, threadId), SECRET)
    await withhold()
    await reaches(here, roomId, 3)
    await until("the text is gone", () => (foundIn(here).length === 0 ? true : undefined))
    const by = (name: string) =>
      new RegExp(`"withheld":\\{"at":"[^"]+","by":\\{"userId":"[^"]+","username":"${name}"\\},"reason":"secret"\\}`)
    const host = new URL(there.baseUrl).host
    t.match(await shown(here, threadId), by(`ada@${host}`), "the person who withheld it is named with the host")
    t.match(await shown(there, threadId), by("ada"))
    const page = await (await fetch(`${here.baseUrl}/threads/${threadId}`)).text()
    t.match(page, `Withheld by ada@${host}`)
    const feed = await ask(`${here.baseUrl}/api/research/rooms/${roomId}/activity?include=write`)
    t.match(feed.text, by("ada"), "a proved entry keeps the origin's name")
    await ended(t, here, there)
  })

  t.test(`Text that it does not have yet arrives without the words, and the mirror continues${where}`, async (t) => {
    const { there, here, ada, roomId, threadId, withhold } = await two(t, writer)
    for (let count = 0; count < 60; count += 1)
      await ada.write("post_message", { threadId, ...message(`Message ${count}.`) } as never)
    await withhold()
    await ada.write("post_message", { threadId, ...message("After it.") } as never)
    await mirror(here, roomId, there.baseUrl)
    await reaches(here, roomId, 64)
    t.match(await shown(here, threadId), /"reason":"secret"/)
    t.match(here.instance.tables.mirrors.all()[0], { stopped: null })
    await ended(t, here, there)
  })
}

/** A proxy in front of an origin that changes its answers. */
async function liar(t: Test, baseUrl: string, change: (path: string, body: string) => string): Promise<string> {
  const server = createServer(async (request, response) => {
    const answer = await fetch(`${baseUrl}${request.url}`)
    response.writeHead(answer.status, { "content-type": "application/json" })
    response.end(change(request.url ?? "", await answer.text()))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  t.teardown(() => server.close())
  t.teardown(() => server.closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test(
  "An origin that hides text nobody withheld stops the mirror, before any of it is stored, or when the promised write is missing",
  async (t) => {
    const { there, here, roomId } = await two(t)
    const { userId } = there.instance.tables.people.named("ada") ?? { userId: "" }
    const told = { at: new Date().toISOString(), by: { userId, username: "ada" }, reason: "secret" }
    const hide = (body: string) =>
      body.replace(JSON.stringify(`The token is ${SECRET}.`), JSON.stringify({ withheld: told }))
    const stopped = (room: string) =>
      until(
        "it stops",
        () => here.instance.tables.mirrors.all().find((each) => each.roomId === room)?.stopped ?? undefined,
      )

    await mirror(here, roomId, await liar(t, there.baseUrl, (_path, body) => hide(body)))
    t.match(
      await stopped(roomId),
      /Entry 2 .* is said to be withheld at \/text, and no write of the activity withholds that/,
    )
    t.equal(here.instance.ledger.activity.watermark(roomId), 0)

    // A write that the origin announces and never sends.
    const promised = {
      sequence: 3,
      operation: "withhold_content",
      at: told.at,
      actor: told.by,
      path: { roomId },
      body: { of: { sequence: 2 }, fields: ["/text"], reason: "secret" },
    }
    const entry = { sequence: 3, digest: "x", actor: told.by, write: { ...promised, people: [], cites: [] } }
    const ahead = JSON.stringify({ items: [entry], nextCursor: 3, hasMore: false })
    await mirror(
      here,
      roomId,
      await liar(t, there.baseUrl, (path, body) => (path.includes("kinds=content_withheld") ? ahead : hide(body))),
    )
    t.match(await stopped(roomId), /Entry 2 .* is withheld in part, but no write of the activity withholds it/)
    await here.close()
    await there.close()
  },
)
