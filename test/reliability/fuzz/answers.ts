/** Parses HTTP/1.1 answers from bytes, strictly: the framing of an answer is judged too. */

export interface Answer {
  readonly status: number
  /** In order of arrival, names in lower case; a name may be repeated. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

/** What the bytes begin with: an answer, part of one, or something else. */
export type Front =
  | { readonly answer: Answer; readonly rest: Buffer }
  | { readonly more: true }
  | { readonly fault: string }

const more: Front = { more: true }
const fault = (why: string): Front => ({ fault: why })

export const headerOf = (answer: Answer, name: string): string | null =>
  answer.headers.find(([each]) => each === name)?.[1] ?? null

function headersIn(lines: readonly string[]): [string, string][] | null {
  const headers: [string, string][] = []
  for (const line of lines) {
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(line)
    if (match === null) return null
    headers.push([(match[1] as string).toLowerCase(), (match[2] as string).trim()])
  }
  return headers
}

/** A body in chunks. */
function dechunked(bytes: Buffer): { body: Buffer; rest: Buffer } | "more" | "fault" {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const end = bytes.indexOf("\r\n", at)
    if (end < 0) return bytes.length - at > 20 ? "fault" : "more"
    const size = bytes.toString("latin1", at, end)
    if (!/^[0-9a-f]+$/i.test(size)) return "fault"
    const from = end + 2
    const to = from + Number.parseInt(size, 16)
    if (bytes.length < to + 2) return "more"
    if (bytes[to] !== 13 || bytes[to + 1] !== 10) return "fault"
    if (to === from) return { body: Buffer.concat(parts), rest: bytes.subarray(to + 2) }
    parts.push(bytes.subarray(from, to))
    at = to + 2
  }
}

/**
 * The first answer in `bytes`.
 * @param method of the request it answers: to HEAD there is no body, whatever its headers say
 * @param over nothing more will come
 */
export function readAnswer(bytes: Buffer, method: string, over: boolean): Front {
  const end = bytes.indexOf("\r\n\r\n")
  if (end < 0)
    return over
      ? fault(`the answer ends within its head: ${JSON.stringify(bytes.toString("latin1").slice(0, 200))}`)
      : more
  const [statusLine = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n")
  const status = Number(/^HTTP\/1\.1 ([1-5][0-9]{2}) [\x20-\x7e]*$/.exec(statusLine)?.[1])
  if (Number.isNaN(status)) return fault(`no status line: ${JSON.stringify(statusLine.slice(0, 200))}`)
  const headers = headersIn(lines)
  if (headers === null)
    return fault(`a header of the answer is malformed: ${JSON.stringify(lines.join("\n").slice(0, 300))}`)
  const rest = bytes.subarray(end + 4)
  // An interim answer says only that the other one is coming.
  if (status < 200) return readAnswer(rest, method, over)
  const all = (name: string) => headers.filter(([each]) => each === name).map(([, value]) => value)
  const [lengths, codings] = [all("content-length"), all("transfer-encoding")]
  if (lengths.length + codings.length > 1)
    return fault(`two framings in one answer: ${[...lengths, ...codings].join(", ")}`)
  const done = (body: Buffer, after: Buffer): Front => ({ answer: { status, headers, body }, rest: after })
  if (method === "HEAD" || status === 204 || status === 304) return done(Buffer.alloc(0), rest)
  if (codings.length === 1) {
    const read = dechunked(rest)
    if (read === "fault" || (read === "more" && over))
      return fault("the chunks of the answer are malformed, or cut short")
    return read === "more" ? more : done(read.body, read.rest)
  }
  const length = lengths[0] === undefined ? null : Number(lengths[0])
  if (length === null) return over ? done(rest, Buffer.alloc(0)) : more
  if (!Number.isInteger(length) || length < 0) return fault(`content-length: ${lengths[0]}`)
  if (rest.length < length) return over ? fault(`${rest.length} of ${length} announced bytes came`) : more
  return done(rest.subarray(0, length), rest.subarray(length))
}
