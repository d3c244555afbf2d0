/**
 * Finishes a public response: compresses it if the client accepts that, answers 304 if the client already has it, and
 * adds the CORS headers if pages of other origins may read it.
 *
 * Nothing else is compressed. The length of a compressed response reveals what it contains beside text that an attacker
 * placed in it (BREACH), so a response for one person, agent or session goes out uncompressed.
 */
import { getCookie, type H3Event } from "h3"
import { promisify } from "node:util"
import { Duplex } from "node:stream"
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib"
import { sessionCookie } from "../../contract/operations/actions.ts"
import { Answer } from "./answer.ts"
import { BoundedCache } from "../../renderer/renderer.ts"

// Compresses responses on Node's thread pool.

export type Encoding = "br" | "gzip"
type Bytes = Buffer<ArrayBuffer>

/** The most bytes being compressed at a time. Beyond that, responses go out uncompressed and wait for no thread. */
const IN_PROGRESS = 16_000_000
/** The most bytes in the cache of compressed responses that never change. */
const CACHED = 8_000_000

const { BROTLI_PARAM_QUALITY: QUALITY, BROTLI_PARAM_LGWIN: WINDOW, BROTLI_PARAM_SIZE_HINT: SIZE } = constants
/** A window of 256 KiB suffices for short responses, and each stream allocates one. */
const brotli = (quality: number, size: number) => ({ params: { [QUALITY]: quality, [WINDOW]: 18, [SIZE]: size } })
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
    return Duplex.toWeb(encoding === "br" ? createBrotliCompress(brotli(4, 0)) : createGzip())
  }

  #fits = ({ length }: Uint8Array): boolean => this.#inProgress + length <= IN_PROGRESS

  async #compress(bytes: Uint8Array, encoding: Encoding, isCached: boolean): Promise<Bytes> {
    this.#inProgress += bytes.length
    try {
      if (encoding === "br") return asBrotli(bytes, brotli(isCached ? 9 : 4, bytes.length))
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
