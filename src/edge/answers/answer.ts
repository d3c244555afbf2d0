/** Builds responses: JSON with the headers of every response, the envelopes of pages and of refusals. */
import { createHash } from "node:crypto"
import { FastResponse } from "srvx"
import { isObject, type JsonObject, JsonText, trusted, type Writable, writeJson } from "../../contract/json.ts"
import { isText, type MediaType, mediaTypeOf, type Read } from "../../contract/definitions/read.ts"
import type { Refusal } from "../../contract/refusals/refusal.ts"
import { type Family, schemaVersions } from "../../contract/service.ts"
import { withoutTokens } from "../../log.ts"
import { asMarkdown, MARKDOWN, SUFFIX } from "./as-markdown.ts"
import { type Found, isDownload, NamedText } from "../../ledger/reads/reading.ts"

/** A response that is still being built. Each layer can add headers, with names in lower case. */
export class Answer {
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
  readonly status: number
  readonly headers: Record<string, string>
  /** A reader thread finished it: no header is added and no text replaced. */
  readonly isReady: boolean
  /** Whether it says the same to everyone, at a route that answers only the caller. */
  readonly isForAll: boolean

  constructor(
    body: Answer["body"],
    {
      status = 200,
      headers,
      isReady = false,
      isForAll = false,
    }: {
      readonly status?: number
      readonly headers: Readonly<Record<string, string>>
      readonly isReady?: boolean
      readonly isForAll?: boolean
    },
  ) {
    this.body = body
    this.status = status
    this.headers = { ...headers }
    this.isReady = isReady
    this.isForAll = isForAll
  }

  /** Adds a value to a header that holds a list. */
  append(name: string, value: string): void {
    const { [name]: before } = this.headers
    this.headers[name] = before === undefined ? value : `${before}, ${value}`
  }

  /** The finished response. A `Headers` object would cost as much as a small read. */
  get leaving(): Response {
    return new FastResponse(this.body, { status: this.status, headers: this.headers })
  }

  /** The response to a HEAD request. A streamed body was already cancelled. */
  get headOnly(): Response {
    return new FastResponse(null, { status: this.status, headers: this.headers })
  }
}

/** The headers of every response, pages and errors included. */
export const commonHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
}

/** One year, for which a browser that connected over https connects only over https. */
const STRICT = "max-age=31536000"

/** The headers of every response of a service at this address: HSTS behind https. */
export const headersAt = (baseUrl: string): Readonly<Record<string, string>> =>
  baseUrl.startsWith("https:") ? { "strict-transport-security": STRICT } : {}

export const answer = (
  body: string | Uint8Array<ArrayBuffer>,
  type: string,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Answer =>
  new Answer(body, { status, headers: { ...commonHeaders, "content-type": `${type}; charset=utf-8`, ...headers } })

const asFile = (name: string) => ({
  "content-disposition": `attachment; filename="${name.replace(/[^A-Za-z0-9._-]+/g, "-")}"`,
})

/** Keeps proxies from buffering events. */
const unbuffered = { "x-accel-buffering": "no" }

/** A streamed response: a file to save, or events. */
export const download = (body: ReadableStream<Uint8Array>, type: MediaType, name: string | null): Answer =>
  new Answer(body, {
    headers: {
      ...commonHeaders,
      "content-type": isText(type) ? `${type}; charset=utf-8` : type,
      ...(name === null ? unbuffered : asFile(name)),
    },
  })

export const FOR_A_DAY = "public, max-age=86400"
const FOR_EVER = "public, max-age=31536000, immutable"

/** A file whose content never changes. @param cache how long it may be kept without asking again */
export const asset = (body: Uint8Array<ArrayBuffer>, type: string, tag: string, cache = FOR_EVER): Answer =>
  new Answer(body, {
    headers: {
      ...commonHeaders,
      "content-type": type,
      "cache-control": cache,
      etag: tag,
    },
  })

/** A weak ETag for content, the same for all encodings. */
export const tagOf = (content: string | Uint8Array): string =>
  `W/"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`

export const json = (text: string, status = 200, headers?: Readonly<Record<string, string>>): Answer =>
  answer(text, "application/json", status, headers)

/** The address and the time of a read. */
export interface Place {
  /** The URL of the read, without the base path. */
  readonly url: URL
  readonly basePath: string
  /** The present time; called only if the response states it. */
  readonly at: () => string
}

/** Writes an object of the research family as JSON, with its schema version. */
export const versioned = (value: { readonly [member: string]: Writable }): string =>
  writeJson({ schemaVersion: schemaVersions.research, ...value })

/**
 * Wraps a reader's result in the envelope: the schema version of its family, and for a list the links to this page and
 * the next.
 */
export function enveloped(
  { family, cursor }: Pick<Read, "family" | "cursor">,
  found: { readonly [member: string]: Writable },
  { url, basePath, at }: Place,
): { readonly [member: string]: Writable } {
  const versioned = { schemaVersion: schemaVersions[family], ...found }
  if (cursor === null) return versioned
  const inLibrary = family === "library"
  const nextUrl = new URL(url)
  const next = inLibrary ? found.nextOffset : found.nextCursor
  nextUrl.searchParams.set(inLibrary ? "offset" : "after", String(next))
  return {
    ...versioned,
    ...(inLibrary ? {} : { generatedAt: at() }),
    links: {
      self: `${basePath}${url.pathname}${url.search}`,
      next: next === null ? null : `${basePath}${nextUrl.pathname}${nextUrl.search}`,
    },
  }
}

/** A reader's result as Markdown, for a read without a form of its own. */
export function inMarkdown(
  definition: Read,
  found: JsonText | { readonly [member: string]: Writable },
  place: Place,
): string {
  const text = found instanceof JsonText ? found.text : writeJson(enveloped(definition, found, place))
  const { pathname, searchParams } = place.url
  const query = new URLSearchParams(searchParams)
  query.delete("format")
  const path = pathname.endsWith(SUFFIX) ? pathname.slice(0, -SUFFIX.length) : pathname
  return asMarkdown(definition, trusted<JsonObject>(text), `${place.basePath}${withQuery(path, query)}`)
}

const withQuery = (path: string, query: URLSearchParams): string => (query.size === 0 ? path : `${path}?${query}`)

/** The response for a reader's result. */
export function answerFound(definition: Read, format: unknown, found: Found, place: Place): Answer {
  if (typeof found === "string") return answer(found, mediaTypeOf(definition, format))
  if (found instanceof NamedText) return answer(found.text, mediaTypeOf(definition, format), 200, asFile(found.name))
  if (isDownload(found)) return download(found.bytes, mediaTypeOf(definition, format), found.name)
  if (format === "markdown") return answer(inMarkdown(definition, found, place), MARKDOWN)
  if (found instanceof JsonText) return json(found.text)
  const whole = enveloped(definition, found, place)
  const { links } = whole
  // At its end a feed has a cursor for a reader who returns. `Link` says what follows now, so it names nothing there.
  const next = isObject(links) && "next" in links && whole.hasMore !== false ? links.next : null
  return json(
    writeJson(whole),
    200,
    definition.cursor === null || typeof next !== "string" ? {} : { link: `<${next}>; rel="next"` },
  )
}

/** The refusal envelope as JSON. It may quote what the client sent, but never a token. */
export const refusalText = (refusal: Refusal, family: Family): string =>
  withoutTokens(writeJson(refusal.envelope(family)))

/** The headers of a refusal, with `Retry-After` if a time is known. */
export const refusalHeaders = ({ status, details: { retryAfter, headers } }: Refusal): Record<string, string> => ({
  ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
  ...(status === 401 && { "www-authenticate": "Bearer" }),
  ...headers,
})

/** The response for a refusal. */
export const refused = (refusal: Refusal, family: Family): Answer =>
  json(refusalText(refusal, family), refusal.status, refusalHeaders(refusal))
