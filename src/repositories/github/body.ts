/** Reads response bodies up to a limit. */
import { Unanswered } from "./unanswered.ts"

/** The description of a repository has about ten thousand bytes; a commit message may be longer. */
const MAX_BYTES = 1024 * 1024

/** Reads the text of a response. @throws Unanswered if it exceeds a megabyte; the rest is not read */
export async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  let bytes = 0
  // A throw in this loop closes the stream.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > MAX_BYTES) throw new Unanswered("GitHub's answer is too long.")
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
