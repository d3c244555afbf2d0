/** Attack: the request line. Ambiguous paths, ids of every wrong shape, unknown methods. */
import fc from "fast-check"
import { pathNames } from "../../../src/contract/definitions/operation.ts"
import { asked, askedAny, smallBody } from "./asking.ts"
import type { Ground } from "./ground.ts"
import { marker } from "./judge.ts"
import { bytesOf, type Shot, shot } from "./shot.ts"
import { type Target, targets, targetsWith } from "./targets.ts"

/** Values in place of an id; raw, since it is encoded where necessary. */
const odd: readonly string[] = [
  "",
  ".",
  "..",
  "%2e%2e",
  "%2F",
  "a%2Fb",
  "%252e%252e%252f",
  "%00",
  "a%00b",
  "%ff",
  "%C0%AF",
  "%E0%A4%A",
  "%",
  "%zz",
  "%u002e",
  "\\",
  "%5c..%5c",
  ";jsessionid=1",
  "*",
  "null",
  "undefined",
  "NaN",
  "-1",
  "0",
  "1e400",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "0198F3A0-0000-7000-8000-00000000DEAD",
  "0198f3a0-0000-0000-0000-00000000dead",
  "{0198f3a0-0000-7000-8000-00000000dead}",
  "urn:uuid:0198f3a0-0000-7000-8000-00000000dead",
  "0198f3a0-0000-7000-8000-00000000dead%20",
  "0198f3a0-0000-7000-8000-00000000dead%0a",
  "H1",
  "%27%20OR%201=1--",
  "%3Cfuzz%20onload=1%3E",
  "%F0%9F%98%80",
  "%ED%A0%80",
  "..%00/",
  "1706.03762v9999999999999",
  "hep-th%2F9711200",
  "hep-th/9711200",
  "9999.99999",
  "a".repeat(4_000),
  "%61".repeat(1_000),
  "/".repeat(200),
]

/** Changes to a path as a whole. */
const turns: readonly (readonly [name: string, turn: (path: string, host: string) => string, isSound: boolean])[] = [
  ["doubled slash", (path) => `/${path}`, true],
  ["doubled slashes", (path) => path.replaceAll("/", "//"), true],
  ["trailing slash", (path) => `${path}/`, true],
  ["trailing slashes", (path) => `${path}///`, true],
  ["trailing dot", (path) => `${path}.`, true],
  ["dots inside", (path) => path.replace(/\/([^/]+)/, "/$1/../$1"), true],
  ["encoded dots", (path) => path.replace(/\/([^/]+)/, "/$1/%2e%2e/$1"), true],
  ["up and out", () => "/../../../../../etc/passwd", true],
  ["up by encoding", () => "/assets/..%2f..%2f..%2fetc%2fpasswd", true],
  ["down into the data", () => "/assets/%2e%2e/%2e%2e/data/research-room.db", true],
  ["encoded slashes", (path) => `/${path.slice(1).replaceAll("/", "%2F")}`, true],
  ["encoded letters", (path) => path.replace(/[a-z]/g, (each) => `%${each.charCodeAt(0).toString(16)}`), true],
  ["encoded twice", (path) => path.replace(/[a-z]/g, (each) => `%25${each.charCodeAt(0).toString(16)}`), true],
  ["upper case", (path) => path.toUpperCase(), true],
  ["backslashes", (path) => path.replaceAll("/", "\\"), false],
  ["absolute form", (path, host) => `http://${host}${path}`, true],
  ["absolute form of another", (path) => `http://evil.example${path}`, true],
  ["absolute form of another scheme", (path, host) => `file://${host}${path}`, false],
  ["authority form", (_path, host) => host, false],
  ["asterisk", () => "*", false],
  ["no slash", (path) => path.slice(1), false],
  ["nothing", () => "", false],
  ["fragment", (path) => `${path}#/api/manifest`, false],
  ["query twice", (path) => `${path}??a=b?c`, true],
  ["semicolon", (path) => `${path};a=b`, true],
  ["a space inside", (path) => `${path} x`, false],
  ["raw letters", (path) => `${path}\u00e9\u00ff`, false],
  ["raw markup", (path) => `${path}${marker.replaceAll(" ", "/")}`, false],
  ["a NUL inside", (path) => `${path}\u0000`, false],
  ["a line end inside", (path) => `${path}%0d%0aX-Injected:%20y`, true],
  ["very long", (path) => `${path}/${"x".repeat(14_000)}`, true],
  ["too long", (path) => `${path}/${"x".repeat(40_000)}`, false],
  ["many parts", (path) => `${path}${"/x".repeat(5_000)}`, true],
  ["double host", (path) => `//evil.example${path}`, true],
]

const methods: readonly string[] = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "PROPFIND",
  "QUERY",
  "SEARCH",
  "PURGE",
  "LOCK",
  "M-SEARCH",
]
const brokenMethods: readonly string[] = [
  "PRI",
  "CONNECT",
  "get",
  "Post",
  "GETT",
  "FOO",
  "",
  "G\u0000T",
  "__proto__",
  "X".repeat(10_000),
  "GET /x HTTP/1.1\r\n\r\nGET",
]

const accepts = fc.constantFrom("Accept: */*", "Accept: text/html,*/*;q=0.8", "Accept: application/json")

function shotAt(
  target: Target,
  name: string,
  path: string,
  method: string,
  lines: readonly string[],
  ground: Ground,
  isSound: boolean,
  body: string | null,
): Shot {
  const typed = body === null ? [] : ["Content-Type: application/json"]
  return shot({
    attack: `paths (${name}) at ${target.name}`,
    // A changed path is no longer the target's own, nor is another method.
    target: null,
    path: null,
    pieces: [bytesOf({ method, target: path, host: ground.host, headers: [...lines, ...typed], body })],
    methods: [method],
    isSound,
    ending: isSound ? "keep" : "finish",
  })
}

/** Ids of every wrong shape, in place of one. */
function ids(ground: Ground): fc.Arbitrary<Shot> {
  return fc.oneof(
    ...targetsWith(({ path }) => pathNames(path).length > 0).map((target) =>
      fc
        .tuple(
          asked(ground, target),
          smallBody(target),
          accepts,
          fc.array(fc.constantFrom(...odd), { minLength: 4, maxLength: 4 }),
        )
        .map(([{ lines }, body, accept, parts]) => {
          let next = 0
          const path = target.path.replace(/\{[a-zA-Z]+\}/g, () => parts[next++] as string)
          return shotAt(
            target,
            parts[0]?.slice(0, 40) ?? "",
            path,
            target.method,
            [...lines, accept],
            ground,
            !path.includes("\\"),
            body,
          )
        }),
    ),
  )
}

/** Whole paths changed, and other methods. */
function lines(ground: Ground): fc.Arbitrary<Shot> {
  const turned = fc.oneof(
    fc.constantFrom(...turns).map(([name, turn, isSound]) => ({ name, turn, method: null, isSound })),
    fc
      .constantFrom(...methods)
      .map((method) => ({ name: method, turn: (path: string) => path, method, isSound: true })),
    fc
      .constantFrom(...brokenMethods)
      .map((method) => ({ name: method.slice(0, 20), turn: (path: string) => path, method, isSound: false })),
  )
  return askedAny(ground, targets).chain(({ target, path, lines: proof }) =>
    fc
      .tuple(smallBody(target), accepts, turned)
      .map(([body, accept, { name, turn, method, isSound }]) =>
        shotAt(
          target,
          name,
          turn(path, ground.host),
          method ?? target.method,
          [...proof, accept],
          ground,
          isSound,
          body,
        ),
      ),
  )
}

export const paths = (ground: Ground): fc.Arbitrary<Shot> => fc.oneof(ids(ground), lines(ground))
