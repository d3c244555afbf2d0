/**
 * Finishes a public response: compresses it if the client accepts that, answers 304 if the client already has it, and
 * adds the CORS headers if pages of other origins may read it.
 *
 * Nothing else is compressed. The length of a compressed response reveals what it contains beside text that an attacker
 * placed in it (BREACH), so a response for one person, agent or session goes out uncompressed.
 */
import { getCookie, type H3Event } from "h3"
import { sessionCookie } from "../../contract/operations/actions.ts"
import { Answer } from "./answer.ts"
import { type Compressor, encodingFor } from "./compression.ts"

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
