/** Answers that may never end, for tests that ask everything. */

const EVENTS = "text/event-stream"

/** The text of an answer; of a stream of events what it begins with, after which this hangs up. */
export async function textOf(response: Response): Promise<string> {
  const { body, headers } = response
  if (body === null || headers.get("content-type")?.startsWith(EVENTS) !== true) return response.text()
  const reader = body.getReader()
  const { value } = await reader.read()
  // Of an answer that was cloned, the connection ends once both have hung up.
  void reader.cancel()
  return new TextDecoder().decode(value)
}
