/** How answers leave: JSON with the headers every answer carries, pages in their envelope, refusals in theirs. */
import { HTTPResponse } from "h3"
import { extendJson, type Writable, writeJson } from "../contract/json.ts"
import type { Refusal } from "../contract/refusals.ts"
import { schemaVersions } from "../contract/versions.ts"
import type { ColumnPage, Page } from "../ledger/paging.ts"

/** On every answer, pages and errors alike. */
export const commonHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
}

/** An answer of some media type. */
export const answer = (body: string, type: string, status = 200, headers: Readonly<Record<string, string>> = {}): HTTPResponse =>
  new HTTPResponse(body, { status, headers: { ...commonHeaders, "content-type": `${type}; charset=utf-8`, ...headers } })

/** An answer of JSON text. */
export const json = (text: string, status = 200, headers?: Readonly<Record<string, string>>): HTTPResponse => answer(text, "application/json", status, headers)

/** An object with its schema version, as most reads answer. */
export const versioned = (value: { readonly [member: string]: Writable }): string =>
  extendJson(writeJson({ schemaVersion: schemaVersions.research }), value)

/** What a page of any form carries besides its items. `url` is the read as it was asked, below the base path. */
function envelope({ nextCursor, hasMore }: Pick<Page, "nextCursor" | "hasMore">, url: URL, basePath: string, generatedAt: string) {
  const onwards = new URL(url)
  if (nextCursor !== null) onwards.searchParams.set("after", String(nextCursor))
  return {
    nextCursor,
    hasMore,
    generatedAt,
    links: { self: `${basePath}${url.pathname}${url.search}`, next: nextCursor === null ? null : `${basePath}${onwards.pathname}${onwards.search}` },
  }
}

/** The page envelope of the interface. */
export const pageText = (page: Page, url: URL, basePath: string, generatedAt: string): string =>
  writeJson({ schemaVersion: schemaVersions.research, items: page.items, ...envelope(page, url, basePath, generatedAt) })

/** A page of columns in the same envelope. */
export const columnPageText = (page: ColumnPage, url: URL, basePath: string, generatedAt: string): string =>
  writeJson({ schemaVersion: schemaVersions.research, ...page.members, ...envelope(page, url, basePath, generatedAt) })

/** The refusal envelope of the interface, with `Retry-After` where a time is known. */
export function refused(refusal: Refusal, schemaVersion: number = schemaVersions.research): HTTPResponse {
  const { retryAfter, headers } = refusal.details
  return json(writeJson(refusal.envelope(schemaVersion)), refusal.status, {
    ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
    ...(refusal.code === "not_authenticated" ? { "www-authenticate": "Bearer" } : {}),
    ...headers,
  })
}
