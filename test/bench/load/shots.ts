/** Requests as the bench prepares them, before it is measured how they are answered. */
import { randomUUID } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"

/** Stands in a request where each sending takes an id of its own. */
export const freshId = "00000000-0000-4000-8000-00000000f5e5"

/** One request. */
export interface Shot {
  /** What its time is counted under. */
  readonly kind: "read" | "write"
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export const get = (path: string, headers: Shot["headers"] = {}): Shot => ({ kind: "read", method: "GET", path, headers })

export const post = (path: string, token: string, body: object): Shot => ({
  kind: "write",
  method: "POST",
  path,
  headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  body: JSON.stringify(body),
})

/** Requests go to the process that sends them through a file: there are many. */
export const writeShots = (file: string, shots: readonly Shot[]): void => writeFileSync(file, JSON.stringify(shots))
export const readShots = (file: string): Shot[] => JSON.parse(readFileSync(file, "utf8")) as Shot[]

/** What one load sends: so many of a list's requests, begun again at its end where each sending may take a fresh id. */
export function magazine(shots: readonly Shot[], from: number, count: number): Shot[] {
  return Array.from({ length: count }, (_, at) => {
    const shot = shots[(from + at) % shots.length] as Shot
    if (shot.body === undefined) return shot
    if (shot.body.includes(freshId)) return { ...shot, body: shot.body.replace(freshId, randomUUID()) }
    if (from + at >= shots.length) throw new Error(`only ${shots.length} requests were prepared, and more were to be sent`)
    return shot
  })
}
