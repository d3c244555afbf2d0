/** Builds and finishes responses: JSON with the headers of every response, the envelopes of pages and of refusals. */
import { createHash } from "node:crypto"
import { FastResponse } from "srvx"
import { getCookie, type H3Event } from "h3"
import { promisify } from "node:util"
import { Duplex } from "node:stream"
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib"
import { isObject, type JsonObject, JsonText, trusted, type Writable, writeJson } from "../../contract/json.ts"
import { isText, type MediaType, mediaTypeOf, type Read } from "../../contract/definitions/read.ts"
import type { Refusal } from "../../contract/refusals.ts"
import { type Family, schemaVersions } from "../../contract/service.ts"
import { withoutTokens } from "../../log.ts"
import { asMarkdown, MARKDOWN, SUFFIX } from "./as-markdown.ts"
import { type Found, isDownload, NamedText } from "../../ledger/reads/reading.ts"
import { sessionCookie } from "../../contract/operations/actions.ts"
import { BoundedCache } from "../../renderer/renderer.ts"

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

// Finishes a public response: compresses it if the client accepts that, answers 304 if the client already has it, and
// adds the CORS headers if pages of other origins may read it.
//
// Nothing else is compressed. The length of a compressed response reveals what it contains beside text that an
// attacker placed in it (BREACH), so a response for one person, agent or session goes out uncompressed.

// Compresses responses on Node's thread pool.

export type Encoding = "br" | "gzip"
type Bytes = Buffer<ArrayBuffer>

/** The most bytes being compressed at a time. Beyond that, responses go out uncompressed and wait for no thread. */
const IN_PROGRESS = 16_000_000
/** The most bytes in the cache of compressed responses that never change. */
const CACHED = 8_000_000

const { BROTLI_PARAM_QUALITY: QUALITY, BROTLI_PARAM_LGWIN: WINDOW, BROTLI_PARAM_SIZE_HINT: SIZE } = constants
/**
 * The most bytes of a short response, such as a page. It is compressed at level 5 in a window of that size. In a wider
 * window that level has tables of 1 MiB, which are mapped anew each time: that took up to 0.4 ms more.
 */
const SHORT = 1 << 16
/** @param size 0 for a stream: each allocates a window, and 256 KiB suffice */
const brotli = (size: number, quality = size > 0 && size <= SHORT ? 5 : 4) => ({
  params: { [QUALITY]: quality, [WINDOW]: quality === 5 ? 16 : 18, [SIZE]: size },
})
const [asBrotli, asGzip] = [promisify(brotliCompress), promisify(gzip)]

/** The encoding to use for an `Accept-Encoding`: br if it ranks as high as gzip; null for neither. */
function encodingFor(accepted: string | null): Encoding | null {
  if (accepted === null) return null
  const weights = new Map<string, number>()
  for (const part of accepted.toLowerCase().split(",").slice(0, 20)) {
    const [name = "", ...parameters] = part.split(";").map((each) => each.trim())
    const weight = parameters.find((each) => each.startsWith("q="))
    if (name !== "") weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0)
  }
  const weightOf = (name: Encoding) => weights.get(name) ?? weights.get("*") ?? 0
  const best: Encoding = weightOf("br") >= weightOf("gzip") ? "br" : "gzip"
  return weightOf(best) > 0 && weightOf(best) >= (weights.get("identity") ?? 0) ? best : null
}

export class Compressor {
  #inProgress = 0
  /** Compressed responses that never change, by encoding and tag. */
  readonly #cache = new BoundedCache<Bytes>(CACHED, (_name, { length }) => length)
  readonly #pending = new Map<string, Promise<Bytes>>()

  /**
   * Compresses the bytes. @returns null if too much is in progress
   * @param tag the tag of a response that never changes: it is compressed once, at a higher level
   */
  async compressed(bytes: Uint8Array, encoding: Encoding, tag: string | null): Promise<Bytes | null> {
    if (tag === null) return this.#fits(bytes) ? this.#compress(bytes, encoding, false) : null
    const name = `${encoding} ${tag}`
    const known = this.#cache.get(name)
    if (known !== undefined) return known
    const pending = this.#pending.get(name)
    if (pending !== undefined) return pending
    if (!this.#fits(bytes)) return null
    const result = this.#compress(bytes, encoding, true).finally(() => this.#pending.delete(name))
    this.#pending.set(name, result)
    this.#cache.set(name, await result)
    return result
  }

  /** Compresses a streamed body. */
  stream(encoding: Encoding): ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array> {
    return Duplex.toWeb(encoding === "br" ? createBrotliCompress(brotli(0)) : createGzip())
  }

  #fits = ({ length }: Uint8Array): boolean => this.#inProgress + length <= IN_PROGRESS

  async #compress(bytes: Uint8Array, encoding: Encoding, isCached: boolean): Promise<Bytes> {
    this.#inProgress += bytes.length
    try {
      if (encoding === "br") return asBrotli(bytes, brotli(bytes.length, isCached ? 9 : undefined))
      return asGzip(bytes, { level: isCached ? 9 : 5 })
    } finally {
      this.#inProgress -= bytes.length
    }
  }
}

/**
 * Who may receive a response: `everywhere`, everybody, including pages of other origins; `here`, everybody, with the
 * same content; `visitors`, the same content for everybody without a session. Left out, only the caller.
 */
export type Open = "everywhere" | "here" | "visitors"

/** A route, as known before its handler runs. */
export interface PublicRoute {
  /** The path pattern from the registry. */
  readonly path: string
  readonly open: Open | undefined
}

/** A smaller response fits into one packet uncompressed. */
const WORTHWHILE = 1_024
/** Text types. Fonts and zip files are compressed already, and events must not be held back. */
const TEXT =
  /^(?:text\/(?!event-stream)|image\/svg|application\/(?:json|xml|yaml|x-bibtex|x-ndjson|[a-z.-]+\+(?:json|xml))\b)/

/** The CORS headers of a public read. */
export const anyOrigin = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "content-disposition, etag, link, retry-after, x-request-id",
}
const preflight = {
  "access-control-allow-headers": "accept, content-type, if-none-match",
  "access-control-max-age": "86400",
}

/** Whether the response's tag is among those that the client has. Tags are weak: the same for all encodings. */
const isHeld = (held: string, tag: string | null): boolean =>
  tag !== null &&
  (held.trim() === "*" || held.split(",").some((each) => each.trim().replace(/^W\//, "") === tag.replace(/^W\//, "")))

/** A 304 without body, for a client that already has the same content. */
function unchanged({ headers, body }: Answer): Answer {
  const { "content-type": _type, "content-disposition": _name, ...kept } = headers
  if (body instanceof ReadableStream) void body.cancel()
  return new Answer(null, { status: 304, headers: kept })
}

/** Applies the openness of its route to a response. */
export async function applyOpenness(
  open: Open | undefined,
  event: H3Event,
  answer: Answer,
  compressor: Compressor,
): Promise<Answer> {
  if (open === undefined) return answer
  const { headers } = answer
  if (open === "everywhere") Object.assign(headers, anyOrigin)
  const { etag: tag = null } = headers
  const isUnchanged = isHeld(event.req.headers.get("if-none-match") ?? "", tag)
  if (!TEXT.test(headers["content-type"] ?? "")) return isUnchanged ? unchanged(answer) : answer
  if (open === "visitors" && (getCookie(event, sessionCookie) !== undefined || headers["set-cookie"] !== undefined))
    return answer
  answer.append("vary", "accept-encoding")
  if (isUnchanged) return unchanged(answer)
  const { body, status } = answer
  if (!(body instanceof ReadableStream) && (body === null || body.length < WORTHWHILE)) return answer
  const encoding = encodingFor(event.req.headers.get("accept-encoding"))
  if (encoding === null) return answer
  const compressed = (smaller: Answer["body"]) =>
    new Answer(smaller, { status, headers: { ...headers, "content-encoding": encoding } })
  // The body of a HEAD is not sent.
  const isHead = event.req.method === "HEAD"
  if (body instanceof ReadableStream) return compressed(isHead ? null : body.pipeThrough(compressor.stream(encoding)))
  const bytes = typeof body === "string" ? Buffer.from(body) : body
  const smaller = isHead ? bytes : await compressor.compressed(bytes, encoding, tag)
  return smaller === null ? answer : compressed(smaller)
}

/** The response to OPTIONS: the methods allowed and, for pages of other origins, whether they may read. */
export const optionsAnswer = (
  allow: string,
  open: Open | undefined,
  common: Readonly<Record<string, string>>,
): Answer =>
  new Answer(null, {
    status: 204,
    headers: {
      ...common,
      allow,
      ...(open === "everywhere" && {
        ...anyOrigin,
        ...preflight,
        "access-control-allow-methods": allow.replace(/, OPTIONS$/, ""),
      }),
    },
  })
