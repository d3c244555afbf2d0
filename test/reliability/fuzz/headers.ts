/** Attack: headers. Refused ones must be refused cleanly, all others must not change the answer. */
import fc from "fast-check"
import { sessionCookie } from "../../../src/contract/operations/actions.ts"
import { askedAny, smallBody } from "./asking.ts"
import type { Ground } from "./ground.ts"
import { marker } from "./judge.ts"
import { bytesOf, type Shot, shot } from "./shot.ts"
import { targets } from "./targets.ts"

interface Change {
  readonly name: string
  readonly change: (lines: readonly string[]) => readonly string[]
  /** Whether HTTP still allows the request and Node reads it. */
  readonly isSound: boolean
}

const adding = (...added: string[]): Change => ({
  name: added[0]?.slice(0, 40) ?? "",
  change: (lines) => [...lines, ...added],
  isSound: true,
})
const breaking = (...added: string[]): Change => ({ ...adding(...added), isSound: false })
const instead = (name: string, ...added: string[]): Change => ({
  name: `in place of ${name}: ${added[0]?.slice(0, 40) ?? "nothing"}`,
  change: (lines) => [...lines.filter((line) => !line.toLowerCase().startsWith(`${name.toLowerCase()}:`)), ...added],
  isSound: true,
})
const loosely = (change: Change): Change => ({ ...change, isSound: false })

/** Characters of headers that are certainly read; beyond, two long ones together may be refused. */
const MOST_HEAD = 14_000

/** Tokens that differ slightly from `token`. */
function mistyped(token: string): string[] {
  const prefix = token.slice(0, 4)
  const turned = (at: number) => `${token.slice(0, at)}${token[at] === "a" ? "b" : "a"}${token.slice(at + 1)}`
  return [
    turned(5),
    turned(20),
    turned(token.length - 1),
    token.toUpperCase(),
    token.slice(0, -1),
    `${token}x`,
    `${token}${token}`,
    prefix,
    `${prefix}${"0".repeat(36)}`,
    `${prefix}${"a".repeat(4_000)}`,
    `${prefix === "rrc_" ? "rrk_" : "rrc_"}${token.slice(4)}`,
    `rru_${token.slice(4)}`,
    `${prefix}${"%00"}${token.slice(4)}`,
    `${token.slice(0, 10)}\u00e9${token.slice(11)}`,
    `${token.slice(0, 10)}' OR 1=1 --`,
    "null",
    "undefined",
    "__proto__",
  ]
}

function authorizations(token: string): Change[] {
  return [
    ...mistyped(token).map((each) => instead("authorization", `Authorization: Bearer ${each}`)),
    instead("authorization", `Authorization: bearer  ${token}`),
    instead("authorization", `Authorization: Bearer ${token} ${token}`),
    instead("authorization", `Authorization: Bearer ${token},Bearer ${token}`),
    instead("authorization", `Authorization: Basic ${Buffer.from(`ada:${token}`).toString("base64")}`),
    instead("authorization", `Authorization: ${token}`),
    instead("authorization", "Authorization: Bearer"),
    instead("authorization", "Authorization:"),
    instead("authorization", `Authorization: Bearer ${token}`, `Authorization: Bearer ${token}`),
    instead("authorization", "Authorization: Bearer nobody", `Authorization: Bearer ${token}`),
    instead("authorization", `authorization: Digest username="${marker}"`),
  ]
}

const own = "{own}"
const cookie = (...added: string[]): Change => {
  const change = instead("cookie", ...added)
  const ownOf = (lines: readonly string[]) =>
    lines.find((line) => line.startsWith("Cookie: "))?.slice("Cookie: ".length) ?? ""
  return { ...change, change: (lines) => change.change(lines).map((line) => line.replaceAll(own, ownOf(lines))) }
}

/** With the request's own cookie in place of `own`: another user's could be signed out by it. */
const cookies: readonly Change[] = [
  cookie(`Cookie: ${own}; ${own}`),
  cookie(`Cookie: a=b; ${own}`, `Cookie: ${sessionCookie}=nobody`),
  cookie(`Cookie: ${sessionCookie}=%00; ${sessionCookie}=%ff%fe`),
  cookie(`Cookie: ${sessionCookie}=%E0%A4%A`),
  cookie(`Cookie: ${sessionCookie}`),
  cookie("Cookie: __proto__=x; constructor=y; toString=z"),
  cookie(`Cookie: ${"a=b; ".repeat(2_000)}${own}`),
  cookie(`Cookie: ${sessionCookie}=${"x".repeat(8_000)}`),
  cookie("Cookie: ;;; = ;=;"),
]

function origins(baseUrl: string, host: string): Change[] {
  const others = [
    "null",
    "",
    "http://evil.example",
    `${baseUrl}/`,
    `${baseUrl}.evil.example`,
    baseUrl.toUpperCase(),
    `https://${host}`,
    "http://127.0.0.1",
    "*",
    "file://",
  ]
  return [
    ...others.map((each) => instead("origin", `Origin: ${each}`)),
    instead("origin", `Origin: ${baseUrl}`, "Origin: http://evil.example"),
    instead("origin", `Origin: ${baseUrl}`),
    adding("Sec-Fetch-Site: cross-site", "Referer: http://evil.example/"),
  ]
}

function hosts(host: string): Change[] {
  const others = [
    "evil.example",
    "localhost",
    "LOCALHOST:1",
    "[::1]:80",
    "127.0.0.1.evil.example",
    "127.0.0.1:99999",
    "0.0.0.0",
    "127.1",
    "",
    `${host}@evil.example`,
    `evil.example#${host}`,
    "a".repeat(4_000),
    marker,
    "[",
    "127.0.0.1:8787/x",
    "\u00e9.example",
  ]
  return [
    ...others.map((each) => loosely(instead("host", `Host: ${each}`))),
    loosely(instead("host", `Host: ${host}`, `Host: ${host}`)),
    loosely(instead("host", `Host: ${host}`, "Host: evil.example")),
    adding(
      "X-Forwarded-Host: evil.example",
      "X-Forwarded-Proto: https",
      "X-Forwarded-For: 10.0.0.1, unknown",
      "X-Forwarded-Prefix: //evil.example",
    ),
    adding(
      "Forwarded: for=_x;host=evil.example;proto=https",
      "X-Real-IP: ::1",
      "X-Original-URL: /api/manifest",
      "X-Rewrite-URL: /",
    ),
    adding("X-HTTP-Method-Override: DELETE", "X-Method-Override: DELETE"),
  ]
}

const rest: readonly Change[] = [
  adding("Connection: close, Authorization"),
  adding("Connection: keep-alive, Host, Content-Length"),
  adding("Keep-Alive: timeout=100000, max=0"),
  adding("Expect: 100-continue"),
  breaking("Expect: 200-ok"),
  loosely(
    adding(
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
      "Sec-WebSocket-Version: 13",
    ),
  ),
  loosely(adding("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__")),
  adding("Accept: text/html"),
  adding(`Accept: ${"text/html;q=0.1, ".repeat(300)}*/*`),
  adding(
    "Accept-Encoding: gzip, br, identity;q=0",
    "Accept-Language: xx-\u00ff",
    "If-None-Match: *",
    "If-Modified-Since: never",
    "Range: bytes=0-0, -1",
  ),
  adding("TE: trailers, deflate", "Trailer: Content-Length"),
  adding("Via: 1.1 a, 1.1 b", "Max-Forwards: 0", "Proxy-Authorization: Basic eDp5", "Proxy-Connection: keep-alive"),
  adding("__proto__: x", "constructor: y", "toString: z", "hasOwnProperty: w"),
  adding(`X-Long: ${"x".repeat(12_000)}`),
  adding(...Array.from({ length: 900 }, (_, index) => `X-${index}: ${index}`)),
  breaking(`X-Too-Long: ${"x".repeat(20_000)}`),
  breaking(...Array.from({ length: 4_000 }, (_, index) => `X-${index}: y`)),
  breaking(`${"X".repeat(40_000)}: y`),
  breaking("X-Fold: a\r\n b", "X-Tab: a\r\n\tb"),
  breaking("X-Nul: a\u0000b"),
  breaking("X-Bell: a\u0007b"),
  breaking("X-CR: a\rb"),
  breaking("X Space: a"),
  breaking("X-Space : a"),
  breaking(": no name"),
  breaking("no colon"),
  breaking("\u00e9: a"),
  breaking("X-LF: a\nX-Smuggled: b"),
  adding("X-High: \u00e9\u00ff"),
]

/** Every route, with one or two of these. */
export function headers(ground: Ground): fc.Arbitrary<Shot> {
  const token = ground.proofs.credential[0] as string
  const changes = fc.oneof(
    fc.constantFrom(...authorizations(token), ...authorizations(ground.proofs.key[0] as string)),
    fc.constantFrom(...cookies),
    fc.constantFrom(...origins(ground.baseUrl, ground.host)),
    fc.constantFrom(...hosts(ground.host)),
    fc.constantFrom(...rest),
  )
  return askedAny(ground, targets).chain(({ target, path, lines }) =>
    fc.tuple(smallBody(target), fc.array(changes, { minLength: 1, maxLength: 2 })).map(([small, done]) => {
      const body = target.method === "GET" ? null : target.takesForm ? "a=b" : (small ?? "{}")
      const type = target.takesForm ? "application/x-www-form-urlencoded" : "application/json"
      const typed = body === null ? [] : [`Content-Type: ${type}`]
      const changed = done.reduce((all, { change }) => change(all), [...lines, ...typed] as readonly string[])
      const isSound = done.every((each) => each.isSound) && changed.join().length < MOST_HEAD
      return shot({
        attack: `headers (${done.map(({ name }) => name).join("; ")}) at ${target.name}`,
        target,
        path,
        pieces: [bytesOf({ method: target.method, target: path, host: ground.host, headers: changed, body })],
        methods: [target.method],
        isSound,
        ending: isSound ? "keep" : "finish",
      })
    }),
  )
}
