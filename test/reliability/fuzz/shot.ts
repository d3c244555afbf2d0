/** One case of the fuzz: the bytes of a request, their purpose, and what the answer must satisfy. */
import fc from "fast-check"
import type { Target } from "./targets.ts"
import type { Ending } from "./wire.ts"

export interface Shot {
  /** The attack it belongs to, and what it does. */
  readonly attack: string
  readonly target: Target | null
  /** The requested path, if there is one; null if it is only known to be odd. */
  readonly path: string | null
  readonly pieces: readonly Buffer[]
  /** The methods of its requests, in order. */
  readonly methods: readonly string[]
  /** Whether each request is valid HTTP, so that each must be answered as its route says. */
  readonly isSound: boolean
  readonly ending: Ending
}

export interface Sent {
  readonly method: string
  readonly target: string
  /** Header lines other than Host and Content-Length, unchanged. */
  readonly headers?: readonly string[]
  readonly body?: string | Buffer | null
  readonly host?: string
}

const EOL = "\r\n"

/** The bytes of one request; strings are encoded as latin-1 in the head and as UTF-8 in the body. */
export function bytesOf({ method, target, headers = [], body = null, host = "127.0.0.1" }: Sent): Buffer {
  const content = body === null ? null : typeof body === "string" ? Buffer.from(body, "utf8") : body
  const names = headers.map((line) => line.split(":")[0]?.trim().toLowerCase())
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(names.includes("host") ? [] : [`Host: ${host}`]),
    ...headers,
    ...(content === null || names.includes("content-length") || names.includes("transfer-encoding")
      ? []
      : [`Content-Length: ${content.length}`]),
  ]
  return Buffer.concat([Buffer.from(`${lines.join(EOL)}${EOL}${EOL}`, "latin1"), content ?? Buffer.alloc(0)])
}

const MOST_SHOWN = 1_500
/** For `printf`: `printf '…' | nc host port` sends the same again. */
export function printable(pieces: readonly Buffer[]): string {
  const all = Buffer.concat(pieces)
  const text = all
    .subarray(0, MOST_SHOWN)
    .toString("latin1")
    .replace(/[\\'%]/g, (each) => (each === "\\" ? "\\\\" : each === "%" ? "%%" : "\\x27"))
    .replace(/\r/g, "\\r")
    .replace(/\n/g, "\\n")
    .replace(/[\x00-\x1f\x7f-\xff]/g, (each) => `\\x${each.charCodeAt(0).toString(16).padStart(2, "0")}`)
  return `printf '${text}'${all.length > MOST_SHOWN ? ` # and ${all.length - MOST_SHOWN} bytes more` : ""}`
}

/** A case that describes itself when a failure is printed. */
export const shot = (given: Shot): Shot =>
  Object.assign({ ...given }, { [fc.toStringMethod]: () => `${given.attack}: ${printable(given.pieces)}` })

/** A valid request to a target. */
export const soundly = (attack: string, target: Target, sent: Sent): Shot =>
  shot({
    attack: `${attack} at ${target.name}`,
    target,
    path: sent.target.split(/[?#]/)[0] ?? "",
    pieces: [bytesOf(sent)],
    methods: [sent.method],
    isSound: true,
    ending: "keep",
  })
