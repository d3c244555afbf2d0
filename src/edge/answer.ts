/** How answers leave: JSON with the headers every answer carries, pages in their envelope, refusals in theirs. */
import { HTTPResponse } from "h3"
import { extendJson, fitting, type Writable, writeJson } from "../contract/json.ts"
import { limits } from "../contract/limits.ts"
import type { Refusal } from "../contract/refusals.ts"
import { type Family, schemaVersions } from "../contract/versions.ts"
import { withoutTokens } from "../log.ts"
import type { ColumnPage, LibraryPage, Page } from "../ledger/paging.ts"

/** On every answer, pages and errors alike. */
export const commonHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
}

/** A year: so long a browser that came over https comes over nothing else. */
const STRICT = "max-age=31536000"

/** On every answer of a service at this address: behind https, that it is never to be asked without. */
export const headersAt = (baseUrl: string): Readonly<Record<string, string>> =>
  baseUrl.startsWith("https:") ? { "strict-transport-security": STRICT } : {}

/** An answer of some media type. */
export const answer = (body: string, type: string, status = 200, headers: Readonly<Record<string, string>> = {}): HTTPResponse =>
  new HTTPResponse(body, { status, headers: { ...commonHeaders, "content-type": `${type}; charset=utf-8`, ...headers } })

/** A file to be kept, sent as it is made. */
export const download = (body: ReadableStream<Uint8Array>, type: string, name: string): HTTPResponse =>
  new HTTPResponse(body, { headers: { ...commonHeaders, "content-type": type, "content-disposition": `attachment; filename="${name}"` } })

/** A file that never changes under its name. */
export const asset = (body: Uint8Array<ArrayBuffer>, type: string): HTTPResponse =>
  new HTTPResponse(body, { headers: { ...commonHeaders, "content-type": type, "cache-control": "public, max-age=31536000, immutable" } })

/** An answer of JSON text. */
export const json = (text: string, status = 200, headers?: Readonly<Record<string, string>>): HTTPResponse =>
  answer(text, "application/json", status, headers)

/** An object with its schema version, as most reads answer. */
export const versioned = (value: { readonly [member: string]: Writable }, family: Family = "research"): string =>
  extendJson(writeJson({ schemaVersion: schemaVersions[family] }), value)

/** What a page of any form carries besides its items. `url` is the read as it was asked, below the base path. */
function envelope({ nextCursor, hasMore }: Pick<Page, "nextCursor" | "hasMore">, url: URL, basePath: string, generatedAt: string) {
  const onwards = new URL(url)
  if (nextCursor !== null) onwards.searchParams.set("after", String(nextCursor))
  return {
    nextCursor,
    hasMore,
    generatedAt,
    links: {
      self: `${basePath}${url.pathname}${url.search}`,
      next: nextCursor === null ? null : `${basePath}${onwards.pathname}${onwards.search}`,
    },
  }
}

/** The page envelope of the interface. */
export function pageText(page: Page, url: URL, basePath: string, generatedAt: string): string {
  const { items, cursorAfter } = page
  const fit = cursorAfter === undefined ? items : fitting(items, limits.listBytes)
  const isCut = fit.length < items.length
  const onwards = isCut ? { hasMore: true, nextCursor: cursorAfter?.(fit.length - 1) ?? null } : page
  return writeJson({ schemaVersion: schemaVersions.research, items: fit, ...envelope(onwards, url, basePath, generatedAt) })
}

/** A page of columns in the same envelope. */
export const columnPageText = (page: ColumnPage, url: URL, basePath: string, generatedAt: string): string =>
  writeJson({ schemaVersion: schemaVersions.research, ...page.members, ...envelope(page, url, basePath, generatedAt) })

/** A page of the Library, which counts where other lists name a cursor. */
export function libraryPageText({ items, nextOffset, members }: LibraryPage, url: URL, basePath: string): string {
  const onwards = new URL(url)
  if (nextOffset !== null) onwards.searchParams.set("offset", String(nextOffset))
  return writeJson({
    schemaVersion: schemaVersions.library,
    ...members,
    items,
    hasMore: nextOffset !== null,
    nextOffset,
    links: {
      self: `${basePath}${url.pathname}${url.search}`,
      next: nextOffset === null ? null : `${basePath}${onwards.pathname}${onwards.search}`,
    },
  })
}

/** The refusal envelope as it is sent. What a client sent wrongly may be named in it, but no token is ever shown back. */
export const refusalText = (refusal: Refusal, family: Family): string => withoutTokens(writeJson(refusal.envelope(family)))

/** The refusal envelope of the interface, with `Retry-After` where a time is known. */
export function refused(refusal: Refusal, family: Family): HTTPResponse {
  const { retryAfter, headers } = refusal.details
  return json(refusalText(refusal, family), refusal.status, {
    ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
    ...(refusal.status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...headers,
  })
}
