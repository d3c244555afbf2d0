/** Bodies of answers, read only up to a limit. */
import { Unanswered } from "./unanswered.ts"

/** A repository is described in some ten thousand bytes; a commit's message may be long. */
const MAX_BYTES = 1024 * 1024

/** The text of `response`. @throws Unanswered when it is longer than a megabyte; the rest is not read */
export async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  let bytes = 0
  // Leaving the loop early closes the stream.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) throw new Unanswered("GitHub's answer is longer than such an answer should be.")
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
