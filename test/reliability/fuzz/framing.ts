/** Attack: where a request ends. Wrong lengths, chunks that do not add up, two requests in one, many at once. */
import fc from "fast-check"
import { limits } from "../../../src/contract/limits.ts"
import { asked, smallBody } from "./asking.ts"
import type { Ground } from "./ground.ts"
import { bytesOf, type Sent, type Shot, shot } from "./shot.ts"
import { type Target, targetsWith } from "./targets.ts"

const chunked = (
  body: string,
  sizes: (text: string) => string = (text) => Buffer.byteLength(text).toString(16),
): string => `${sizes(body)}\r\n${body}\r\n0\r\n\r\n`

const smuggled = "GET /api/health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Smuggled: y\r\n\r\n"

/** The header for the length of a body, and the bytes that follow. */
type Frame = readonly [name: string, lines: (body: string) => readonly string[], content: (body: string) => string]
const size = (body: string) => Buffer.byteLength(body)

const frames: readonly Frame[] = [
  ["length too short", (body) => [`Content-Length: ${Math.max(0, size(body) - 5)}`], (body) => body],
  ["length too long", (body) => [`Content-Length: ${size(body) + 5}`], (body) => body],
  ["length zero", () => ["Content-Length: 0"], (body) => body],
  ["length negative", () => ["Content-Length: -1"], (body) => body],
  ["length signed", (body) => [`Content-Length: +${size(body)}`], (body) => body],
  ["length in hex", () => ["Content-Length: 0x10"], (body) => body],
  ["length in fractions", () => ["Content-Length: 10.0"], (body) => body],
  ["length beyond counting", () => ["Content-Length: 99999999999999999999999"], (body) => body],
  ["length over the limit", () => [`Content-Length: ${limits.requestBodyBytes + 1}`], (body) => body],
  ["length far over the limit", () => ["Content-Length: 9007199254740991"], (body) => body],
  [
    "length twice the same",
    (body) => [`Content-Length: ${size(body)}`, `Content-Length: ${size(body)}`],
    (body) => body,
  ],
  ["length twice", (body) => [`Content-Length: ${size(body)}`, "Content-Length: 3"], (body) => body],
  ["length as a list", (body) => [`Content-Length: ${size(body)}, ${size(body)}`], (body) => body],
  ["length empty", () => ["Content-Length:"], (body) => body],
  ["no length", () => [], (body) => body],
  [
    "length and chunks",
    (body) => [`Content-Length: ${size(body)}`, "Transfer-Encoding: chunked"],
    (body) => chunked(body),
  ],
  [
    "chunks and a short length",
    () => ["Transfer-Encoding: chunked", "Content-Length: 3"],
    (body) => chunked(body) + smuggled,
  ],
  ["a length and a request inside", () => ["Content-Length: 0"], () => smuggled],
  ["chunks twice", () => ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], (body) => chunked(body)],
  ["chunks, then something else", () => ["Transfer-Encoding: chunked, identity"], (body) => chunked(body)],
  ["something else, then chunks", () => ["Transfer-Encoding: gzip, chunked"], (body) => chunked(body)],
  ["chunks misspelt", () => ["Transfer-Encoding: xchunked"], (body) => chunked(body)],
  ["chunks after a tab", () => ["Transfer-Encoding:\tchunked"], (body) => chunked(body)],
  ["chunks with a space before the colon", () => ["Transfer-Encoding : chunked"], (body) => chunked(body)],
  ["chunk size negative", () => ["Transfer-Encoding: chunked"], (body) => chunked(body, () => "-1")],
  ["chunk size not a number", () => ["Transfer-Encoding: chunked"], (body) => chunked(body, () => "zz")],
  [
    "chunk size beyond counting",
    () => ["Transfer-Encoding: chunked"],
    (body) => chunked(body, () => "fffffffffffffffffff"),
  ],
  [
    "chunk size too large",
    () => ["Transfer-Encoding: chunked"],
    (body) => chunked(body, (text) => (size(text) + 9).toString(16)),
  ],
  ["chunk size too small", () => ["Transfer-Encoding: chunked"], (body) => chunked(body, () => "3")],
  [
    "chunk size with zeros before",
    () => ["Transfer-Encoding: chunked"],
    (body) => chunked(body, (text) => `${"0".repeat(500)}${size(text).toString(16)}`),
  ],
  [
    "chunk extensions",
    () => ["Transfer-Encoding: chunked"],
    (body) => chunked(body, (text) => `${size(text).toString(16)};a="${"b".repeat(200)}"`),
  ],
  [
    "chunk extensions without end",
    () => ["Transfer-Encoding: chunked"],
    (body) => chunked(body, (text) => `${size(text).toString(16)};${"a".repeat(100_000)}`),
  ],
  [
    "chunk ended by a line feed",
    () => ["Transfer-Encoding: chunked"],
    (body) => `${size(body).toString(16)}\n${body}\n0\n\n`,
  ],
  [
    "trailers",
    () => ["Transfer-Encoding: chunked"],
    (body) => `${size(body).toString(16)}\r\n${body}\r\n0\r\nAuthorization: Bearer x\r\nContent-Length: 3\r\n\r\n`,
  ],
  [
    "trailers without end",
    () => ["Transfer-Encoding: chunked"],
    (body) => `${size(body).toString(16)}\r\n${body}\r\n0\r\n${"X-T: y\r\n".repeat(5_000)}\r\n`,
  ],
  ["no last chunk", () => ["Transfer-Encoding: chunked"], (body) => `${size(body).toString(16)}\r\n${body}\r\n`],
  [
    "over the limit in chunks",
    () => ["Transfer-Encoding: chunked"],
    (body) => chunked(body).slice(0, -5) + chunked(" ".repeat(limits.requestBodyBytes)),
  ],
]

/** Invalid requests. */
const noRequests: readonly string[] = [
  "\r\n\r\n\r\n",
  "GET\r\n\r\n",
  "GET /\r\n\r\n",
  "GET / HTTP/0.9\r\n\r\n",
  "GET / HTTP/1.0\r\n\r\n",
  "GET / HTTP/1.1\r\n\r\n",
  "GET / HTTP/2.0\r\nHost: 127.0.0.1\r\n\r\n",
  "GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
  "GET / HTTP/1.1x\r\nHost: 127.0.0.1\r\n\r\n",
  "GET / HTTP/1.1\nHost: 127.0.0.1\n\n",
  "GET  /  HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
  "GET\t/\tHTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
  " GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
  "GET / HTTP/1.1\r\n Host: 127.0.0.1\r\n\r\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
  "SSH-2.0-OpenSSH_9.9\r\n",
  "EHLO evil.example\r\n",
  "*1\r\n$4\r\nPING\r\n",
  "\u0000\u0000\u0000\u0000",
  "<html>",
  "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
  "a".repeat(100_000),
]

const broken = (attack: string, target: Target | null, pieces: readonly Buffer[], count: number): Shot =>
  shot({
    attack,
    target,
    path: null,
    pieces,
    methods: Array.from({ length: count }, () => target?.method ?? "GET"),
    isSound: false,
    ending: "finish",
  })

/** A request with a wrong length. */
const lying = (ground: Ground, target: Target): fc.Arbitrary<Shot> =>
  fc
    .tuple(asked(ground, target), smallBody(target), fc.constantFrom(...frames))
    .map(([{ path }, small, [name, lines, content]]) => {
      const body = small ?? "{}"
      const headers = [`Authorization: Bearer ${ground.uncertain}`, "Content-Type: application/json", ...lines(body)]
      const head = bytesOf({ method: target.method, target: path, host: ground.host, headers })
      return broken(`framing (${name}) at ${target.name}`, target, [head, Buffer.from(content(body))], 1)
    })

/** Several valid requests in one write, whose answers must come in order. */
const pipelined = (ground: Ground, all: readonly Target[]): fc.Arbitrary<Shot> =>
  fc
    .array(fc.oneof(...all.map((target) => asked(ground, target).map((made) => ({ ...made, target })))), {
      minLength: 2,
      maxLength: 30,
    })
    .map((made) => {
      const sent = made.map(
        ({ target, path, lines }): Sent => ({ method: target.method, target: path, host: ground.host, headers: lines }),
      )
      return shot({
        attack: `framing (${made.length} requests in a row)`,
        target: null,
        path: null,
        pieces: [Buffer.concat(sent.map(bytesOf))],
        methods: sent.map(({ method }) => method),
        isSound: true,
        ending: "keep",
      })
    })

export function framing(ground: Ground): fc.Arbitrary<Shot> {
  const writes = targetsWith(({ caller, body }) => caller === "credential" && body !== null)
  const reads = targetsWith(
    ({ method, caller, path }) => method === "GET" && caller === "anyone" && !path.includes("export"),
  )
  return fc.oneof(
    { weight: 6, arbitrary: fc.oneof(...writes.map((target) => lying(ground, target))) },
    { weight: 2, arbitrary: pipelined(ground, reads) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(...noRequests)
        .map((text) => broken("framing (no request)", null, [Buffer.from(text, "latin1")], 1)),
    },
    {
      weight: 1,
      arbitrary: fc
        .uint8Array({ minLength: 1, maxLength: 300 })
        .map((bytes) => broken("framing (noise)", null, [Buffer.from(bytes)], 1)),
    },
  )
}
