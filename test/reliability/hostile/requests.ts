/** Requests that cost as much as their sender can make them cost: what the edge has to bear, by name, for tests and long proofs. */
import { limits } from "../../../src/contract/limits.ts"
import { freshId } from "../../support/bodies.ts"

export interface HostileRequest {
  /** What is costly about it. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Where they are sent, and as whom. */
export interface HostileGround {
  readonly baseUrl: string
  /** A Room credential and a personal key; left out, nobody's are sent. */
  readonly token?: string
  readonly key?: string
  readonly threadId: string
}

const most = limits.requestBodyBytes - 64

/** `text` as often as fits into a body, between `before` and `after`. */
const filled = (before: string, text: string, after: string): string =>
  before + text.repeat(Math.floor((most - before.length - after.length) / text.length)) + after

/** Bodies of the greatest size that a route reads, by what is costly about them; none of them is a write. */
export const hostileBodies: Readonly<Record<string, () => string>> = {
  "lists without end": () => "[".repeat(most),
  "objects without end": () => filled("", '{"a":', ""),
  "a list of empty objects": () => filled("[", "{},", "{}]"),
  "a list of nothing": () => filled("[", "0,", "0]"),
  "names without number": () => `{${Array.from({ length: 60_000 }, (_, index) => `"name${index}":0`).join(",")}}`,
  "one name again and again": () => filled("{", '"a":0,', '"a":0}'),
  "a name as long as the body": () => `{"${"n".repeat(most - 100)}":[-0,-0,-0]}`,
  "numbers beyond a double": () => filled("[", "9007199254740993,", "0]"),
  "numbers with exponents": () => filled("[", "1e-400,", "0]"),
  "a number of a million digits": () => `[0.${"1".repeat(most - 8)}]`,
  "escapes without end": () => filled('{"text":"', "\\u0061", '"}'),
  "quotes in a string": () => filled('{"text":"', '\\"', '"}'),
  "white space": () => filled("{", " ", "}"),
  "a string that does not end": () => `{"text":"${"x".repeat(most - 20)}`,
  "a text as long as may be": () => `{"schemaVersion":3,"clientMessageId":"${freshId()}","text":"${"x".repeat(most - 100)}"}`,
  "no UTF-8": () => `{"text":"${"\u00ff".repeat(most / 2)}`,
  "no JSON": () => "junk ".repeat(most / 5),
}

/** The routes that take bodies, each in the way in which it lets its caller come as far as the body. */
function doors({ baseUrl, token, key, threadId }: HostileGround): Pick<HostileRequest, "method" | "path" | "headers">[] {
  const json = { "content-type": "application/json" }
  const page = { origin: new URL(baseUrl).origin }
  const form = { ...page, "content-type": "application/x-www-form-urlencoded" }
  const bearer = (secret: string | undefined) => (secret === undefined ? {} : { authorization: `Bearer ${secret}` })
  const post = (path: string, headers: Record<string, string>) => ({ method: "POST", path, headers })
  return [
    post(`/api/agent/threads/${threadId}/messages`, { ...json, ...bearer(token) }),
    post("/api/agent/research/register_attempt", { ...json, ...bearer(token) }),
    post("/api/agent/library/save_papers", { ...json, ...bearer(key) }),
    post("/api/session", { ...json, ...page }),
    post("/api/setup", { ...json, ...page }),
    post("/api/rooms", { ...json, ...page }),
    post("/web/sign-in", form),
    post("/web/post_message", form),
  ]
}

/** Each body at each door. */
export function* hostileRequests(ground: HostileGround): Generator<HostileRequest> {
  for (const [name, body] of Object.entries(hostileBodies)) {
    const made = body()
    for (const door of doors(ground)) yield { name: `${name}, at ${door.path}`, ...door, body: made }
  }
}

/** The bytes of a request whose body stops `missing` bytes before its end, announced or in chunks; `sent` bytes of it are there. */
export function halfSent({ method, path, headers }: HostileRequest, host: string, sent = 990_000, chunked = false): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const length = chunked ? "Transfer-Encoding: chunked" : `Content-Length: ${sent + 1}`
  const body = chunked ? `${sent.toString(16)}\r\n${" ".repeat(sent)}\r\n` : " ".repeat(sent)
  return [`${method} ${path} HTTP/1.1`, `Host: ${host}`, ...lines, length, "", body].join("\r\n")
}
