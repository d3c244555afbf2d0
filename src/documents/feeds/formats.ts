/** Feeds for feed readers, as Atom (RFC 4287) and as JSON Feed 1.1. Everything in them is plain text. */
import { escapeHtml } from "../../renderer/escape.ts"

export interface FeedEntry {
  /** An IRI that is the same for ever, wherever the service is reached. */
  readonly id: string
  readonly title: string
  readonly text: string
  /** Below the base URL. */
  readonly path: string
  /** What they are called where they are cited, and the address they are known by, if any. Left out where nobody says it. */
  readonly author?: { readonly name: string; readonly address?: string }
  readonly at: string
}

export interface Feed {
  readonly title: string
  /** What stands behind it: a page, below the base URL. */
  readonly path: string
  /** Newest first. */
  readonly entries: readonly FeedEntry[]
}

/** Signs that XML 1.0 has no place for go; the rest is escaped. */
const xml = (text: string): string =>
  escapeHtml(text.toWellFormed().replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "\uFFFD")).replaceAll("&#39;", "&apos;")

/** When nothing has happened: a time that does not change from one look to the next. */
const NEVER = "1970-01-01T00:00:00.000Z"

const author = ({ author: { name, address } = { name: "unknown" } }: FeedEntry): string =>
  `<name>${xml(name)}</name>${address === undefined ? "" : `<uri>${xml(address)}</uri>`}`

/** @param self the feed's own address below the base URL */
export function atom({ title, path, entries }: Feed, self: string, baseUrl: string): string {
  const link = (rel: string, href: string, type: string) => `<link rel="${rel}" type="${type}" href="${xml(baseUrl + href)}"/>`
  const items = entries.map(
    (entry) => `<entry><id>${xml(entry.id)}</id><title>${xml(entry.title)}</title>${link("alternate", entry.path, "text/html")}
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

/** @param self the feed's own address below the base URL */
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
      ...(author !== undefined && { authors: [{ name: author.name, ...(author.address !== undefined && { url: author.address }) }] }),
    })),
  })
