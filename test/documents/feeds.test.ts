/** Feeds and sitemaps for crawlers, read by third-party programs. */
import { parseAtomFeed, parseJsonFeed } from "feedsmith"
import { startResearchRoom } from "research-room/testing"
import robotsModule from "robots-parser"
import { XMLParser, XMLValidator } from "fast-xml-parser"
import t, { test } from "tap"

// CommonJS, although its types say otherwise.
const robotsParser = robotsModule as unknown as typeof robotsModule.default

const house = await startResearchRoom()
t.teardown(() => house.close())
const { roomId, openingThreadId: threadId } = house.rooms.main
const member = house.client("member_all")
const { roomId: emptyId, openingThreadId: emptyThread } = house.rooms.empty

async function got(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(house.baseUrl + path, { headers })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const hostile = [
  "</content><script>alert(1)</script>",
  "]]>",
  "&amp;&#0;",
  "\u0001\u0008\uFFFE\u000B",
  "<![CDATA[x",
  "🧪 \u202Ereversed",
  "\"'<>&",
]

const followed = [
  [`/rooms/${roomId}`, "", 50],
  [`/threads/${threadId}`, "", 10],
  ["/search", "?query=coverage", 1],
  ["/papers/2504.13837", "", 1],
  [`/people/${house.people.owner.username}`, "", 3],
] as const

test("a Room, a Thread, a search, a paper and a person's work can be followed in both forms", async (t) => {
  const titles: string[] = []
  for (const [place, query, least] of followed) {
    const asAtom = await got(`${place}/feed.atom${query}`)
    t.equal(asAtom.status, 200, place)
    t.equal(asAtom.headers.get("content-type"), "application/atom+xml; charset=utf-8")
    t.equal(XMLValidator.validate(asAtom.text), true, "well-formed")
    const feed = parseAtomFeed(asAtom.text)
    t.equal(feed.links?.find(({ rel }) => rel === "self")?.href, `${house.baseUrl}${place}/feed.atom${query}`)
    const entries = feed.entries ?? []
    t.ok(entries.length >= least && entries.length <= 50, `${entries.length} entries`)
    t.equal(feed.updated, entries[0]?.updated, "newest first")
    t.equal(new Set(entries.map(({ id }) => id)).size, entries.length, "each with its own id")
    titles.push(...entries.map(({ title }) => title?.value ?? ""))
    for (const { id, title, links, authors } of entries) {
      t.match(id, /^(?:urn:uuid:[0-9a-f-]{36}|ni:\/\/\/sha-256;[\w-]{43})$/)
      t.ok((title?.value?.length ?? 0) > 3 && authors?.[0]?.name)
      t.ok(links?.[0]?.href?.startsWith(`${house.baseUrl}/`))
    }
    t.equal((await got(new URL(entries[0]?.links?.[0]?.href ?? "").pathname)).status, 200, "and links to a page")

    const asJson = await got(`${place}/feed.json${query}`)
    t.equal(asJson.headers.get("content-type"), "application/feed+json; charset=utf-8")
    const same = parseJsonFeed(JSON.parse(asJson.text))
    t.strictSame(
      same.items?.map(({ id, title }) => [id, title]),
      entries.map(({ id, title }) => [id, title?.value]),
    )
    t.equal(same.feed_url, `${house.baseUrl}${place}/feed.json${query}`)
  }
  const told = titles.join("\n")
  t.match(told, /: A\d+ (?:started|succeeded|failed)/, "a Room's feed says what happened to an attempt")
  t.match(told, /^A\d+ (?:started|succeeded|failed)$/m, "and so does a Thread's")
  t.notMatch(told, /reported A\d|report attempt/)
  for (const nowhere of [
    "/rooms/none/feed.atom",
    "/threads/none/feed.json",
    "/people/nobody/feed.atom",
    "/search/feed.atom",
  ])
    t.ok([404, 422].includes((await got(nowhere)).status), nowhere)
})

test("a reader that returns learns that nothing is new, until something is", async (t) => {
  const path = `/threads/${emptyThread}/feed.atom`
  const tag = (await got(path)).headers.get("etag") ?? ""
  t.equal((await got(path, { "if-none-match": tag })).status, 304)
  await member.write("post_message", { threadId: emptyThread, text: "News." })
  t.match(await got(path, { "if-none-match": tag }), { status: 200, text: /News\./ })
})

test("whatever users write is text in a feed", async (t) => {
  for (const text of hostile) await member.write("post_message", { threadId: emptyThread, text })
  await member.write("create_thread", { roomId: emptyId, title: hostile[0] ?? "" })
  const { text } = await got(`/threads/${emptyThread}/feed.atom`)
  t.equal(XMLValidator.validate(text), true)
  t.notMatch(text, /<script|<!\[CDATA/)
  const entries = parseAtomFeed(text).entries ?? []
  t.match(
    entries.map(({ content }) => content?.value).find((content) => String(content).includes("script")),
    hostile[0],
    "and comes out unchanged",
  )
  const json = parseJsonFeed(JSON.parse((await got(`/threads/${emptyThread}/feed.json`)).text))
  t.equal(json.items?.find(({ content_text }) => content_text?.includes("script"))?.content_text, hostile[0])
  t.equal(XMLValidator.validate((await got(`/rooms/${emptyId}/feed.atom`)).text), true)
})

test("crawlers are told where to look, and find a sitemap of every Room", async (t) => {
  const { text, headers } = await got("/robots.txt")
  t.equal(headers.get("content-type"), "text/plain; charset=utf-8")
  const robots = robotsParser(`${house.baseUrl}/robots.txt`, text)
  for (const open of ["/", `/rooms/${roomId}`, "/llms.txt", "/api/research/rooms"])
    t.ok(robots.isAllowed(house.baseUrl + open, "bot"), open)
  for (const closed of [
    "/do/create_room",
    "/account",
    "/library/papers/1",
    "/invitations/x",
    "/search?query=x",
    "/api/agent/threads",
  ])
    t.notOk(robots.isAllowed(house.baseUrl + closed, "bot"), closed)
  t.strictSame(robots.getSitemaps(), [`${house.baseUrl}/sitemap.xml`])

  const parser = new XMLParser({ isArray: (name) => name === "sitemap" || name === "url" })
  const { sitemapindex } = parser.parse((await got("/sitemap.xml")).text) as {
    sitemapindex: { sitemap: { loc: string }[] }
  }
  t.equal(sitemapindex.sitemap.length, 4)
  const pages: string[] = []
  for (const { loc } of sitemapindex.sitemap) {
    const { urlset } = parser.parse((await got(new URL(loc).pathname)).text) as {
      urlset: { url: { loc: string; lastmod: string }[] }
    }
    for (const each of urlset.url) {
      t.ok(!Number.isNaN(Date.parse(each.lastmod)))
      pages.push(each.loc)
    }
  }
  t.ok(pages.includes(`${house.baseUrl}/rooms/${roomId}`) && pages.includes(`${house.baseUrl}/threads/${threadId}`))
  t.ok(pages.some((page) => page.includes("/records/")))
  for (const page of [pages[0], pages.at(-1)]) t.equal((await fetch(page ?? "")).status, 200, String(page))
  t.equal((await got("/rooms/none/sitemap.xml")).status, 404)
})

test("there is an icon where browsers look for one", async (t) => {
  const response = await fetch(`${house.baseUrl}/favicon.ico`)
  const bytes = new Uint8Array(await response.arrayBuffer())
  t.equal(response.headers.get("content-type"), "image/x-icon")
  t.strictSame([...bytes.slice(0, 8)], [0, 0, 1, 0, 1, 0, 32, 32])
  t.equal(bytes.length, 22 + 40 + 32 * 32 * 4 + 128)
})
