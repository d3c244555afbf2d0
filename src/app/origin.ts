/** Another instance, asked over HTTP: its answers are a stranger's, bounded and looked at before a word of them is believed. */
import * as v from "valibot"
import { CrateFault } from "../research/import/crate-file.ts"
import { elsewhereSchema, homeSchema, MOST_HOMES, NAME, toldPerson, uuid } from "../research/import/origin.ts"
import { checked } from "../research/import/writes.ts"
import type { Elsewhere } from "../rooms/imported.ts"

/** Bytes of one answer, and milliseconds beyond what was asked to be waited. */
const LONGEST_ANSWER = 16 * 2 ** 20
const PATIENCE = 15_000
/** Pages of withholdings that are read ahead at once. */
const MOST_PAGES = 1_000
/** Seconds for which a feed is held open. */
export const WAIT = 25

/** It does not answer as it should now, and may later. */
export class Unreachable extends Error {}

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const manifestSchema = v.object({
  service: v.literal("research-room"),
  instanceId: uuid,
  softwareVersion: v.pipe(v.string(), v.maxLength(50)),
})
const roomSchema = v.object({
  roomId: uuid,
  title: v.string(),
  activityWatermark: count,
  origin: v.optional(v.nullable(v.object({ instanceId: uuid, baseUrl: elsewhereSchema.entries.baseUrl })), null),
  // Left out by versions that adopt nothing.
  adopted: v.optional(v.pipe(v.array(homeSchema), v.maxLength(MOST_HOMES)), []),
})
const person = v.object({ userId: uuid, username: NAME })
const feedSchema = v.object({
  items: v.pipe(
    v.array(
      v.looseObject({
        sequence: count,
        digest: v.string(),
        actor: person,
        write: v.looseObject({
          people: v.pipe(v.array(v.object(toldPerson.entries)), v.maxLength(2)),
          cites: v.pipe(v.array(v.object({ roomId: uuid, through: count })), v.maxLength(1_000)),
        }),
      }),
    ),
    v.maxLength(50),
  ),
  nextCursor: count,
  hasMore: v.boolean(),
})
export type FeedPage = v.InferOutput<typeof feedSchema>

async function textOf(response: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  const bytes: AsyncIterable<Uint8Array> | readonly Uint8Array[] = response.body ?? []
  for await (const piece of bytes) {
    length += piece.length
    if (length > LONGEST_ANSWER) throw new CrateFault(`An answer of the origin is over ${LONGEST_ANSWER} bytes.`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}

/** @param baseUrl scheme, host and path, without a slash at the end */
export function originAt(baseUrl: string, signal?: AbortSignal) {
  /** @throws Unreachable, or CrateFault for what will not be otherwise later */
  async function ask<S extends v.GenericSchema>(path: string, schema: S, what: string, wait = 0): Promise<v.InferOutput<S>> {
    const timeout = AbortSignal.timeout(PATIENCE + wait * 1000)
    const asked = fetch(`${baseUrl}${path}`, {
      headers: { accept: "application/json" },
      redirect: "error",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    })
    let response: Response
    let text: string
    try {
      response = await asked
      text = await textOf(response)
    } catch (error) {
      throw error instanceof CrateFault ? error : new Unreachable(`${baseUrl} does not answer.`, { cause: error })
    }
    const body = parsed(text)
    if (response.ok) return checked(schema, body, `${what} at ${baseUrl}`)
    if (response.status === 404) throw new CrateFault(`${what} is not at ${baseUrl}.`)
    const ahead = v.safeParse(v.object({ current: v.object({ watermark: count }) }), body)
    if (response.status === 422 && ahead.success)
      throw new CrateFault(
        `The origin stands at entry ${ahead.output.current.watermark} and not where it stood: it was put back from an older copy. What is here stays.`,
      )
    if (response.status === 422) throw new CrateFault(`${baseUrl} does not give what a mirror needs: it is of an older version.`)
    throw new Unreachable(`${baseUrl} answers with ${response.status}.`)
  }
  const feedOf = (roomId: string, after: number, wait: number, kinds = "") =>
    ask(
      `/api/research/rooms/${roomId}/activity?after=${after}&include=write&limit=50${kinds}${wait > 0 ? `&wait=${wait}` : ""}`,
      feedSchema,
      `The feed of Room ${roomId}`,
      wait,
    )
  return {
    /** Who it is. */
    async instance(): Promise<Elsewhere> {
      const { instanceId, softwareVersion } = await ask("/api/manifest", manifestSchema, "The manifest of a research-room")
      return { instanceId, softwareVersion, baseUrl }
    },
    room: (roomId: string) => ask(`/api/research/rooms/${roomId}`, roomSchema, `The Room ${roomId}`),
    /** Up to 50 entries after a sequence, each with its write. @param wait seconds for which an empty answer may be held */
    feed: (roomId: string, after: number, wait: number): Promise<FeedPage> => feedOf(roomId, after, wait),
    /** The writes after a sequence that withhold something. */
    async *withholdings(roomId: string, after: number): AsyncGenerator<object> {
      let at = after
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const { items, nextCursor, hasMore } = await feedOf(roomId, at, 0, "&kinds=content_withheld")
        for (const { write } of items) yield write
        if (!hasMore || nextCursor <= at) return
        at = nextCursor
      }
      throw new CrateFault(`Room ${roomId} withholds more than ${MOST_PAGES * 50} times.`)
    },
  }
}

export type Origin = ReturnType<typeof originAt>

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
