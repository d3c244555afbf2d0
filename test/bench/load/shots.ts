/** Requests as the bench prepares them, before their answers are measured. */
import { randomUUID } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"

/** A placeholder in a request for a new id in each sending. */
export const freshId = "00000000-0000-4000-8000-00000000f5e5"

/** One request. */
export interface Shot {
  /** The label under which its time is counted. */
  readonly kind: "read" | "write"
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export const get = (path: string, headers: Shot["headers"] = {}): Shot => ({
  kind: "read",
  method: "GET",
  path,
  headers,
})

export const post = (path: string, token: string, body: object): Shot => ({
  kind: "write",
  method: "POST",
  path,
  headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  body: JSON.stringify(body),
})

/** Requests reach the sending process through a file: there are many. */
export const writeShots = (file: string, shots: readonly Shot[]): void => writeFileSync(file, JSON.stringify(shots))
export const readShots = (file: string): Shot[] => JSON.parse(readFileSync(file, "utf8")) as Shot[]

/** The requests of one load: this many from a list, starting again at its end if each sending may take a new id. */
export function magazine(shots: readonly Shot[], from: number, count: number): Shot[] {
  return Array.from({ length: count }, (_, at) => {
    const shot = shots[(from + at) % shots.length] as Shot
    if (shot.body === undefined) return shot
    if (shot.body.includes(freshId)) return { ...shot, body: shot.body.replace(freshId, randomUUID()) }
    if (from + at >= shots.length)
      throw new Error(`only ${shots.length} requests were prepared, and more were to be sent`)
    return shot
  })
}
