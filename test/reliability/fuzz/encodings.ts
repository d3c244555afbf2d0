/** Attack: bodies that are not the UTF-8 JSON they claim to be, and media types of all sorts. */
import { gzipSync } from "node:zlib"
import fc from "fast-check"
import { limits } from "../../../src/contract/limits.ts"
import { askedAny, smallBody } from "./asking.ts"
import type { Ground } from "./ground.ts"
import { type Shot, soundly } from "./shot.ts"
import { targetsWith } from "./targets.ts"

const bytes = (...values: number[]) => Buffer.from(values)

/** Sequences that are not UTF-8, or only just. */
const broken: readonly Buffer[] = [
  bytes(0x80),
  bytes(0xff),
  bytes(0xfe, 0xff),
  bytes(0xc0, 0xaf),
  bytes(0xc3),
  bytes(0xe2, 0x82),
  bytes(0xed, 0xa0, 0x80),
  bytes(0xed, 0xbf, 0xbf),
  bytes(0xf0, 0x80, 0x80, 0xaf),
  bytes(0xf4, 0x90, 0x80, 0x80),
  bytes(0xf8, 0x88, 0x80, 0x80, 0x80),
  bytes(0xef, 0xbb, 0xbf),
  bytes(0xef, 0xbf, 0xbe),
  bytes(0x00),
  bytes(0x1b, 0x5b, 0x32, 0x4a),
]

/** Transformations of the bytes of a body. */
const changes: readonly (readonly [name: string, change: (text: Buffer, place: number) => Buffer])[] = [
  ["as it is", (text) => text],
  ["a BOM before", (text) => Buffer.concat([bytes(0xef, 0xbb, 0xbf), text])],
  ["UTF-16LE", (text) => Buffer.from(text.toString("utf8"), "utf16le")],
  [
    "UTF-16LE with its BOM",
    (text) => Buffer.concat([bytes(0xff, 0xfe), Buffer.from(text.toString("utf8"), "utf16le")]),
  ],
  ["UTF-16BE", (text) => Buffer.from(text.toString("utf8"), "utf16le").swap16()],
  [
    "UTF-32",
    (text) =>
      Buffer.from(
        [...text.toString("utf8")].flatMap((letter) => [letter.codePointAt(0) ?? 0, 0, 0, 0]).map((each) => each & 255),
      ),
  ],
  ["latin-1", (text) => Buffer.from(text.toString("utf8").replace(/e/g, "é"), "latin1")],
  ["gzip", (text) => gzipSync(text)],
  ["gzip, cut short", (text) => gzipSync(text).subarray(0, 12)],
  [
    "one bit turned",
    (text, place) => {
      const turned = Buffer.from(text)
      if (turned.length > 0) turned[place % turned.length] = (turned[place % turned.length] ?? 0) ^ (1 << (place % 8))
      return turned
    },
  ],
  ["NUL after", (text) => Buffer.concat([text, Buffer.alloc(64)])],
  [
    "spaces to the limit",
    (text) => Buffer.concat([text, Buffer.alloc(Math.max(0, limits.requestBodyBytes - text.length), 32)]),
  ],
  ["nothing", () => Buffer.alloc(0)],
  ["a form", (text) => Buffer.from(`body=${encodeURIComponent(text.toString("utf8"))}`)],
  [
    "many parts",
    (text) =>
      Buffer.concat([
        Buffer.from('--x\r\nContent-Disposition: form-data; name="body"\r\n\r\n'),
        text,
        Buffer.from("\r\n--x--\r\n"),
      ]),
  ],
]

/** Invalid bytes inserted into a string of the body, with its JSON otherwise unchanged. */
const withBroken = (text: Buffer, place: number, insert: Buffer): Buffer => {
  const quotes = [...text.toString("latin1").matchAll(/"/g)].map(({ index }) => index)
  const at = (quotes[place % Math.max(1, quotes.length)] ?? 0) + 1
  return Buffer.concat([text.subarray(0, at), insert, text.subarray(at)])
}

const types: readonly string[] = [
  "application/json",
  "application/json; charset=utf-8",
  'Application/JSON;charset="UTF-8"',
  "application/json; charset=utf-16",
  "application/json; charset=latin1; charset=utf-8",
  "application/json;;;",
  "application/json, text/plain",
  "application/jsonp",
  "application/ld+json",
  "text/json",
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "multipart/form-data",
  "application/octet-stream",
  "image/png",
  "*/*",
  "/",
  ";",
  " ",
  `application/json; ${"a=b; ".repeat(500)}`,
  "application/json\u00a0",
  '"application/json"',
]

const encodingLines = [
  "Content-Encoding: gzip",
  "Content-Encoding: identity",
  "Content-Encoding: br, gzip",
  "Content-Encoding: x",
]

/** Every route that accepts a body, of JSON or of a form. */
export function encodings(ground: Ground): fc.Arbitrary<Shot> {
  const typed = fc.oneof(
    { weight: 3, arbitrary: fc.constant(types[0] as string) },
    { weight: 2, arbitrary: fc.constantFrom(...types) },
  )
  const encoded = fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom(...encodingLines) },
  )
  const changed = fc.oneof(
    fc
      .tuple(fc.constantFrom(...changes), fc.nat())
      .map(([[name, change], place]) => [name, (text: Buffer) => change(text, place)] as const),
    fc
      .tuple(fc.constantFrom(...broken), fc.nat())
      .map(
        ([insert, place]) =>
          [`${insert.toString("hex")} inside`, (text: Buffer) => withBroken(text, place, insert)] as const,
      ),
  )
  return askedAny(
    ground,
    targetsWith(({ body }) => body !== null),
  ).chain(({ target, path, lines }) =>
    fc
      .tuple(smallBody(target), typed, encoded, changed, fc.boolean())
      .map(([body, type, encoding, [name, change], isTyped]) =>
        soundly(`encodings (${name})`, target, {
          method: target.method,
          target: path,
          host: ground.host,
          headers: [...lines, ...(isTyped ? [`Content-Type: ${type}`] : []), ...(encoding === null ? [] : [encoding])],
          body: change(Buffer.from(body ?? "{}")),
        }),
      ),
  )
}
