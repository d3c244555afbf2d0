/**
 * What an answer that anybody may have gets on its way out: compressed where that is asked for, told apart from an earlier one by
 * its `ETag`, and, where pages of other origins may read it, the headers that let them.
 *
 * Nothing else is compressed. The length of a compressed answer tells what it holds beside what an attacker had put into it
 * (BREACH), so what is made for one person, agent or session goes out as it is.
 */
import { getCookie, type H3Event } from "h3"
import { sessionCookie } from "../../contract/operations/actions.ts"
import { Answer } from "./answer.ts"
import { type Compressor, encodingFor } from "./compression.ts"

/**
 * Whom an answer is for: `everywhere`, anybody and their pages of whatever origin; `here`, anybody, the same for all of them;
 * `visitors`, the same for all who bring no session. Left out, the caller alone.
 */
export type Open = "everywhere" | "here" | "visitors"

/** What is known of a route before it is answered. */
export interface PublicRoute {
  /** As the registry writes it. */
  readonly path: string
  /** Whom its answers are for. */
  readonly open: Open | undefined
}

/** Below this an answer fits in a packet as it is. */
const WORTHWHILE = 1_024
/** Texts; fonts and zip files are compressed already, and events must not wait for more. */
const TEXT = /^(?:text\/(?!event-stream)|image\/svg|application\/(?:json|xml|yaml|x-bibtex|x-ndjson|[a-z.-]+\+(?:json|xml))\b)/

/** What a page of another origin may ask a public read with, and see of its answer. */
export const anyOrigin = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "content-disposition, etag, link, retry-after, x-request-id",
}
const preflight = {
  "access-control-allow-methods": "GET, HEAD",
  "access-control-allow-headers": "accept, content-type, if-none-match",
  "access-control-max-age": "86400",
}

/** Whether one of the tags that a client holds is that of the answer. Tags are weak: one for all encodings. */
const isHeld = (held: string | null, tag: string): boolean =>
  held !== null && (held.trim() === "*" || held.split(",").some((each) => each.trim().replace(/^W\//, "") === tag.replace(/^W\//, "")))

/** Without its body, its other headers kept; a client that has the same needs no more. */
function unchanged({ headers, body }: Answer): Answer {
  const { "content-type": _type, "content-disposition": _name, ...kept } = headers
  if (body instanceof ReadableStream) void body.cancel()
  return new Answer(null, { status: 304, headers: kept })
}

/** Gives an answer what its openness asks for. */
export async function opened(open: Open | undefined, event: H3Event, answer: Answer, compressor: Compressor): Promise<Answer> {
  if (open === undefined) return answer
  const { headers } = answer
  if (open === "everywhere") Object.assign(headers, anyOrigin)
  const { etag: tag = null } = headers
  if (!TEXT.test(headers["content-type"] ?? ""))
    return tag !== null && isHeld(event.req.headers.get("if-none-match"), tag) ? unchanged(answer) : answer
  if (open === "visitors" && (getCookie(event, sessionCookie) !== undefined || headers["set-cookie"] !== undefined)) return answer
  answer.append("vary", "accept-encoding")
  if (tag !== null && isHeld(event.req.headers.get("if-none-match"), tag)) return unchanged(answer)
  const { body, status } = answer
  if (!(body instanceof ReadableStream) && (body === null || body.length < WORTHWHILE)) return answer
  const encoding = encodingFor(event.req.headers.get("accept-encoding"))
  if (encoding === null) return answer
  const compressed = (smaller: Answer["body"]) => new Answer(smaller, { status, headers: { ...headers, "content-encoding": encoding } })
  if (body instanceof ReadableStream) {
    // The body of a HEAD is not sent.
    return compressed(event.req.method === "HEAD" ? null : body.pipeThrough(compressor.stream(encoding)))
  }
  const bytes = typeof body === "string" ? Buffer.from(body) : body
  const smaller = event.req.method === "HEAD" ? bytes : await compressor.compressed(bytes, encoding, tag)
  return smaller === null ? answer : compressed(smaller)
}

/** What a path says of itself when it is asked with OPTIONS; to a page of another origin, whether it may read there. */
export const described = (allow: string, open: Open | undefined, common: Readonly<Record<string, string>>): Answer =>
  new Answer(null, { status: 204, headers: { ...common, allow, ...(open === "everywhere" ? { ...anyOrigin, ...preflight } : {}) } })
