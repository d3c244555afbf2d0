/** robots.txt and the sitemaps. */
import type { DocumentSource } from "./writing.ts"
import { escapeHtml } from "../contract/text.ts"

/** The most Rooms in the sitemap index, newest first. Each has its own sitemap. */
const ROOMS = 2_000
/** The most Threads, and records, in the sitemap of a Room. */
const OF_ROOM = 1_000

/** Pages for one visitor, and pages without an end. */
const CLOSED = [
  "/do/",
  "/web/",
  "/account",
  "/library",
  "/sign-in",
  "/setup",
  "/invitations/",
  "/search",
  "/attempts/compare",
  "/attempts/curves",
  "/api/agent/",
]

export const robotsTxt = (baseUrl: string): string => {
  const { pathname } = new URL(baseUrl)
  const below = pathname.replace(/\/$/, "")
  return (
    `User-agent: *\n${CLOSED.map((path) => `Disallow: ${below}${path}\n`).join("")}` +
    `\nSitemap: ${baseUrl}/sitemap.xml\n`
  )
}

/** Reads all pages of a list, up to `most` items. */
function all<Item>(
  page: (after: string | undefined) => { readonly items: readonly Item[]; readonly nextCursor: string | number | null },
  most: number,
): Item[] {
  const found: Item[] = []
  for (let after: string | undefined; found.length < most; ) {
    const { items, nextCursor } = page(after)
    found.push(...items)
    if (nextCursor === null || items.length === 0) break
    after = String(nextCursor)
  }
  return found.slice(0, most)
}

const element = (name: string, address: string, at: string): string =>
  `<${name}><loc>${escapeHtml(address)}</loc><lastmod>${at}</lastmod></${name}>\n`
const map = (name: string, inner: string): string =>
  `<?xml version="1.0" encoding="utf-8"?>\n<${name} ` +
  `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${inner}</${name}>\n`

/** The sitemap index: one sitemap for each Room. */
export function sitemapIndex({ ask }: DocumentSource, baseUrl: string): string {
  const rooms = all((after) => ask("rooms", {}, { after }), ROOMS)
  return map(
    "sitemapindex",
    rooms
      .map(({ roomId, lastActivityAt }) => element("sitemap", `${baseUrl}/rooms/${roomId}/sitemap.xml`, lastActivityAt))
      .join(""),
  )
}

/** The sitemap of a Room: its page, its Threads and its newest records. @throws Refusal 404 */
export function roomSitemap({ ask, id }: DocumentSource, baseUrl: string): string {
  const roomId = id("roomId")
  const { lastActivityAt } = ask("room", { roomId })
  const threads = all((after) => ask("room_threads", { roomId }, { after }), OF_ROOM)
  const records = all((after) => ask("room_publications", { roomId }, { after }), OF_ROOM)
  return map(
    "urlset",
    [
      element("url", `${baseUrl}/rooms/${roomId}`, lastActivityAt),
      ...threads.map((thread) => element("url", `${baseUrl}/threads/${thread.threadId}`, thread.lastActivityAt)),
      ...records.map(({ versionId, createdAt }) => element("url", `${baseUrl}/records/${versionId}`, createdAt)),
    ].join(""),
  )
}
