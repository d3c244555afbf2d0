/** Calls another instance over HTTP. Its responses are not trusted: they are limited in size and validated. */
import { limits } from "../../contract/limits.ts"
import { pathOfFigure } from "../../contract/definitions/figures.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { CrateFault } from "../../research/import/crate-file.ts"
import type { RoomSource } from "../../rooms/imported.ts"
import { type AnswerName, answerIn, bytesOf, type FeedPage, type OriginAnswer, PAGE, textOf } from "./origin-answers.ts"

/** Milliseconds before a timeout, in addition to the requested wait. */
const TIMEOUT = 15_000
/** The most pages of withholdings that are read ahead. */
const MOST_PAGES = 1_000
/** Seconds for which a feed is held open. */
export const WAIT = 25

/** The instance that answers at an address, with the instances it was restored from. */
export interface Serving {
  readonly from: RoomSource
  readonly lineage: readonly string[]
}

/** The origin cannot be read now, but may be later. */
export class Unreachable extends Error {}

/** The origin has fewer entries than this instance: it was restored from an older copy. */
export class OriginShorter extends CrateFault {
  readonly watermark: number
  constructor(watermark: number) {
    super(
      `The history of the origin now ends at entry ${watermark}: it was restored from an older copy. The Room here is unchanged.`,
    )
    this.watermark = watermark
  }
}

/** @param baseUrl scheme, host and path, without a trailing slash */
export function originAt(baseUrl: string, signal?: AbortSignal) {
  function open(path: string, accept: string, wait = 0): Promise<Response> {
    const timeout = AbortSignal.timeout(TIMEOUT + wait * 1000)
    return fetch(`${baseUrl}${path}`, {
      headers: { accept },
      redirect: "error",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    })
  }
  /** @throws Unreachable for a failure that may pass, otherwise CrateFault */
  async function ask<N extends AnswerName>(path: string, name: N, what: string, wait = 0): Promise<OriginAnswer<N>> {
    const called = `${what} at ${baseUrl}`
    try {
      const response = await open(path, "application/json", wait)
      if (response.ok) return await answerIn(name, called, await textOf(name, called, response))
      throw await errorOf(baseUrl, what, response)
    } catch (error) {
      if (error instanceof CrateFault || error instanceof Unreachable) throw error
      throw new Unreachable(error instanceof Refusal ? error.message : `${baseUrl} does not answer.`, { cause: error })
    }
  }
  const feedOf = (roomId: string, after: number, wait: number, kinds = "") =>
    ask(
      `/api/research/rooms/${roomId}/activity?after=${after}&include=write&limit=${PAGE}${kinds}${wait > 0 ? `&wait=${wait}` : ""}`,
      "feed",
      `The feed of Room ${roomId}`,
      wait,
    )
  return {
    async instance(): Promise<Serving> {
      const { instanceId, softwareVersion, lineage } = await ask(
        "/api/manifest",
        "manifest",
        "The manifest of a research-room",
      )
      return { from: { instanceId, softwareVersion, baseUrl }, lineage }
    },
    room: (roomId: string) => ask(`/api/research/rooms/${roomId}`, "room", `The Room ${roomId}`),
    /** Reads a picture. @returns undefined if it does not exist or is too large @throws Unreachable */
    async figure(digest: string): Promise<{ readonly bytes: Uint8Array; readonly mediaType: string } | undefined> {
      try {
        const response = await open(pathOfFigure(digest), "image/*")
        if (response.ok) {
          const bytes = await bytesOf(response, limits.keptFigureBytes)
          return bytes && { bytes, mediaType: response.headers.get("content-type") ?? "" }
        }
        await response.body?.cancel()
        if (response.status === 404) return undefined
        throw new Unreachable(`${baseUrl} answers with ${response.status}.`)
      } catch (error) {
        throw error instanceof Unreachable ? error : new Unreachable(`${baseUrl} does not answer.`, { cause: error })
      }
    },
    /**
     * Reads a page of entries after a sequence, each with its write. @param wait seconds for which the origin may hold
     * an empty page
     */
    async feed(roomId: string, after: number, wait: number): Promise<FeedPage> {
      const page = await feedOf(roomId, after, wait)
      if (page.items.length === 0 && page.hasMore)
        throw new CrateFault(`The feed of Room ${roomId} at ${baseUrl} declares more entries, but returns none.`)
      return page
    },
    /** Reads the writes after a sequence that withhold something. */
    async *withholdings(roomId: string, after: number): AsyncGenerator<object> {
      let at = after
      for (let page = 0; page < MOST_PAGES; page += 1) {
        const { items, nextCursor, hasMore } = await feedOf(roomId, at, 0, "&kinds=content_withheld")
        for (const { write } of items) yield write
        if (!hasMore || nextCursor <= at) return
        at = nextCursor
      }
      throw new CrateFault(`Room ${roomId} withholds more than ${MOST_PAGES * PAGE} times.`)
    },
  }
}

export type Origin = ReturnType<typeof originAt>

async function errorOf(baseUrl: string, what: string, response: Response): Promise<Error> {
  if (response.status === 404) return new CrateFault(`${what} is not at ${baseUrl}.`)
  if (response.status !== 422) {
    await response.body?.cancel()
    return new Unreachable(`${baseUrl} answers with ${response.status}.`)
  }
  try {
    const { current } = await answerIn("refusal", "The refusal", await textOf("refusal", "The refusal", response))
    return new OriginShorter(current.watermark)
  } catch (error) {
    if (!(error instanceof CrateFault)) throw error
    return new CrateFault(`${baseUrl} does not serve what a mirror needs: its version is too old.`)
  }
}
