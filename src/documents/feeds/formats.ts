/** Feeds as Atom (RFC 4287) and JSON Feed 1.1, with all content as plain text. */
import { escapeHtml } from "../../contract/text.ts"

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
