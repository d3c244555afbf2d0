/** How answers leave: JSON with the headers every answer carries, pages in their envelope, refusals in theirs. */
import { HTTPResponse } from "h3"
import { extendJson, type Writable, writeJson } from "../contract/json.ts"
import { researchSchemaVersion } from "../contract/operation.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { Page } from "../ledger/paging.ts"

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
  extendJson(writeJson({ schemaVersion: researchSchemaVersion }), value)

/** The page envelope of the interface. `url` is the read as it was asked, below the base path. */
export function pageText(page: Page, url: URL, basePath: string, generatedAt: string): string {
  const self = `${basePath}${url.pathname}${url.search}`
  const onwards = new URL(url)
  if (page.nextCursor !== null) onwards.searchParams.set("after", String(page.nextCursor))
  return writeJson({
    schemaVersion: researchSchemaVersion,
    items: page.items,
    nextCursor: page.nextCursor,
    hasMore: page.hasMore,
    generatedAt,
    links: { self, next: page.nextCursor === null ? null : `${basePath}${onwards.pathname}${onwards.search}` },
  })
}

/** The refusal envelope of the interface, with `Retry-After` where a time is known. */
export function refused(refusal: Refusal, schemaVersion: number = researchSchemaVersion): HTTPResponse {
  const { retryAfter, headers } = refusal.details
  return json(writeJson(refusal.envelope(schemaVersion)), refusal.status, {
    ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
    ...(refusal.code === "not_authenticated" ? { "www-authenticate": "Bearer" } : {}),
    ...headers,
  })
}
