/** The requests that this service sends to others. */

/** What is asked for: answers are not compressed, so that no decoder reads what a stranger sends. */
export const uncompressed = { "accept-encoding": "identity" }

/**
 * Fetches without compression. Node's `fetch` offers Brotli and zstd by itself, and decodes whatever an answer says it
 * is.
 * @throws TypeError if the answer is compressed all the same
 */
export async function fetchUncompressed(address: string | URL, options: RequestInit = {}): Promise<Response> {
  const headers = new Headers(options.headers)
  for (const [name, value] of Object.entries(uncompressed)) headers.set(name, value)
  const response = await fetch(address, { ...options, headers })
  const encoding = response.headers.get("content-encoding") ?? "identity"
  if (encoding === "identity") return response
  await response.body?.cancel()
  throw new TypeError("The answer is compressed, which was not asked for.")
}
