/**
 * Every list of the registry, walked page by page along `links.next`: at the service itself, and under a base URL with
 * a sub-path behind a proxy that strips the sub-path or keeps it.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import tap, { test } from "tap"
import { type Demo, startDemo } from "../../src/demo/demo.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { openLog } from "../../src/log.ts"
import { ask, type Json } from "../support/ask.ts"
import { heldBelow } from "../support/contract.ts"
import { addressOf } from "../support/routes.ts"

const SUB_PATH = "/a/b"
const plain = await startDemo({ host: "127.0.0.1", port: 0, deterministic: true, log: openLog("silent") })
const below = await startDemo({
  host: "127.0.0.1",
  port: 0,
  deterministic: true,
  baseUrl: `https://rooms.example.org${SUB_PATH}/`,
  log: openLog("silent"),
})
const proxies: ReturnType<typeof createServer>[] = []
tap.teardown(async () => {
  for (const proxy of proxies) proxy.close()
  await plain.close()
  await below.close()
})

/** A proxy in front of a service, with the part of the path that it strips. */
async function proxyBefore({ port }: Demo, takesOff: string): Promise<string> {
  const proxy = createServer(async (request, response) => {
    const url = request.url ?? "/"
    const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>)
    // It passes on the body that it read, decompressed.
    const {
      host: _host,
      connection: _connection,
      "accept-encoding": _packed,
      ...headers
    } = request.headers as Record<string, string>
    const answer = await fetch(`http://127.0.0.1:${port}${url.slice(takesOff.length)}`, {
      method: request.method ?? "GET",
      headers: { ...headers, "accept-encoding": "identity" },
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    })
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
  })
  proxies.push(proxy)
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

const places: Readonly<Record<string, { origin: string; basePath: string }>> = {
  "at the service itself": { origin: plain.baseUrl, basePath: "" },
  "behind a proxy that takes the sub-path off": { origin: await proxyBefore(below, SUB_PATH), basePath: SUB_PATH },
  "behind a proxy that leaves the sub-path on": { origin: await proxyBefore(below, ""), basePath: SUB_PATH },
}

/** Public lists, with the ids and parameters for which the story has items. */
const { roomId, openingThreadId: threadId } = plain.rooms.main
const entries = (await ask(`${plain.baseUrl}/api/research/threads/${threadId}/timeline`)).body.items as unknown as {
  entryId: string
  replyCount: number
}[]
const attempt = (await ask(`${plain.baseUrl}/api/research/attempts?roomId=${roomId}`)).body.items?.[0]
const versionId = String(
  (await ask(`${plain.baseUrl}/api/research/hypotheses?roomId=${roomId}`)).body.items?.[0]?.versionId,
)
const ids = {
  roomId,
  threadId,
  versionId,
  experimentId: String(attempt?.experimentId),
  attemptId: String(attempt?.attemptId),
  arxivId: "2401.01234",
}
const query: Readonly<Record<string, string>> = {
  thread_replies: `targetEntryId=${entries.find(({ replyCount }) => replyCount > 0)?.entryId}`,
  search: "query=ways",
  attempt_table: `roomId=${roomId}`,
}
const lists = reads.filter(
  ({ surface, cursor, query: parameters }) =>
    surface === "public" && cursor !== null && Object.hasOwn(parameters.entries, "limit"),
)
/** The Room that has a board. */
const numbers = String((await ask(`${plain.baseUrl}/api/research/rooms?query=how%20sure`)).body.items?.[0]?.roomId)
const addressed = lists.map(({ name, path }) => ({
  name,
  address:
    `${addressOf(path, name === "room_boards" ? { ...ids, roomId: numbers } : ids)}?` +
    `${query[name] === undefined ? "" : `${query[name]}&`}`,
}))

/** The items of a page, with columns turned into rows. */
const itemsOf = (page: Json): unknown[] => {
  if (page.items !== undefined) return page.items as unknown as unknown[]
  const columns = Object.entries(page.columns as unknown as Record<string, unknown[]>)
  return (columns[0]?.[1] ?? []).map((_, row) =>
    Object.fromEntries(columns.map(([name, values]) => [name, values[row]])),
  )
}

for (const [where, { origin, basePath }] of Object.entries(places)) {
  const fetch = heldBelow(basePath)
  // shows: Every page has the envelope, and its links lead to the next page.
  // shows: Every page has hasMore, nextCursor and links.next that carries it.
  // shows: skill: paging
  test(`every list is walked from its first page to its last, ${where}`, async (t) => {
    for (const { name, address } of addressed) {
      const whole = itemsOf((await ask(`${origin}${basePath}${address}`, { fetch })).body)
      const found: unknown[] = []
      let pages = 0
      for (let next: string | null = `${basePath}${address}limit=2`; next !== null; ) {
        const { status, body } = await ask(`${origin}${next}`, { fetch })
        t.equal(status, 200, `${name}: ${next}`)
        t.strictSame(body.links?.self, next, `${name}: the page names its own address`)
        found.push(...itemsOf(body))
        pages += 1
        const more = String(body.hasMore) === "true"
        if (more) t.equal(itemsOf(body).length, 2, `${name}: a page is full if more follow`)
        const link = body.links?.next as unknown as string | null
        if (more)
          t.ok(
            link !== null && new URL(link, origin).searchParams.get("after") === String(body.nextCursor),
            `${name}: links.next carries the cursor`,
          )
        // The end of a feed is a place to come back to.
        else t.equal(link === null, body.nextCursor === null, `${name}: the last page of a list links no next one`)
        next = more ? link : null
        if (pages > 200) throw new Error(`${name} does not end`)
      }
      t.strictSame(
        found.slice(0, whole.length),
        whole,
        `${name}: ${found.length} items in ${pages} pages are the same as those of one long page`,
      )
      if (!["paper_publications", "room_reviews"].includes(name))
        t.ok(found.length > 0, `${name}: the story has items in it`)
    }
  })
}

// shows: A feed's cursor is there at its end.
test("a feed's last page has a cursor, for a reader who returns", async (t) => {
  const { empty } = plain.rooms
  const { body: end } = await ask(`${plain.baseUrl}/api/research/threads/${empty.openingThreadId}/timeline?after=0`)
  t.match(end, { hasMore: false, items: [], nextCursor: 0 })
  const post = (text: string) =>
    ask(`${plain.baseUrl}/api/agent/threads/${empty.openingThreadId}/messages`, {
      token: plain.credentials.member_all.token,
      body: { schemaVersion: 3, clientMessageId: crypto.randomUUID(), text },
    })
  await post("One.")
  await post("Two.")
  const { body: later } = await ask(`${plain.baseUrl}${end.links?.next}`)
  t.match(later, {
    hasMore: false,
    nextCursor: 2,
    items: [{ message: { text: "One." } }, { message: { text: "Two." } }],
  })
  const { body: nothing } = await ask(`${plain.baseUrl}${later.links?.next}`)
  t.match(nothing, { hasMore: false, nextCursor: 2, items: [] })
})

// shows: A traversal neither loses nor repeats while others write.
test("writes during a traversal do not change its pages", async (t) => {
  const room = `${plain.baseUrl}/api/research/hypotheses?roomId=${roomId}&limit=1`
  const { body: first } = await ask(room)
  const again = await ask(`${plain.baseUrl}${first.links?.next}`)
  t.notSame(again.body.items, first.items)
  t.strictSame(
    (
      await ask(
        `${plain.baseUrl}/api/research/hypotheses?roomId=${roomId}&limit=1&after=` +
          `${String(first.nextCursor).toUpperCase()}`,
      )
    ).body.items,
    again.body.items,
    "a UUID cursor in upper case is the same",
  )
})

test("below a sub-path, writes, sessions and links work as usual", async (t) => {
  for (const [where, { origin, basePath }] of Object.entries(places).slice(1)) {
    const fetch = heldBelow(basePath)
    const body = { schemaVersion: 3, clientMessageId: crypto.randomUUID(), text: "From below." }
    const wrote = await ask(`${origin}${basePath}/api/agent/threads/${below.rooms.empty.openingThreadId}/messages`, {
      token: below.credentials.member_all.token,
      body,
      fetch,
    })
    t.equal(wrote.status, 200, where)
    const { username, password } = below.people.owner
    const signedIn = await ask(`${origin}${basePath}/api/session`, {
      body: { username, password },
      fetch,
      headers: { origin: "https://rooms.example.org" },
    })
    t.equal(signedIn.status, 200, where)
    t.match(signedIn.headers.get("set-cookie"), /; Path=\/a\/b; HttpOnly; SameSite=Lax; Secure$/)
    const manifest = await ask(`${origin}${basePath}/api/manifest`, { fetch })
    t.strictSame(manifest.body.baseUrl, `https://rooms.example.org${SUB_PATH}`)
  }
})

test("a base path that looks like one of the service's own paths is not confused with it", async (t) => {
  const odd = await startDemo({
    host: "127.0.0.1",
    port: 0,
    baseUrl: "https://rooms.example.org/api",
    kept: process.env.TOLD_DEMO,
    log: openLog("silent"),
  })
  t.teardown(() => odd.close())
  const fetch = heldBelow("/api")
  for (const takesOff of ["/api", ""]) {
    const proxy = await proxyBefore(odd, takesOff)
    const read = await ask(`${proxy}/api/api/research/rooms?limit=1`, { fetch })
    t.strictSame(
      [read.status, read.body.links?.self],
      [200, "/api/api/research/rooms?limit=1"],
      `stripped: "${takesOff}"`,
    )
    t.equal((await ask(`${proxy}/api/llms.txt`, { fetch })).status, 200)
    const body = { schemaVersion: 3, clientMessageId: crypto.randomUUID(), text: "From an odd place." }
    t.equal(
      (
        await ask(`${proxy}/api/api/agent/threads/${odd.rooms.empty.openingThreadId}/messages`, {
          token: odd.credentials.member_all.token,
          body,
          fetch,
        })
      ).status,
      200,
    )
    t.equal((await ask(`${proxy}/api/api/nowhere`, { fetch })).status, 404)
  }
})
