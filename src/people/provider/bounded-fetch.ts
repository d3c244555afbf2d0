/** Asks a provider of sign-ins, which is hostile until its answers are verified: within a time and a size, and never elsewhere. */

/** Milliseconds for one answer, and bytes of it. */
const PATIENCE = 8_000
const MOST = 256 * 1024

/** The provider gave no answer that could be looked at: it is down, or takes too long, or sends too much. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer"
}

async function read({ body }: Response, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop ends the transfer.
  for await (const piece of body ?? []) {
    bytes += piece.length
    if (bytes > most) throw new NoAnswer(`an answer is larger than ${most} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** What the client library hands over. */
export interface Question {
  readonly method?: string | undefined
  readonly headers?: Record<string, string> | undefined
  readonly body?: RequestInit["body"] | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * A `fetch` that follows no redirect.
 * @param patience milliseconds for the whole answer
 * @param most bytes of it
 * @returns what asks. It throws NoAnswer where nothing whole came, or a failure of the provider's own
 */
export const boundedFetch =
  (patience = PATIENCE, most = MOST) =>
  async (address: string, { method = "GET", headers = {}, body, signal }: Question): Promise<Response> => {
    const until = AbortSignal.timeout(patience)
    try {
      const answer = await fetch(address, {
        method,
        headers,
        ...(body != null && { body }),
        redirect: "manual",
        signal: signal === undefined ? until : AbortSignal.any([until, signal]),
      })
      const bytes = await read(answer, most)
      if (answer.status >= 500 || answer.status === 429) throw new NoAnswer(`it answers ${answer.status}`)
      const isEmpty = answer.status === 204 || answer.status === 304
      return new Response(isEmpty ? null : bytes, { status: answer.status, headers: answer.headers })
    } catch (error) {
      if (error instanceof NoAnswer) throw error
      if (until.aborted) throw new NoAnswer(`it does not answer within ${patience / 1000} seconds`)
      const cause = error instanceof Error ? error.cause : undefined
      throw new NoAnswer(cause instanceof Error ? cause.message : "it cannot be reached", { cause: error })
    }
  }
