/** The feeds, by the page each belongs to, made from public reads, newest entry first; robots.txt and sitemaps. */
import { writerName } from "../contract/answers/parts.ts"
import type { Entry } from "../contract/nouns/threads.ts"
import type { RecordSummary } from "../contract/nouns/record-answers.ts"
import { orcidAddress, shownName } from "../contract/nouns/people.ts"
import { afterName } from "../contract/definitions/sentence.ts"
import { limits } from "../contract/limits.ts"
import { receiptInWords } from "../contract/operations/receipts.ts"
import { activityPage, entryPage, pageOf } from "../contract/objects/objects.ts"
import { type DocumentSource, inline, words } from "./writing.ts"
import { firstParagraph, shortened, escapeHtml, unescapedHtml } from "../contract/text.ts"

// Feeds as Atom (RFC 4287) and JSON Feed 1.1, with all content as plain text.

export interface FeedEntry {
  /** An IRI that never changes, independent of the service's address. */
  readonly id: string
  readonly title: string
  readonly text: string
  /** The path of the entry's page, without the base URL. */
  readonly path: string
  /** The name to cite the author by and their ORCID address, if any. Left out if unknown. */
  readonly author?: { readonly name: string; readonly address?: string }
  readonly at: string
}

export interface Feed {
  readonly title: string
  /** The path of the feed's page, without the base URL. */
  readonly path: string
  /** Newest first. */
  readonly entries: readonly FeedEntry[]
}

/** Escapes text for XML. Replaces the characters that XML 1.0 does not allow. */
const xml = (text: string): string =>
  escapeHtml(text.toWellFormed().replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "\uFFFD")).replaceAll(
    "&#39;",
    "&apos;",
  )

/** The date of an empty feed: constant, so that the feed does not change between requests. */
const NEVER = "1970-01-01T00:00:00.000Z"

const author = ({ author: { name, address } = { name: "unknown" } }: FeedEntry): string =>
  `<name>${xml(name)}</name>${address === undefined ? "" : `<uri>${xml(address)}</uri>`}`

/** @param self the feed's path, without the base URL */
export function atom({ title, path, entries }: Feed, self: string, baseUrl: string): string {
  const link = (rel: string, href: string, type: string) =>
    `<link rel="${rel}" type="${type}" href="${xml(baseUrl + href)}"/>`
  const items = entries.map(
    (entry) => `<entry><id>${xml(entry.id)}</id><title>${xml(entry.title)}</title>\
${link("alternate", entry.path, "text/html")}
<updated>${entry.at}</updated><published>${entry.at}</published><author>${author(entry)}</author>
<content type="text">${xml(entry.text)}</content></entry>
`,
  )
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>${xml(baseUrl + self)}</id><title>${xml(title)}</title>
${link("self", self, "application/atom+xml")}
${link("alternate", path, "text/html")}
<updated>${entries[0]?.at ?? NEVER}</updated><generator>Research Room</generator>
${items.join("")}</feed>
`
}

/** @param self the feed's path, without the base URL */
export const jsonFeed = ({ title, path, entries }: Feed, self: string, baseUrl: string): string =>
  JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    title,
    home_page_url: baseUrl + path,
    feed_url: baseUrl + self,
    items: entries.map(({ id, title, text, path, author, at }) => ({
      id,
      url: baseUrl + path,
      title,
      content_text: text,
      date_published: at,
      ...(author !== undefined && {
        authors: [{ name: author.name, ...(author.address !== undefined && { url: author.address }) }],
      }),
    })),
  })

const TEXT = 4_000
const TITLE = 120

const urn = (id: string): string => `urn:uuid:${id}`

/** The cursor of the last page of a list of this length. */
const lastPage = (watermark: number): number => Math.max(0, watermark - limits.pageItems)

/** Reads the names of authors, once for each. */
function authors({ ask }: DocumentSource) {
  const known = new Map<string, NonNullable<FeedEntry["author"]>>()
  return ({ userId, agent }: { readonly userId: string; readonly agent?: string | null }) =>
    known.getOrInsertComputed(`${userId} ${agent ?? ""}`, () => {
      const person = ask("person", { username: userId })
      const name = writerName({ username: shownName(person), agent: agent ?? null })
      return { name, ...(person.orcid !== null && { address: orcidAddress(person.orcid) }) }
    })
}
type AuthorOf = ReturnType<typeof authors>

const ofRecord =
  (authorOf: AuthorOf) =>
  ({
    versionId,
    kind,
    label,
    wording,
    author,
    createdAt,
    status,
    outcome,
    provenanceSummary,
  }: RecordSummary): FeedEntry => ({
    id: urn(versionId),
    title:
      `${label} (${words(kind)}${outcome === null ? "" : `, ${outcome}`}` +
      `${status === "current" ? "" : `, ${status}`}): ${inline(wording, TITLE)}`,
    text: `${shortened(wording, TEXT)}\n\n${provenanceSummary}`,
    path: pageOf(kind, versionId) ?? "/",
    author: authorOf(author),
    at: createdAt,
  })

function roomFeed(source: DocumentSource): Feed {
  const { ask, id } = source
  const authorOf = authors(source)
  const roomId = id("roomId")
  const { title, activityWatermark } = ask("room", { roomId })
  const { items } = ask("room_activity", { roomId }, { after: lastPage(activityWatermark), include: "summary" })
  const entries = items.map((entry): FeedEntry => {
    const { digest, sequence, at, actor, summary = "" } = entry
    const path = activityPage(roomId, entry)
    // The id is the URI of the entry's digest (RFC 6920).
    const name = Buffer.from(digest.replace("sha256:", ""), "hex").toString("base64url")
    return {
      id: `ni:///sha-256;${name}`,
      title: inline(summary, TITLE),
      text: `${sequence}. ${summary}`,
      path,
      author: authorOf(actor),
      at,
    }
  })
  return { title, path: `/rooms/${roomId}`, entries: entries.reverse() }
}

function contentOf({ kind, author, message, card, receipt }: Entry): { readonly title: string; readonly text: string } {
  if (message !== undefined)
    return { title: `${writerName(author)}: ${inline(message.text, TITLE)}`, text: shortened(message.text, TEXT) }
  if (receipt !== undefined) {
    const title = receiptInWords(receipt)
    return { title, text: `${writerName(author)}${afterName(title)} ${title}` }
  }
  if (card === undefined) return { title: words(kind), text: words(kind) }
  const text =
    "checkpointId" in card ? (card.answer ?? firstParagraph(card.conclusion ?? card.synthesis)) : card.wording
  const name = "checkpointId" in card ? (card.state === "concluded" ? "Concluded" : "Checkpoint") : card.label
  return { title: `${name}: ${inline(text, TITLE)}`, text: shortened(text, TEXT) }
}

function threadFeed(source: DocumentSource): Feed {
  const { ask, id } = source
  const authorOf = authors(source)
  const threadId = id("threadId")
  const { thread, room } = ask("thread_context", { threadId })
  const { items } = ask("thread_timeline", { threadId }, { after: lastPage(thread.timelineWatermark) })
  const entries = items.map((entry): FeedEntry => {
    const { entryId, author, at } = entry
    return {
      id: urn(entryId),
      ...contentOf(entry),
      path: entryPage(threadId, entryId) ?? "/",
      author: authorOf(author),
      at,
    }
  })
  return { title: `${thread.title} · ${room.title}`, path: `/threads/${threadId}`, entries: entries.reverse() }
}

function searchFeed(source: DocumentSource): Feed {
  const { ask, query } = source
  const authorOf = authors(source)
  const parameters = Object.fromEntries([...query].filter(([name]) => name !== "after" && name !== "limit"))
  const { items } = ask("search", {}, parameters)
  // Several matches in one object are one entry.
  const found = [...new Map(items.toReversed().map((item) => [item.id, item])).values()]
  const newest = found.toSorted((one, other) => ((one.entryId ?? one.id) < (other.entryId ?? other.id) ? 1 : -1))
  const entries = newest.map(
    ({ id, kind, label, title, threadId, entryId, author, at, standing, snippet }): FeedEntry => ({
      id: urn(id),
      title: `${label ?? words(kind)}${standing === null ? "" : ` (${standing})`}: ${inline(title, TITLE)}`,
      text: plainOf(snippet),
      path: pageOf(kind, id) ?? entryPage(threadId, entryId) ?? "/",
      author: authorOf(author),
      at,
    }),
  )
  return {
    title: `Search: ${inline(query.get("query") ?? "", TITLE)}`,
    path: `/search?${new URLSearchParams(parameters)}`,
    entries,
  }
}

const plainOf = (snippet: string): string => unescapedHtml(snippet.replace(/<\/?mark>/g, ""))

function paperFeed(source: DocumentSource): Feed {
  const { ask, id } = source
  const arxivId = id("arxivId")
  const { items } = ask("paper_publications", { arxivId })
  return {
    title: `Records on arXiv:${arxivId}`,
    path: `/papers/${encodeURIComponent(arxivId)}`,
    entries: items.map(ofRecord(authors(source))),
  }
}

function personFeed(source: DocumentSource): Feed {
  const { ask, id } = source
  const person = ask("person", { username: id("username") })
  const { items } = ask("publications", {}, { author: person.userId })
  return {
    title: `Records by ${shownName(person)}`,
    path: `/people/${encodeURIComponent(person.username)}`,
    entries: items.map(ofRecord(authors(source))),
  }
}

/** The feeds by page; each is served at `feed.atom` and `feed.json` below the page. */
export const feeds: Readonly<Record<string, (source: DocumentSource) => Feed>> = {
  "/rooms/{roomId}": roomFeed,
  "/threads/{threadId}": threadFeed,
  "/papers/{arxivId}": paperFeed,
  "/people/{username}": personFeed,
  "/search": searchFeed,
}

// robots.txt and the sitemaps.

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
