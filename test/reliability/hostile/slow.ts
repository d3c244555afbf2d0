/**
 * Attacks by slowness: heads and bodies that never end, unread answers, thousands of waiting feeds, requests without a
 * pause.
 */
import { limits } from "../../../src/contract/limits.ts"
import { bytesOf, type Shot, shot } from "../fuzz/shot.ts"
import type { Ground } from "../fuzz/ground.ts"
import { holding, type Volley } from "./volley.ts"

/** The number of connections, and how long they are held. */
export interface Patience {
  readonly connections: number
  readonly seconds: number
}

const head = (ground: Ground, path: string, more: readonly string[] = []) =>
  [`POST ${path} HTTP/1.1`, `Host: ${ground.host}`, ...more].join("\r\n")
const ofBytes = (text: string) => Buffer.from(text, "latin1")

/** A body with its full length announced but its last bytes missing. */
const unfinished = (ground: Ground, path: string, type: string, bytes: number, unit: string): Buffer =>
  ofBytes(
    `${head(ground, path, [
      `Origin: ${ground.baseUrl}`,
      `Content-Type: ${type}`,
      `Content-Length: ${limits.requestBodyBytes}`,
    ])}\r\n\r\n${unit.repeat(bytes / unit.length)}`,
  )

export function slowVolleys(ground: Ground, { connections, seconds }: Patience): Volley[] {
  const { openingThreadId, roomId } = ground.cast.rooms.main
  const get = (path: string) => bytesOf({ method: "GET", target: path, host: ground.host })
  const junk = unfinished(ground, "/api/session", "application/json", 990_000, "[")
  const form = unfinished(ground, "/web/post_message", "application/x-www-form-urlencoded", 990_000, "a=b&")
  const many = { count: connections, seconds }
  return [
    holding("heads that never end", {
      ...many,
      first: () => ofBytes(head(ground, "/")),
      again: { bytes: ofBytes("\r\nX-Slow: a"), every: 250 },
    }),
    holding("connections that say nothing", { ...many, first: () => Buffer.alloc(0) }),
    holding("bodies that never end", {
      ...many,
      first: () => unfinished(ground, "/api/session", "application/json", 16, "["),
      again: { bytes: ofBytes(" "), every: 250 },
    }),
    holding("large bodies half sent", { ...many, first: (at) => (at % 2 === 0 ? junk : form) }),
    holding("feeds that are held", {
      ...many,
      first: (at) =>
        get(
          `/api/research/rooms/${roomId}/activity?after=0&kinds=room_archived&wait=` +
            `${limits.activityWaitSeconds - (at % 5)}`,
        ),
    }),
    holding("feeds that are held and told of every write", {
      ...many,
      first: () => get(`/api/research/rooms/${roomId}/activity?after=0&kinds=room_archived,post_message&wait=25`),
    }),
    holding("answers that nobody reads", {
      ...many,
      reads: false,
      first: (at) =>
        get(
          [`/threads/${openingThreadId}`, "/api/openapi.json", `/api/research/rooms/${roomId}/research-context`][
            at % 3
          ] as string,
        ),
    }),
    holding("exports that nobody reads", {
      ...many,
      count: Math.min(40, connections),
      reads: false,
      first: () => get(`/api/research/rooms/${roomId}/export`),
    }),
  ]
}

/** Hundreds of requests at once, and their answers read in order of arrival. */
export function pipelinedShots(ground: Ground, count: number): Shot[] {
  const { roomId, openingThreadId } = ground.cast.rooms.main
  const paths = [
    "/",
    `/rooms/${roomId}`,
    `/threads/${openingThreadId}`,
    "/api/openapi.json",
    "/api/manifest",
    `/api/research/rooms/${roomId}/research-context`,
    "/nothing",
    "/search?query=warm",
  ]
  return paths.map((path) => {
    const bytes = bytesOf({ method: "GET", target: path, host: ground.host })
    return shot({
      attack: "without waiting",
      target: null,
      path,
      pieces: [Buffer.concat(Array<Buffer>(count).fill(bytes))],
      methods: Array<string>(count).fill("GET"),
      isSound: false,
      ending: "keep",
    })
  })
}

/** Failed sign-ins, each under another name: each costs a password hash. */
export const signInShots = (ground: Ground, count: number): Shot[] =>
  Array.from({ length: count }, (_, at) =>
    shot({
      attack: "sign-ins that fail",
      target: null,
      path: "/api/session",
      pieces: [
        bytesOf({
          method: "POST",
          target: "/api/session",
          host: ground.host,
          headers: [`Origin: ${ground.baseUrl}`, "Content-Type: application/json"],
          body: JSON.stringify({
            username: at % 8 > 0 ? `nobody-${at}` : ground.cast.people.owner.username,
            password: `${"x".repeat(190)}${at}`,
          }),
        }),
      ],
      methods: ["POST"],
      isSound: false,
      ending: "keep",
    }),
  )
