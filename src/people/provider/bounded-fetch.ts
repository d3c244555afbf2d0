/**
 * HTTP requests to an identity provider, which is not trusted until its responses are verified: time and size are
 * limited, and redirects ignored.
 */
import { fetchUncompressed } from "../../outgoing.ts"

const TIMEOUT_MS = 8_000
const MAX_BYTES = 256 * 1024

/** The provider sent no usable response: it is down, took too long, or sent too much. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer"
}

async function read({ body }: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop cancels the transfer.
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new NoAnswer(`an answer is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The options that the client library passes. */
export interface RequestOptions {
  readonly method?: string | undefined
  readonly headers?: Record<string, string> | undefined
  readonly body?: RequestInit["body"] | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Makes a `fetch` that does not follow redirects.
 * @param timeoutMs the time limit for the whole response
 * @returns a function that throws NoAnswer if no complete response came, or one with status 5xx or 429
 */
export const boundedFetch =
  (timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES) =>
  async (address: string, { method = "GET", headers = {}, body, signal }: RequestOptions): Promise<Response> => {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetchUncompressed(address, {
        method,
        headers,
        ...(body != null && { body }),
        redirect: "manual",
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      })
      const bytes = await read(response, maxBytes)
      if (response.status >= 500 || response.status === 429) throw new NoAnswer(`it answers ${response.status}`)
      const isEmpty = response.status === 204 || response.status === 304
      return new Response(isEmpty ? null : bytes, { status: response.status, headers: response.headers })
    } catch (error) {
      if (error instanceof NoAnswer) throw error
      if (timeout.aborted) throw new NoAnswer(`it does not answer within ${timeoutMs / 1000} seconds`)
      const cause = error instanceof Error ? error.cause : undefined
      throw new NoAnswer(cause instanceof Error ? cause.message : "it cannot be reached", { cause: error })
    }
  }
