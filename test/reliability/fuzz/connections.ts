/**
 * Attack: connections. Senders and readers that disconnect half-way, requests in single bytes, half-closed connections.
 */
import fc from "fast-check"
import { proofLines, type Ground } from "./ground.ts"
import { asked, smallBody } from "./asking.ts"
import { bytesOf, type Shot, shot } from "./shot.ts"
import { type Target, targetsWith } from "./targets.ts"
import type { Ending } from "./wire.ts"

/** Cuts bytes into pieces at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set([0, ...places.map((place) => place % Math.max(1, bytes.length)), bytes.length])].sort(
    (a, b) => a - b,
  )
  return at.slice(1).map((to, index) => bytes.subarray(at[index], to))
}

const requests = (ground: Ground, target: Target): fc.Arbitrary<Buffer> =>
  fc.tuple(asked(ground, target), smallBody(target)).map(([{ path, lines }, body]) =>
    bytesOf({
      method: target.method,
      target: path,
      host: ground.host,
      headers: [
        ...(target.caller === "credential"
          ? proofLines("credential", ground.uncertain, ground.baseUrl, target.method)
          : lines),
        ...(body === null ? [] : ["Content-Type: application/json"]),
      ],
      body,
    }),
  )

const places = fc.array(fc.nat(5_000), { maxLength: 12 })

/** Whole requests in small pieces, answered as if they had arrived in one. */
const inPieces = (target: Target, bytes: Buffer, cuts: readonly number[], ending: Ending): Shot =>
  shot({
    attack: `connections (${cuts.length} pieces, ${ending}) at ${target.name}`,
    target,
    path: null,
    pieces: cut(bytes, cuts),
    methods: [target.method],
    isSound: ending === "keep",
    ending,
  })

/** The first part of a request, and then nothing: the sender disconnects, or half-closes. */
const cutOff = (target: Target, bytes: Buffer, cuts: readonly number[], at: number, ending: Ending): Shot =>
  shot({
    attack: `connections (cut off, ${ending}) at ${target.name}`,
    target,
    path: null,
    pieces: cut(bytes.subarray(0, at % bytes.length), cuts),
    methods: [target.method],
    isSound: false,
    ending,
  })

/** Many requests, no answer read. */
const unread = (ground: Ground, target: Target): fc.Arbitrary<Shot> =>
  fc.tuple(requests(ground, target), fc.integer({ min: 1, max: 40 })).map(([bytes, times]) =>
    shot({
      attack: `connections (${times} answers unread) at ${target.name}`,
      target,
      path: null,
      pieces: Array.from({ length: times }, () => bytes),
      methods: Array.from({ length: times }, () => target.method),
      isSound: false,
      ending: "deaf",
    }),
  )

export function connections(ground: Ground): fc.Arbitrary<Shot> {
  // Writes use the one credential whose receipts are not counted; the other requests only read.
  const all = targetsWith(
    ({ caller, method, takesForm }) => !takesForm && (method === "GET" || caller === "credential"),
  )
  return fc.oneof(
    ...all.map((target) =>
      fc.oneof(
        unread(ground, target),
        fc
          .tuple(
            requests(ground, target),
            places,
            fc.constantFrom<Ending>("keep", "half-close", "leave", "leave-answered"),
          )
          .map(([bytes, cuts, ending]) => inPieces(target, bytes, cuts, ending)),
        fc
          .tuple(requests(ground, target), places, fc.nat(), fc.constantFrom<Ending>("finish", "leave"))
          .map(([bytes, cuts, at, ending]) => cutOff(target, bytes, cuts, at, ending)),
      ),
    ),
  )
}

/** Requests that begin and never end: the service must end each within its own time limit. */
export function endless(ground: Ground, withBodies: boolean): Shot[] {
  const host = `Host: ${ground.host}`
  const heads = ["", "GET", `GET / HTTP/1.1\r\n${host}\r\nX-Slow: `, `GET / HTTP/1.1\r\n${host}\r\n`]
  const bodies = [
    `POST /api/agent/threads HTTP/1.1\r\n${host}\r\nAuthorization: Bearer ${ground.uncertain}\r\nContent-Type: ` +
      `application/json\r\nContent-Length: 100\r\n\r\n{"schema`,
    `POST /api/agent/threads HTTP/1.1\r\n${host}\r\nAuthorization: Bearer ${ground.uncertain}\r\nContent-Type: ` +
      `application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"sch\r\n`,
  ]
  const times = withBodies ? 8 : 1
  return Array.from({ length: times }, () => [...heads, ...(withBodies ? bodies : [])])
    .flat()
    .map((text, index) =>
      shot({
        attack: `connections (endless ${index})`,
        target: null,
        path: null,
        pieces: [Buffer.from(text)],
        methods: ["GET"],
        isSound: false,
        ending: "wait",
      }),
    )
}
