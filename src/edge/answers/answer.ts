/** How answers leave: JSON with the headers every answer carries, pages in their envelope, refusals in theirs. */
import { createHash } from "node:crypto"
import { FastResponse } from "srvx"
import { JsonText, type Writable, writeJson, isObject } from "../../contract/json.ts"
import { isText, type MediaType, mediaTypeOf, type Read } from "../../contract/definitions/read.ts"
import type { Refusal } from "../../contract/refusals/refusal.ts"
import { type Family, schemaVersions } from "../../contract/versions.ts"
import { withoutTokens } from "../../log.ts"
import { type Found, isDownload, NamedText } from "../../ledger/reads/reading.ts"

/** An answer on its way out. Each layer can add to its header fields, whose names are in lower case. */
export class Answer {
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
  readonly status: number
  readonly headers: Record<string, string>
  /** It was made ready elsewhere: nothing is added to it, and nothing looked for in it. */
  readonly isReady: boolean

  constructor(
    body: Answer["body"],
    {
      status = 200,
      headers,
      isReady = false,
    }: { readonly status?: number; readonly headers: Readonly<Record<string, string>>; readonly isReady?: boolean },
  ) {
    this.body = body
    this.status = status
    this.headers = { ...headers }
    this.isReady = isReady
  }

  /** Adds to a field that is a list. */
  append(name: string, value: string): void {
    const { [name]: before } = this.headers
    this.headers[name] = before === undefined ? value : `${before}, ${value}`
  }

  /** As the server takes it, complete. A `Headers` object would cost as much as a small read. */
  get leaving(): Response {
    return new FastResponse(this.body, { status: this.status, headers: this.headers })
  }

  /** The same to a HEAD, whose body, where it is made while it is sent, was given back before. */
  get headOnly(): Response {
    return new FastResponse(null, { status: this.status, headers: this.headers })
  }
}

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
export const answer = (
  body: string | Uint8Array<ArrayBuffer>,
  type: string,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Answer => new Answer(body, { status, headers: { ...commonHeaders, "content-type": `${type}; charset=utf-8`, ...headers } })

/** Under which name a program keeps an answer. */
const asFile = (name: string) => ({ "content-disposition": `attachment; filename="${name.replace(/[^A-Za-z0-9._-]+/g, "-")}"` })

/** No proxy is to gather events before it passes them on. */
const asItComes = { "x-accel-buffering": "no" }

/** What is sent as it is made: a file to be kept, or events. */
export const download = (body: ReadableStream<Uint8Array>, type: MediaType, name: string | null): Answer =>
  new Answer(body, {
    headers: {
      ...commonHeaders,
      "content-type": isText(type) ? `${type}; charset=utf-8` : type,
      ...(name === null ? asItComes : asFile(name)),
    },
  })

/** A file that never changes under its name. */
export const asset = (body: Uint8Array<ArrayBuffer>, type: string, tag: string): Answer =>
  new Answer(body, {
    headers: { ...commonHeaders, "content-type": type, "cache-control": "public, max-age=31536000, immutable", etag: tag },
  })

/** What tells an answer from another of the same address; weak, for it is one for all encodings. */
export const tagOf = (content: string | Uint8Array): string =>
  `W/"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`

/** An answer of JSON text. */
export const json = (text: string, status = 200, headers?: Readonly<Record<string, string>>): Answer =>
  answer(text, "application/json", status, headers)

/** Where and when a read was asked. */
export interface Place {
  /** The read as it was asked, below the base path. */
  readonly url: URL
  readonly basePath: string
  /** Now, told where the answer says it. */
  readonly at: () => string
}

/** An object of the interface's first family, with its schema version. */
export const versioned = (value: { readonly [member: string]: Writable }): string =>
  writeJson({ schemaVersion: schemaVersions.research, ...value })

/** The envelope of the interface around what a reader found: the schema version of its family, and how a list goes on. */
export function enveloped(
  { family, cursor }: Pick<Read, "family" | "cursor">,
  found: { readonly [member: string]: Writable },
  { url, basePath, at }: Place,
): { readonly [member: string]: Writable } {
  const versioned = { schemaVersion: schemaVersions[family], ...found }
  if (cursor === null) return versioned
  const inLibrary = family === "library"
  const onwards = new URL(url)
  const next = inLibrary ? found.nextOffset : found.nextCursor
  onwards.searchParams.set(inLibrary ? "offset" : "after", String(next))
  return {
    ...versioned,
    ...(inLibrary ? {} : { generatedAt: at() }),
    links: {
      self: `${basePath}${url.pathname}${url.search}`,
      next: next === null ? null : `${basePath}${onwards.pathname}${onwards.search}`,
    },
  }
}

/** What a reader found, as it is answered. */
export function answerFound(definition: Read, format: unknown, found: Found, place: Place): Answer {
  if (typeof found === "string") return answer(found, mediaTypeOf(definition, format))
  if (found instanceof NamedText) return answer(found.text, mediaTypeOf(definition, format), 200, asFile(found.name))
  if (found instanceof JsonText) return json(found.text)
  if (isDownload(found)) return download(found.bytes, mediaTypeOf(definition, format), found.name)
  const whole = enveloped(definition, found, place)
  const { links } = whole
  const next = isObject(links) && "next" in links ? links.next : null
  return json(writeJson(whole), 200, definition.cursor === null || typeof next !== "string" ? {} : { link: `<${next}>; rel="next"` })
}

/** The refusal envelope as it is sent. What a client sent wrongly may be named in it, but no token is ever shown back. */
export const refusalText = (refusal: Refusal, family: Family): string => withoutTokens(writeJson(refusal.envelope(family)))

/** The refusal envelope of the interface, with `Retry-After` where a time is known. */
export function refused(refusal: Refusal, family: Family): Answer {
  const { retryAfter, headers } = refusal.details
  return json(refusalText(refusal, family), refusal.status, {
    ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
    ...(refusal.status === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...headers,
  })
}
